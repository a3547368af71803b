"""The dashboard of a ticket: its metrics as tiles, as the person on call sees them."""

from __future__ import annotations

from collections.abc import Sequence

from ladder_content.model import Metric
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

COLUMNS = 2


class Reading(QFrame):
    """One tile: a name and a value."""

    def __init__(self, metric: Metric) -> None:
        super().__init__()
        self.setObjectName("tile")
        name = QLabel(metric.name)
        name.setObjectName("caption")
        value = QLabel(metric.value.replace("/", "/\N{WORD JOINER}"))  # a unit stays in one piece
        value.setObjectName("reading")
        rows = QVBoxLayout(self)
        rows.setContentsMargins(14, 10, 14, 10)
        rows.setSpacing(2)
        for label in (name, value):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            rows.addWidget(label)
        rows.addStretch()  # beside a higher tile
        self.setAccessibleName(f"{metric.name}: {metric.value}")


class Readings(QWidget):
    """The tiles in two columns."""

    def __init__(self) -> None:
        super().__init__()
        self._tiles: list[Reading] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(8)
        for column in range(COLUMNS):
            self._grid.setColumnStretch(column, 1)

    def show_metrics(self, metrics: Sequence[Metric]) -> None:
        """Show these metrics in place of any others."""
        for tile in self._tiles:
            self._grid.removeWidget(tile)
            tile.hide()
            tile.deleteLater()
        self._tiles = [Reading(metric) for metric in metrics]
        for position, tile in enumerate(self._tiles):
            lonely = position == len(metrics) - 1 and position % COLUMNS == 0
            self._grid.addWidget(tile, position // COLUMNS, position % COLUMNS, 1, COLUMNS if lonely else 1)
