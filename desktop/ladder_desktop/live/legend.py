"""What the shapes mean: a row of samples with a word each, drawn with the shapes of the views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from ladder_desktop.live.canvas import blend
from ladder_desktop.theme import Theme

Shape = Literal[
    "owned",
    "new",
    "shared",
    "cached",
    "freed",
    "lost",
    "free",
    "swapped out",
    "swapped in",
    "copied",
    "evicted",
    "prefill",
    "decode",
    "accepted",
    "rejected",
    "waiting",
    "preempted",
    "finished",
]
SAMPLE, GAP, SPACE = 12, 5, 12

BLOCKS: tuple[tuple[Shape, str], ...] = (
    ("owned", "owned"),
    ("new", "new"),
    ("shared", "shared"),
    ("cached", "cached"),
    ("freed", "freed"),
    ("lost", "preempted"),
    ("swapped out", "swapped out"),
    ("swapped in", "swapped in"),
    ("copied", "copied"),
    ("evicted", "evicted"),
    ("free", "free"),
)
BATCH: tuple[tuple[Shape, str], ...] = (
    ("prefill", "prefill"),
    ("decode", "decode"),
    ("accepted", "draft accepted"),
    ("rejected", "draft rejected"),
    ("waiting", "waiting"),
    ("preempted", "preempted"),
    ("finished", "finished"),
)


class Legend(QWidget):
    """Samples with their words, in one row, or in more where there is less room."""

    def __init__(
        self, theme: Theme, items: Sequence[tuple[Shape, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.theme = theme
        self.items = items
        self._font = QFont(self.font())
        self._font.setPointSizeF(self._font.pointSizeF() * 0.82)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName("Legend: " + ", ".join(label for _, label in items))

    def sizeHint(self) -> QSize:
        """Qt: all samples with their words, in one row."""
        return QSize(sum(self._widths()), self._row_height())

    def minimumSizeHint(self) -> QSize:
        """Qt: one row; in less width there are more of them."""
        return QSize(0, self._row_height())

    def hasHeightForWidth(self) -> bool:
        """Qt: the rows depend on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Qt: so many rows."""
        return self._row_height() * len(self._rows(width))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: each row at the right edge."""
        painter = QPainter(self)
        painter.setFont(self._font)
        widths, height = self._widths(), self._row_height()
        for number, row in enumerate(self._rows(self.width())):
            x = float(max(0, self.width() - sum(widths[place] for place in row) + SPACE))
            for place in row:
                shape, label = self.items[place]
                top = number * height
                self._paint_sample(painter, shape, QRectF(x, top + (height - SAMPLE) / 2, SAMPLE, SAMPLE))
                painter.setPen(self.theme.colour("muted"))
                words = QRectF(x + SAMPLE + GAP, top, widths[place], height)
                painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, label)
                x += widths[place]

    def _rows(self, width: int) -> list[list[int]]:
        """Return which items stand in each row, when there is so much room."""
        rows: list[list[int]] = [[]]
        used = 0
        for place, wide in enumerate(self._widths()):
            if rows[-1] and used + wide - SPACE > width:
                rows.append([])
                used = 0
            rows[-1].append(place)
            used += wide
        return rows

    def _widths(self) -> list[int]:
        metrics = QFontMetrics(self._font)
        return [SAMPLE + GAP + metrics.horizontalAdvance(label) + SPACE for _, label in self.items]

    def _row_height(self) -> int:
        return max(SAMPLE, QFontMetrics(self._font).height()) + 4

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
            case "shared":
                painter.fillRect(box, theme.colour("kv_shared"))
                painter.fillRect(QRectF(box.right() - 4, box.top(), 4, 4), theme.colour("text"))
            case "cached":
                painter.fillRect(box, theme.colour("kv_free"))
                painter.fillRect(box.adjusted(3, 3, -3, -3), theme.colour("kv_cached"))
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
            case "swapped out" | "swapped in":
                out = shape == "swapped out"
                painter.fillRect(box, theme.colour("kv_free") if out else owner)
                self._paint_triangle(painter, box.adjusted(3, 3, -3, -3), "preempted" if out else "text", out)
            case "copied" | "evicted":
                painter.fillRect(box, owner)
                if shape == "evicted":
                    painter.fillRect(box.adjusted(2, 2, -2, -2), theme.colour("surface"))
                painter.setPen(QPen(theme.colour("text" if shape == "copied" else "kv_cached"), 1.5))
                painter.drawRect(box.adjusted(3, 3, -3, -3))
            case "prefill":
                painter.fillRect(box.adjusted(0, 2, 0, 0), theme.colour("prefill"))
            case "decode" | "accepted" | "rejected":
                if shape == "accepted":
                    painter.fillRect(QRectF(middle.x() - 2, box.top(), 4, 6), theme.colour("draft_accepted"))
                if shape == "rejected":
                    painter.fillRect(QRectF(middle.x() - 1, middle.y(), 2, 6), theme.colour("draft_rejected"))
                painter.fillRect(QRectF(middle.x() - 2, middle.y() - 2, 4, 4), theme.colour("decode"))
            case "waiting":
                painter.fillRect(QRectF(box.left(), middle.y(), SAMPLE, 1), theme.colour("waiting"))
            case "preempted":
                self._paint_cross(painter, box.adjusted(2, 2, -2, -2))
            case "finished":
                painter.fillRect(QRectF(middle.x() - 1, box.top(), 2, SAMPLE), theme.colour("text"))

    def _paint_triangle(self, painter: QPainter, box: QRectF, role: str, up: bool) -> None:
        tip, foot = (box.top(), box.bottom()) if up else (box.bottom(), box.top())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour(role))
        corners = (QPointF(box.center().x(), tip), QPointF(box.left(), foot), QPointF(box.right(), foot))
        painter.drawPolygon(QPolygonF(corners))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_cross(self, painter: QPainter, box: QRectF) -> None:
        painter.setPen(QPen(self.theme.colour("preempted"), 1.5))
        painter.drawLine(box.topLeft(), box.bottomRight())
        painter.drawLine(box.topRight(), box.bottomLeft())
