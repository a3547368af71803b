"""What all charts share: a cursor that walks over the marks by arrow keys and by the mouse, and what it reads."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.canvas import blend
from ladder_desktop.review.announce import announce
from ladder_desktop.theme import Theme

STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class Chart(QWidget):
    """Paints marks, each with a sentence that says what it is. `read` gives the sentence of the mark at the cursor.

    A chart without marks does not take the focus.
    """

    read = Signal(str)

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self.readings: list[str] = []
        self.mark = -1
        self._name = name
        self.setMouseTracking(True)
        self.setAccessibleName(name)
        self._font = QFont(self.font())
        self._font.setPointSizeF(max(7.0, self.font().pointSizeF() * 0.86))

    def show_readings(self, readings: list[str], sentence: str) -> None:
        """Take over what each mark says, and what the chart says as a whole."""
        self.readings = readings
        self.mark = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if readings else Qt.FocusPolicy.NoFocus)
        self.setAccessibleDescription(f"{sentence} Arrow keys read the marks one by one.")
        self.updateGeometry()
        self.update()

    def point_at(self, mark: int) -> None:
        """Put the cursor on a mark, none for -1, and say what it is."""
        if mark == self.mark:
            return
        self.mark = mark
        sentence = self.readings[mark] if mark >= 0 else ""
        self.read.emit(sentence)
        self.update()

    def mark_at(self, place: QPointF) -> int:  # noqa: ARG002
        """Return the mark under a place, -1 for none."""
        return -1

    def steps(self) -> dict[Qt.Key, int]:
        """Return by how many marks each arrow key moves the cursor."""
        return STEPS

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk over the marks; Home and End go to the first and the last."""
        key, last = Qt.Key(event.key()), len(self.readings) - 1
        moves = {**self.steps(), Qt.Key.Key_Home: -last - 1, Qt.Key.Key_End: last + 1}
        if key not in moves or not self.readings:
            super().keyPressEvent(event)
            return
        start = self.mark if self.mark >= 0 else self.first_mark() - moves[key]
        self.point_at(min(max(start + moves[key], 0), last))
        announce(self, self.readings[self.mark])

    def first_mark(self) -> int:
        """Return the mark on which the cursor first lands."""
        return 0

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Read what is under the mouse."""
        self.point_at(self.mark_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the mark once the mouse has gone, unless the keyboard is here."""
        if not self.hasFocus():
            self.point_at(-1)
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint the chart, and a ring around it while it has the keyboard."""
        painter = QPainter(self)
        painter.setFont(self._font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.theme.colour("accent"), 1.5))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)

    def paint(self, painter: QPainter) -> None:
        """Paint the marks."""
        raise NotImplementedError

    @property
    def metrics(self) -> QFontMetricsF:
        """The measures of the small font of axes and labels."""
        return QFontMetricsF(self._font)

    def ink(self, role: str, share: float = 1.0) -> QColor:
        """Return a colour of the theme, thinned over the surface."""
        colour = self.theme.colour(role)
        return colour if share >= 1 else blend(colour, self.theme.colour("surface"), share)

    def write(
        self, painter: QPainter, box: QRectF, text: str, flags: Qt.AlignmentFlag, role: str = "muted"
    ) -> None:
        """Write a small text into a box."""
        painter.setPen(self.theme.colour(role))
        painter.drawText(box, flags, text)
