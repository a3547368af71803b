"""A bar chart with stacked parts, each part with its colour and its pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from ladder_desktop.theme import Theme

from .chart import Chart
from .figures import short

Pattern = Literal["solid", "pale", "hatched", "outlined"]
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
TOP, MAX_BAR = 10.0, 34.0


@dataclass(frozen=True, slots=True)
class Part:
    """One part of every bar: its name, the theme's role of its colour, its pattern, and its height in each bar."""

    name: str
    role: str
    pattern: Pattern
    values: Sequence[float]


class BarChart(Chart):
    """Bars from left to right. Labels that are "" are left out of the axis; `marked` is drawn with a stronger label."""

    def __init__(self, theme: Theme, name: str, height: int = 170) -> None:
        super().__init__(theme, name)
        self._height = height
        self._parts: Sequence[Part] = ()
        self._labels: Sequence[str] = ()
        self._marked = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bars(
        self,
        parts: Sequence[Part],
        labels: Sequence[str],
        readings: list[str],
        sentence: str,
        marked: int = -1,
    ) -> None:
        """Draw these bars, from the foot up in the order of `parts`."""
        self._parts, self._labels, self._marked = parts, labels, marked
        self.show_readings(readings, sentence)

    def sizeHint(self) -> QSize:
        """Qt: as high as asked for, with a row for the legend where there is one."""
        return QSize(260, self._height + (round(self._line) if len(self._parts) > 1 else 0))

    def minimumSizeHint(self) -> QSize:
        """Qt: may become narrow."""
        return QSize(160, self.sizeHint().height())

    def mark_at(self, place: QPointF) -> int:
        """Return the bar whose column holds a place."""
        plot, count = self._plot(), len(self.readings)
        if not count or not plot.left() <= place.x() < plot.right():
            return -1
        return min(count - 1, int((place.x() - plot.left()) / plot.width() * count))

    def paint(self, painter: QPainter) -> None:
        """Paint grid, bars, labels and legend."""
        plot, top = self._plot(), self._top()
        if not self.readings:
            return
        self._paint_grid(painter, plot, top)
        step = plot.width() / len(self.readings)
        wide = min(MAX_BAR, step * (0.72 if step > 6 else 0.9))
        for bar in range(len(self.readings)):
            middle = plot.left() + (bar + 0.5) * step
            if bar == self.mark:
                painter.fillRect(
                    QRectF(middle - step / 2, plot.top(), step, plot.height()), self.ink("selection")
                )
            foot = plot.bottom()
            for part in self._parts:
                tall = part.values[bar] / top * plot.height()
                if tall > 0:
                    foot -= tall
                    self._fill(painter, QRectF(middle - wide / 2, foot, wide, tall), part)
            if self._labels[bar]:
                role = "text" if bar in (self._marked, self.mark) else "muted"
                self._paint_label(painter, middle, plot.bottom() + 4, self._labels[bar], role)
        if len(self._parts) > 1:
            self._paint_legend(painter, plot)

    @property
    def _line(self) -> float:
        """How high a line of small text is, with air."""
        return max(20.0, self.metrics.height() + 4)

    def _plot(self) -> QRectF:
        left = self.metrics.horizontalAdvance(short(self._top())) + 14
        legend = self._line if len(self._parts) > 1 else 0
        return QRectF(left, TOP, self.width() - left - 6, self.height() - TOP - self._line - legend)

    def _top(self) -> float:
        """Return the value at the upper edge: a round one."""
        highest = max(
            (sum(part.values[bar] for part in self._parts) for bar in range(len(self.readings))), default=0
        )
        step = nice_step(highest)
        return max(step, ceil(highest / step - 1e-9) * step)

    def _paint_grid(self, painter: QPainter, plot: QRectF, top: float) -> None:
        step = nice_step(top)
        for number in range(round(top / step) + 1):
            y = plot.bottom() - number * step / top * plot.height()
            painter.setPen(QPen(self.ink("line", 1.0 if number == 0 else 0.55), 1))
            painter.drawLine(QPointF(plot.left(), round(y) + 0.5), QPointF(plot.right(), round(y) + 0.5))
            value = number * step
            text = f"{value:g}" if value < 1000 else short(value)
            self.write(painter, QRectF(0, y - 9, plot.left() - 8, 18), text, RIGHT)

    def _paint_label(self, painter: QPainter, middle: float, y: float, text: str, role: str) -> None:
        """Write below a bar, and never over the edge of the chart."""
        wide = self.metrics.horizontalAdvance(text) + 4
        x = min(max(middle - wide / 2, 0), self.width() - wide)
        self.write(painter, QRectF(x, y, wide, self._line - 2), text, CENTRE, role)

    def _fill(self, painter: QPainter, box: QRectF, part: Part) -> None:
        solid = self.theme.colour(part.role)
        painter.setPen(Qt.PenStyle.NoPen)
        match part.pattern:
            case "solid":
                painter.fillRect(box, solid)
            case "pale":
                painter.fillRect(box, self.ink(part.role, 0.45))
            case "hatched":
                painter.fillRect(box, self.ink(part.role, 0.3))
                painter.fillRect(box, QBrush(solid, Qt.BrushStyle.BDiagPattern))
            case "outlined":
                painter.setPen(QPen(solid, 1.2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(box.adjusted(0.6, 0.6, -0.6, -0.6))

    def _paint_legend(self, painter: QPainter, plot: QRectF) -> None:
        x, y = plot.left(), self.height() - self._line
        for part in self._parts:
            self._fill(painter, QRectF(x, y + (self._line - 11) / 2, 11, 11), part)
            wide = self.metrics.horizontalAdvance(part.name)
            self.write(painter, QRectF(x + 17, y, wide + 4, self._line), part.name, LEFT)
            x += wide + 40


def nice_step(highest: float) -> float:
    """Return a step of 1, 2 or 5 times a power of ten that divides a height into at most five."""
    if highest <= 0:
        return 1.0
    raw = highest / 4
    base = 10.0 ** floor(log10(raw))
    return next(base * factor for factor in (1, 2, 5, 10) if base * factor >= raw * 0.999)
