"""The plots' twin: every series as a table, a row a step. Rows are put into words when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from ladder_engine.series import Series
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.plots import PLOTS, figure
from ladder_desktop.live.text_table import Column, TextTable
from ladder_desktop.theme import Theme

CURVES = [(plot, curve) for plot in PLOTS for curve in plot.curves]
COLUMNS = (
    Column("Step", "The step", 64),
    *(
        Column(f"{plot.title}\n{curve.label}" + (f", {plot.unit}" if plot.unit else ""), plot.hint, 64)
        for plot, curve in CURVES
    ),
)


class SeriesRows(Sequence[tuple[str, ...]]):
    """The first `count` steps of a series, in words."""

    def __init__(self, series: Series, count: int) -> None:
        self._columns = [(plot, series.column(curve.column)) for plot, curve in CURVES]
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, ...]]: ...
    def __getitem__(self, index: int | slice) -> tuple[str, ...] | list[tuple[str, ...]]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._count))]
        at = range(self._count)[index]
        return (str(at + 1), *(figure(plot, float(column[at])) for plot, column in self._columns))


class SeriesTable(TextTable):
    """Emits `sought` with a step when a person picks its row."""

    sought = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Plots as a table", COLUMNS, parent)
        self._shown: Series | None = None
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        metrics, header = self.horizontalHeader().fontMetrics(), self.horizontalHeader()
        for section, column in enumerate(COLUMNS):
            widest = max(metrics.horizontalAdvance(line) for line in column.name.splitlines())
            header.resizeSection(section, max(column.width, widest + 16))
        self.picked.connect(self._pick)

    def show_series(self, series: Series, position: int) -> None:
        """Show what there is of a series, and the row of the step at the playhead."""
        fresh = series is not self._shown or len(series) < len(self.table.rows)
        if fresh or len(series) > len(self.table.rows):
            self.table.grow(SeriesRows(series, len(series)), fresh)
            self._shown = series
        self.light(position - 1 if position else None)
        self.scrollTo(self.table.index(max(0, position - 1), self.columnAt(0)))

    def _pick(self, row: int) -> None:
        self.sought.emit(row + 1)
