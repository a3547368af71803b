"""The dashboard of a ticket: its metrics as tiles, as the person on call sees them, drawn where a picture helps."""

from __future__ import annotations

from collections.abc import Sequence

from ladder_content.model import Metric
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.review.gauge import gauge
from ladder_desktop.review.gauge_view import GaugeView
from ladder_desktop.theme import Theme

COLUMNS = 2


class Reading(QFrame):
    """One tile: a name, a value and, where a picture helps, the value on its scale."""

    def __init__(self, metric: Metric, theme: Theme) -> None:
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
        if (drawn := gauge(metric)) is not None:
            rows.addSpacing(4)
            rows.addWidget(GaugeView(drawn, f"{metric.name}: {metric.value}", theme))
        rows.addStretch()  # beside a higher tile
        self._spoken = f"{metric.name}: {metric.value}"
        self._name, self._called = name, metric.name
        self.mark(None)

    def mark(self, step: int | None) -> None:
        """Mark the reading as the one that decides a step, given by its number from 1; as one of all with None."""
        self._name.setText(f"◆ decides step {step}: {self._called}" if step else self._called)
        for widget in (self, self._name):
            widget.setProperty("marked", "true" if step else "false")
            widget.style().unpolish(widget)
            widget.style().polish(widget)
        self.setAccessibleName(f"{self._spoken}, decides step {step}" if step else self._spoken)


class Readings(QWidget):
    """The tiles in two columns."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._tiles: list[Reading] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(8)
        for column in range(COLUMNS):
            self._grid.setColumnStretch(column, 1)

    def mark(self, decisive: tuple[int, int] | None) -> None:
        """Mark the reading that decides a step: the number of the step and the place of the reading; none with None."""
        for position, tile in enumerate(self._tiles):
            tile.mark(decisive[0] if decisive and decisive[1] == position else None)

    def show_metrics(self, metrics: Sequence[Metric]) -> None:
        """Show these metrics in place of any others."""
        for tile in self._tiles:
            self._grid.removeWidget(tile)
            tile.hide()
            tile.deleteLater()
        self._tiles = [Reading(metric, self._theme) for metric in metrics]
        for position, tile in enumerate(self._tiles):
            lonely = position == len(metrics) - 1 and position % COLUMNS == 0
            self._grid.addWidget(tile, position // COLUMNS, position % COLUMNS, 1, COLUMNS if lonely else 1)
