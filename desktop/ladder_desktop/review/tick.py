"""A check box that draws its own mark in the theme's colours, and shares the keyboard with the page it stands on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QCheckBox

from ladder_desktop.theme import Theme

SIDE = 18
MARK = (QPointF(0.24, 0.52), QPointF(0.43, 0.71), QPointF(0.77, 0.30))  # in parts of the side


class Tick(QCheckBox):
    """A box without text. It keeps Space for itself when reached with Tab; the mouse leaves the focus alone."""

    def __init__(self, name: str, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setFixedSize(SIDE + 4, SIDE + 4)

    def event(self, event: QEvent) -> bool:
        """Claim Space before a shortcut of the page takes it."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space:
            event.accept()
            return True
        return super().event(event)

    def sizeHint(self) -> QSize:
        """Return the fixed size of the box and its focus ring."""
        return QSize(SIDE + 4, SIDE + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the box, its mark, and a ring when it has the keyboard."""
        box = QRectF(2, 2, SIDE, SIDE).adjusted(0.5, 0.5, -0.5, -0.5)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.colour("text"), 1.5))
            painter.drawRoundedRect(box.adjusted(-1.5, -1.5, 1.5, 1.5), 6, 6)
        painter.setPen(self._theme.colour("accent" if self.isChecked() else "faint"))
        painter.setBrush(self._theme.colour("accent" if self.isChecked() else "surface"))
        painter.drawRoundedRect(box, 4, 4)
        if self.isChecked():
            pen = QPen(self._theme.colour("accent_text"), 2)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            painter.setPen(pen)
            painter.drawPolyline(QPolygonF([box.topLeft() + point * SIDE for point in MARK]))
