"""Labels for places whose size is not theirs to say: one ends in … where there is no room, one keeps the height of its text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QToolTip, QWidget


class Elided(QLabel):
    """Plain text, a line each, that never asks for more width than it gets. Asked for a hint, it has its own text unless
    it was given another."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(1)

    def event(self, event: QEvent) -> bool:
        """Qt: the whole text as a hint, where it is cut."""
        if event.type() == QEvent.Type.ToolTip and not self.toolTip() and self.cut:
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), self.text(), self)
            return True
        return super().event(event)

    @property
    def cut(self) -> bool:
        """Whether there is more than is seen."""
        widest = max(map(self.fontMetrics().horizontalAdvance, self.text().split("\n")))
        return widest > self.contentsRect().width()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt: draw the lines, each as far as it goes."""
        if not self.cut:
            super().paintEvent(event)
            return
        room, metrics = self.contentsRect(), self.fontMetrics()
        lines = (
            metrics.elidedText(line, Qt.TextElideMode.ElideRight, room.width())
            for line in self.text().split("\n")
        )
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(room, self.alignment(), "\n".join(lines))


class Wrapped(QLabel):
    """A paragraph that keeps the height it needs, also within a splitter, which does not ask for it."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)

    def minimumSizeHint(self) -> QSize:
        """Qt: what its text needs at the width that it has."""
        return QSize(1, self.heightForWidth(self.width()) if self.text() else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: another width, another height."""
        super().resizeEvent(event)
        self.updateGeometry()
