"""The points a good answer makes, to tick off one by one: an aid to honest grading."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.review.prose import PackText, Prose
from ladder_desktop.review.tick import Tick
from ladder_desktop.theme import Theme


class KeyPoint(QWidget):
    """One point: its box and its text. A click on the text ticks the box."""

    def __init__(self, point: str, text: PackText, theme: Theme) -> None:
        super().__init__()
        self.tick = Tick(point, theme)
        prose = Prose(text)
        prose.set_line(point)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self.tick, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(prose, 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Tick or untick."""
        self.tick.toggle()
        event.accept()


class KeyPoints(QWidget):
    """The list of points with a count of those ticked."""

    def __init__(self, text: PackText, theme: Theme) -> None:
        super().__init__()
        self._text = text
        self._theme = theme
        self._points: list[KeyPoint] = []
        self._caption = QLabel()
        self._caption.setObjectName("overline")
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(8)
        self._rows.addWidget(self._caption)

    def show_points(self, points: Sequence[str]) -> None:
        """Show these points, none ticked."""
        for old in self._points:
            self._rows.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._points = [KeyPoint(point, self._text, self._theme) for point in points]
        for point in self._points:
            self._rows.addWidget(point)
            point.tick.toggled.connect(self._count)
        self._count()
        self.setVisible(bool(points))

    @property
    def ticks(self) -> tuple[QCheckBox, ...]:
        """The boxes, in the order of the points."""
        return tuple(point.tick for point in self._points)

    @property
    def ticked(self) -> list[int]:
        """The positions of the ticked points."""
        return [position for position, tick in enumerate(self.ticks) if tick.isChecked()]

    def _count(self) -> None:
        self._caption.setText(f"KEY POINTS  ·  {len(self.ticked)} of {len(self._points)} said")
