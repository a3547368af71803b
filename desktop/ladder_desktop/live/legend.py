"""What the shapes mean: a row of samples with a word each, drawn with the shapes of the views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.canvas import blend
from ladder_desktop.theme import Theme

Shape = Literal[
    "owned", "new", "freed", "lost", "free", "prefill", "decode", "waiting", "preempted", "finished"
]
SAMPLE, SPACE = 12, 14

BLOCKS: tuple[tuple[Shape, str], ...] = (
    ("owned", "owned"),
    ("new", "new"),
    ("freed", "freed"),
    ("lost", "preempted"),
    ("free", "free"),
)
BATCH: tuple[tuple[Shape, str], ...] = (
    ("prefill", "prefill"),
    ("decode", "decode"),
    ("waiting", "waiting"),
    ("preempted", "preempted"),
    ("finished", "finished"),
)


class Legend(QWidget):
    """A row of samples, as wide as it needs."""

    def __init__(
        self, theme: Theme, items: Sequence[tuple[Shape, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.theme = theme
        self.items = items
        self._font = QFont(self.font())
        self._font.setPixelSize(11)
        self.setAccessibleName("Legend: " + ", ".join(label for _, label in items))

    def sizeHint(self) -> QSize:
        """Qt: all samples with their words."""
        metrics = QFontMetrics(self._font)
        width = sum(SAMPLE + 5 + metrics.horizontalAdvance(label) + SPACE for _, label in self.items)
        return QSize(width, max(SAMPLE, metrics.height()) + 4)

    def minimumSizeHint(self) -> QSize:
        """Qt: the height is needed, the width may be cut."""
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: the samples at the right edge, from the left if there is too little room."""
        painter = QPainter(self)
        painter.setFont(self._font)
        metrics = painter.fontMetrics()
        x = max(0, self.width() - self.sizeHint().width() + SPACE)
        for shape, label in self.items:
            self._paint_sample(painter, shape, QRectF(x, (self.height() - SAMPLE) / 2, SAMPLE, SAMPLE))
            x += SAMPLE + 5
            painter.setPen(self.theme.colour("muted"))
            width = metrics.horizontalAdvance(label)
            painter.drawText(QRectF(x, 0, width + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, label)
            x += width + SPACE

    def _paint_sample(self, painter: QPainter, shape: Shape, box: QRectF) -> None:
        theme, middle = self.theme, box.center()
        owner, surface = theme.colour("kv_owned"), theme.colour("window")
        match shape:
            case "owned" | "new":
                painter.fillRect(box, blend(owner, surface, 0.30))
                painter.fillRect(box.adjusted(0, SAMPLE * 0.45, 0, 0), owner)
                if shape == "new":
                    painter.setPen(QPen(theme.colour("text"), 1.5))
                    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
            case "free" | "freed" | "lost":
                painter.fillRect(box, theme.colour("kv_free"))
                if shape == "freed":
                    painter.setClipRect(box)
                    painter.setPen(QPen(owner, 1.5))
                    for offset in (0, 5, 10, 15, 20):
                        foot = QPointF(box.left() - 8 + offset, box.bottom())
                        painter.drawLine(foot, foot + QPointF(SAMPLE, -SAMPLE))
                    painter.setClipping(False)
                if shape == "lost":
                    self._paint_cross(painter, box.adjusted(1, 1, -1, -1))
            case "prefill":
                painter.fillRect(box.adjusted(0, 2, 0, 0), theme.colour("prefill"))
            case "decode":
                painter.fillRect(QRectF(middle.x() - 2, middle.y() - 2, 4, 4), theme.colour("decode"))
            case "waiting":
                painter.fillRect(QRectF(box.left(), middle.y(), SAMPLE, 1), theme.colour("waiting"))
            case "preempted":
                self._paint_cross(painter, box.adjusted(2, 2, -2, -2))
            case "finished":
                painter.fillRect(QRectF(middle.x() - 1, box.top(), 2, SAMPLE), theme.colour("text"))

    def _paint_cross(self, painter: QPainter, box: QRectF) -> None:
        painter.setPen(QPen(self.theme.colour("preempted"), 1.5))
        painter.drawLine(box.topLeft(), box.bottomRight())
        painter.drawLine(box.topRight(), box.bottomLeft())
