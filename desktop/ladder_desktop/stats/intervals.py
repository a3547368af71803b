"""Shares with their 95 % intervals, one row each, against the target line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from ladder_desktop.study.statistics import Share
from ladder_desktop.theme import Theme

from .chart import Chart
from .figures import percent, written

ROW, HEAD, FOOT, DOT = 27.0, 22.0, 6.0, 4.5
MIDDLE_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
MIDDLE_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
INK = {"below": "bad", "on": "accent", "above": "good", "unknown": "faint"}


@dataclass(frozen=True, slots=True)
class Row:
    """One share and its name; an indented row is a part of the one above."""

    name: str
    share: Share
    indented: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """From a share to its place: `low` at the left edge of the plot, 1 at the right."""

    low: float
    plot: QRectF

    def x(self, share: float) -> float:
        """Return the place of a share."""
        return self.plot.left() + (share - self.low) / (1 - self.low) * self.plot.width()


class IntervalChart(Chart):
    """A dot for what was observed, a line for where the truth lies: a disc on target, a triangle beside it."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self._rows: Sequence[Row] = ()
        self._target = 0.9
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(self, rows: Sequence[Row], target: float, readings: list[str], sentence: str) -> None:
        """Draw these rows from top to bottom."""
        self._rows, self._target = rows, target
        self.show_readings(readings, sentence)

    def sizeHint(self) -> QSize:
        """Qt: a line of text for each row."""
        return QSize(420, round(HEAD + ROW * len(self._rows) + FOOT))

    def minimumSizeHint(self) -> QSize:
        """Qt: may become narrow."""
        return QSize(300, self.sizeHint().height())

    def mark_at(self, place: QPointF) -> int:
        """Return the row under a place."""
        row = int((place.y() - HEAD) // ROW)
        return row if 0 <= row < len(self._rows) else -1

    def paint(self, painter: QPainter) -> None:
        """Paint the axis, the target and the rows."""
        axis, plot = Axis(self._lowest(), self._plot()), self._plot()
        low, goal = axis.low, f"target {percent(self._target)}"
        wide = self.metrics.horizontalAdvance(goal) + 10
        step = 0.05 if 1 - low <= 0.31 else 0.1 if 1 - low <= 0.61 else 0.2
        for number in range(round((1 - low) / step) + 1):
            share = 1 - number * step
            if share < low - 1e-9:
                break
            painter.setPen(QPen(self.ink("line", 0.55), 1))
            painter.drawLine(QPointF(axis.x(share), plot.top()), QPointF(axis.x(share), plot.bottom()))
            if (
                abs(axis.x(share) - axis.x(self._target))
                > (wide + self.metrics.horizontalAdvance("100 %")) / 2
            ):
                self.write(
                    painter, QRectF(axis.x(share) - 40, 0, 80, HEAD - 4), f"{share * 100:.0f} %", CENTRE
                )
        x = axis.x(self._target)
        painter.setPen(QPen(self.ink("text"), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        self.write(painter, QRectF(x - wide / 2, 0, wide, HEAD - 4), goal, CENTRE, "text")
        for number, row in enumerate(self._rows):
            self._paint_row(painter, number, row, axis)

    def _paint_row(self, painter: QPainter, number: int, row: Row, axis: Axis) -> None:
        plot, top = axis.plot, HEAD + number * ROW
        middle = top + ROW / 2
        if number == self.mark:
            painter.fillRect(QRectF(0, top, self.width(), ROW), self.ink("selection"))
        indent = 16 if row.indented else 4
        room = plot.left() - indent - 14
        name = self.metrics.elidedText(row.name, Qt.TextElideMode.ElideRight, room)
        role = "muted" if row.indented else "text"
        self.write(painter, QRectF(indent, top, room, ROW), name, MIDDLE_LEFT, role)
        box = QRectF(plot.right() + 10, top, self.width() - plot.right() - 14, ROW)
        if row.share.rate is None or row.share.interval is None:
            self.write(painter, box, "no review", MIDDLE_RIGHT, "faint")
            return
        self.write(
            painter,
            box,
            f"{percent(row.share.rate)} of {written(row.share.tests, 'count')}",
            MIDDLE_RIGHT,
            role,
        )
        verdict = row.share.against(self._target)
        colour = self.theme.colour(INK[verdict])
        low, high = row.share.interval
        painter.setPen(QPen(colour, 2.2 if not row.indented else 1.4))
        painter.drawLine(QPointF(max(plot.left(), axis.x(low)), middle), QPointF(axis.x(high), middle))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        x = axis.x(row.share.rate)
        if verdict == "on":
            painter.drawEllipse(QPointF(x, middle), DOT, DOT)
        else:
            painter.drawPolygon(_triangle(-1 if verdict == "below" else 1, x, middle))

    def _plot(self) -> QRectF:
        names = max((self.metrics.horizontalAdvance(row.name) + 34 for row in self._rows), default=0)
        left = min(names, self.width() * 0.42)
        right = self.metrics.horizontalAdvance("100.0 % of 10,000") + 18
        return QRectF(left, HEAD, self.width() - left - right, self.height() - HEAD - FOOT)

    def _lowest(self) -> float:
        """Return where the axis begins: the lowest observed share or target, with room, in steps of a tenth."""
        seen = [row.share.rate for row in self._rows if row.share.rate is not None]
        lowest = min([*seen, self._target])
        return max(0.0, floor((lowest - 0.05) * 10) / 10)


def _triangle(way: int, x: float, y: float) -> QPolygonF:
    """Return a triangle that points to the left (-1) or to the right (1)."""
    back = x - way * DOT
    return QPolygonF(
        [QPointF(x + way * DOT * 1.3, y), QPointF(back, y - DOT * 1.2), QPointF(back, y + DOT * 1.2)]
    )
