"""A reading drawn: a share as a bar with its fill, two numbers as a tick and a dot on one scale from zero."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ladder_desktop.review.gauge import Gauge, Mark, Share
from ladder_desktop.theme import Theme

BAR = 8.0
SCALE = 16.0  # the height of the part with the marks
DOT = 4.5
LEAST = 2.0  # a share above none is seen
GAP = 8.0


class GaugeView(QWidget):
    """Draws one gauge; to a screen reader it is the text it was read from."""

    def __init__(self, drawn: Gauge, text: str, theme: Theme) -> None:
        super().__init__()
        self._gauge = drawn
        self._theme = theme
        self._small = QFont(self.font())
        self._small.setPointSizeF(self._small.pointSizeF() * 0.9)
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        words = QFontMetricsF(self._small).height()
        self.setFixedHeight(round(BAR if isinstance(drawn, Share) else SCALE + words))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw it over the whole width."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(self._gauge, Share):
            self._paint_share(painter, self._gauge.part)
        else:
            self._paint_marks(painter, self._gauge.first, self._gauge.second, self._gauge.end)

    def _paint_share(self, painter: QPainter, part: float) -> None:
        whole = QRectF(0.5, 0.5, self.width() - 1, BAR - 1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("accent"))
        if part > 0:
            painter.drawRect(QRectF(0.5, 0.5, max(LEAST, whole.width() * part), BAR - 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._theme.colour("muted"))
        painter.drawRect(whole)

    def _paint_marks(self, painter: QPainter, first: Mark, second: Mark, end: float) -> None:
        left, right, middle = DOT + 1, self.width() - DOT - 1, SCALE / 2
        places = [left + (right - left) * mark.value / end for mark in (first, second)]
        painter.setPen(QPen(self._theme.colour("line"), 2))
        painter.drawLine(QPointF(left, middle), QPointF(right, middle))
        painter.drawLine(QPointF(left, middle - 3), QPointF(left, middle + 3))
        painter.setPen(QPen(self._theme.colour("text"), 2))
        painter.drawLine(QPointF(places[0], 1), QPointF(places[0], SCALE - 1))
        painter.setPen(QPen(self._theme.colour("sunken"), 1))
        painter.setBrush(self._theme.colour("accent"))
        painter.drawEllipse(QPointF(places[1], middle), DOT, DOT)
        self._paint_labels(painter, [(places[0], first.label), (places[1], second.label)])

    def _paint_labels(self, painter: QPainter, labels: list[tuple[float, str]]) -> None:
        metrics = QFontMetricsF(self._small)
        painter.setFont(self._small)
        painter.setPen(self._theme.colour("muted"))
        named = sorted((place, label) for place, label in labels if label)
        spans = spread(
            [place for place, _ in named], [metrics.horizontalAdvance(n) for _, n in named], self.width()
        )
        for start, (_, label) in zip(spans, named, strict=True):
            painter.drawText(QPointF(start, SCALE + metrics.ascent()), label)


def spread(places: list[float], widths: list[float], room: float) -> list[float]:
    """Return where one or two labels begin, in order: under their places, apart from each other and inside the room."""
    starts = [min(max(0.0, at - wide / 2), room - wide) for at, wide in zip(places, widths, strict=True)]
    if len(starts) == 2 and starts[0] + widths[0] + GAP > starts[1]:
        both = widths[0] + GAP + widths[1]
        starts[0] = min(max(0.0, (places[0] + places[1] - both) / 2), room - both)
        starts[1] = starts[0] + widths[0] + GAP
    return starts
