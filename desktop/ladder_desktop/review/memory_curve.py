"""The memory curve of a card, painted: the chance of recall over time, with each review as a dot."""

from __future__ import annotations

from datetime import datetime, tzinfo

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from ladder_desktop.study import Rating
from ladder_desktop.study.curve import Curve, Dot
from ladder_desktop.theme import Theme

RIGHT, TOP, AIR = 16, 12, 10
STEPS = 60  # points of a stretch
ROLES = {Rating.AGAIN: "bad", Rating.HARD: "warn", Rating.GOOD: "good", Rating.EASY: "accent"}


class MemoryCurve(QWidget):
    """Draws a Curve up to its end; `now` splits what has been from what is to come."""

    def __init__(self, curve: Curve, now: int, retention: float, zone: tzinfo, theme: Theme) -> None:
        super().__init__()
        self._curve = curve
        self._now = now
        self._retention = retention
        self._zone = zone
        self._theme = theme
        self.setMinimumHeight(200)
        self.setAccessibleName("Memory curve")
        self.setAccessibleDescription(
            "The chance of recall over time; the table below says the same in numbers."
        )

    def sizeHint(self) -> QSize:
        """Qt: wide and low."""
        return QSize(620, 220)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw axes, the wanted retention, the curve and its dots."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_axes(painter)
        for stretch in self._curve.stretches:
            span = max(1, stretch.end - stretch.start)
            times = [stretch.start + span * step // STEPS for step in range(STEPS + 1)]
            for future in (False, True):
                part = [at for at in times if (at >= self._now) == future or at == self._now]
                pen = QPen(self._theme.colour("faint" if future else "accent"), 2)
                pen.setStyle(Qt.PenStyle.DashLine if future else Qt.PenStyle.SolidLine)
                painter.setPen(pen)
                painter.drawPolyline(QPolygonF([self._place(at, stretch.chance(at)) for at in part]))
        for dot in self._curve.dots:
            self._draw_dot(painter, dot)

    def _draw_axes(self, painter: QPainter) -> None:
        area = self._area()
        for chance in (0.0, 0.5, 1.0):
            y = area.bottom() - chance * area.height()
            painter.setPen(self._theme.colour("line"))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(self._theme.colour("muted"))
            label = QRectF(0, y - 20, self._left - AIR, 40)
            painter.drawText(
                label, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{chance:.0%}"
            )
        pen = QPen(self._theme.colour("muted"), 1, Qt.PenStyle.DotLine)
        painter.setPen(pen)
        y = area.bottom() - self._retention * area.height()
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        below = QRectF(area.left(), area.bottom() + 4, area.width(), self._bottom - 4)
        first, last = self._span()
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, self._date(first))
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, self._date(last))
        x = self._place(self._now, 0).x()
        if area.left() + 90 < x < area.right() - 90:
            painter.drawText(
                QRectF(x - 40, below.top(), 80, below.height()), Qt.AlignmentFlag.AlignHCenter, "now"
            )

    def _draw_dot(self, painter: QPainter, dot: Dot) -> None:
        """Draw a review: a cross for Again, a triangle for Hard, a disc for Good, a square for Easy."""
        place = self._place(dot.at, 1.0 if dot.chance is None else dot.chance)
        colour = self._theme.colour(ROLES[dot.rating])
        painter.setPen(QPen(colour, 2))
        painter.setBrush(colour)
        x, y = place.x(), place.y()
        if dot.rating is Rating.AGAIN:
            painter.drawLine(QPointF(x - 4, y - 4), QPointF(x + 4, y + 4))
            painter.drawLine(QPointF(x - 4, y + 4), QPointF(x + 4, y - 4))
        elif dot.rating is Rating.HARD:
            painter.drawPolygon(QPolygonF([QPointF(x, y - 5), QPointF(x + 5, y + 4), QPointF(x - 5, y + 4)]))
        elif dot.rating is Rating.GOOD:
            painter.drawEllipse(place, 4, 4)
        else:
            painter.drawRect(QRectF(x - 4, y - 4, 8, 8))

    @property
    def _left(self) -> int:
        return self.fontMetrics().horizontalAdvance("100%") + AIR

    @property
    def _bottom(self) -> int:
        return self.fontMetrics().height() + AIR

    def _area(self) -> QRectF:
        return QRectF(self._left, TOP, self.width() - self._left - RIGHT, self.height() - TOP - self._bottom)

    def _span(self) -> tuple[int, int]:
        stretches = self._curve.stretches
        if not stretches:
            return self._now, self._now + 1
        first = min(stretch.start for stretch in stretches)
        return first, max(max(stretch.end for stretch in stretches), first + 1)

    def _place(self, at: int, chance: float) -> QPointF:
        first, last = self._span()
        area = self._area()
        share = (at - first) / (last - first)
        return QPointF(area.left() + share * area.width(), area.bottom() - chance * area.height())

    def _date(self, at: int) -> str:
        moment = datetime.fromtimestamp(at / 1000, self._zone)
        return f"{moment.day} {moment:%b %Y}"
