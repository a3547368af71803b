"""The exhibits in a grid, side by side where there is room, else one below the other."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from .exhibit import Exhibit

COLUMNS = 6
NARROWEST = 100  # letters across the wall below which nothing stands side by side


class Wall(QWidget):
    """Each exhibit comes with its row, its first column and how many of the six it takes."""

    def __init__(self, places: Iterable[tuple[Exhibit, tuple[int, int, int]]]) -> None:
        super().__init__()
        self._places = list(places)
        self._wide: bool | None = None
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(16)
        for column in range(COLUMNS):
            self._grid.setColumnStretch(column, 1)
        self.setMinimumWidth(1)
        self._hang(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hang them as the room allows."""
        super().resizeEvent(event)
        self._hang(event.size().width() >= NARROWEST * self.fontMetrics().averageCharWidth())

    def _hang(self, wide: bool) -> None:
        if wide == self._wide:
            return
        self._wide = wide
        for number, (exhibit, (row, column, columns)) in enumerate(self._places):
            place = (row, column, 1, columns) if wide else (number, 0, 1, COLUMNS)
            self._grid.addWidget(exhibit, *place)
