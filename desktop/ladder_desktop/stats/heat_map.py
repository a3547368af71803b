"""A year of days: weeks from left to right, Monday to Sunday from top to bottom, darker for more answers."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from ladder_desktop.study.studyday import date_of_day
from ladder_desktop.theme import Theme

from .chart import Chart
from .contents import WEEKS

LEFT_MARGIN, HEAD, FOOT, GAP = 36.0, 18.0, 26.0, 3.0
SHADES = (0.0, 0.3, 0.5, 0.75, 1.0)
MIDDLE_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class HeatMap(Chart):
    """One square a study day, in five shades; today has a frame. Mark 0 is the first Monday shown."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self._counts: Mapping[int, int] = {}
        self._first = self._today = 0
        self._borders: tuple[int, ...] = (0, 0, 0)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_days(
        self, counts: Mapping[int, int], today: int, readings: Mapping[int, str], sentence: str
    ) -> None:
        """Draw the weeks up to `today`; `readings` speaks for the days that have a count."""
        monday = today - date_of_day(today).weekday()
        self._first, self._today, self._counts = monday - 7 * (WEEKS - 1), today, counts
        busy = sorted(count for day, count in counts.items() if self._first <= day <= today)
        self._borders = tuple(busy[len(busy) * share // 4] if busy else 0 for share in (1, 2, 3))
        days = range(self._first, today + 1)
        self.show_readings([readings[day] for day in days], sentence)

    def sizeHint(self) -> QSize:
        """Qt: as high as its width asks for."""
        return QSize(900, self.heightForWidth(900))

    def minimumSizeHint(self) -> QSize:
        """Qt: may become narrow."""
        return QSize(420, self.heightForWidth(420))

    def heightForWidth(self, width: int) -> int:
        """Qt: seven squares, the months above, the shades below."""
        return round(HEAD + 7 * self._pitch(width) + FOOT)

    def steps(self) -> dict[Qt.Key, int]:
        """Left and right move by a week, up and down by a day."""
        return {Qt.Key.Key_Left: -7, Qt.Key.Key_Right: 7, Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}

    def first_mark(self) -> int:
        """The cursor begins at today."""
        return self._today - self._first

    def mark_at(self, place: QPointF) -> int:
        """Return the day under a place."""
        pitch = self._pitch(self.width())
        column, row = (place.x() - LEFT_MARGIN) // pitch, (place.y() - HEAD) // pitch
        mark = int(column * 7 + row)
        return mark if 0 <= row < 7 and column >= 0 and mark < len(self.readings) else -1

    def shade(self, day: int) -> int:
        """Return 0 for nothing, 1 to 4 for more and more, by quarters of the days with answers."""
        count = self._counts.get(day, 0)
        return 0 if not count else 1 + sum(count > border for border in self._borders)

    def paint(self, painter: QPainter) -> None:
        """Paint months, weekdays, squares and shades."""
        pitch = self._pitch(self.width())
        for row, name in ((0, "Mon"), (2, "Wed"), (4, "Fri")):
            self.write(painter, QRectF(0, HEAD + row * pitch, LEFT_MARGIN, pitch - GAP), name, MIDDLE_LEFT)
        last_label = -1e9
        for week in range(WEEKS):
            day = date_of_day(self._first + 7 * week)
            x = LEFT_MARGIN + week * pitch
            if day.day <= 7 and x - last_label > 34:
                self.write(painter, QRectF(x, 0, 60, HEAD - 2), f"{day:%b}", MIDDLE_LEFT)
                last_label = x
        for mark in range(len(self.readings)):
            box = self._box(mark)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._shade_colour(self.shade(self._first + mark)))
            painter.drawRoundedRect(box, 2, 2)
            if mark == self.mark or self._first + mark == self._today:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(self.ink("text" if mark == self.mark else "muted"), 1.4))
                painter.drawRoundedRect(box.adjusted(-1, -1, 1, 1), 3, 3)
        self._paint_shades(painter, HEAD + 7 * pitch + 6)

    def _paint_shades(self, painter: QPainter, y: float) -> None:
        x = LEFT_MARGIN
        self.write(painter, QRectF(x, y, 34, 14), "less", MIDDLE_LEFT)
        for shade in range(len(SHADES)):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._shade_colour(shade))
            painter.drawRoundedRect(QRectF(x + 34 + shade * 16, y + 1, 12, 12), 2, 2)
        self.write(painter, QRectF(x + 38 + len(SHADES) * 16, y, 60, 14), "more", MIDDLE_LEFT)

    def _shade_colour(self, shade: int) -> QColor:
        return self.ink("kv_free") if not shade else self.ink("accent", SHADES[shade])

    def _pitch(self, width: int) -> float:
        return min(19.0, (width - LEFT_MARGIN - 4) / WEEKS)

    def _box(self, mark: int) -> QRectF:
        pitch = self._pitch(self.width())
        week, weekday = divmod(mark, 7)
        return QRectF(LEFT_MARGIN + week * pitch, HEAD + weekday * pitch, pitch - GAP, pitch - GAP)
