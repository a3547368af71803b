"""The plots' twin: every series as a table, a row a step. Rows are put into words when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import nan

from ladder_engine.lab.series import Series
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.plots import PLOTS, figure
from ladder_desktop.live.step_table import StepTable
from ladder_desktop.live.text_table import Column
from ladder_desktop.theme import Theme

CURVES = [(plot, curve) for plot in PLOTS for curve in plot.curves]


def columns(names: Sequence[str]) -> list[Column]:
    """The step, and for each curve a column, or one for each run where there are two."""
    heads = [
        Column(f"{plot.title}\n{curve.label}" + (f", {plot.unit}" if plot.unit else "") + f"\n{name}" * bool(name),
               plot.hint, 64)
        for plot, curve in CURVES
        for name in names
    ]  # fmt: skip
    return [Column("Step", "The step", 64), *heads]


def series_row(runs: Sequence[Series], index: int) -> tuple[str, ...]:
    """A step of each run in words."""
    values = [
        figure(plot, float(series.column(curve.column)[index]) if index < len(series) else nan)
        for plot, curve in CURVES
        for series in runs
    ]
    return (str(index + 1), *values)


class SeriesTable(StepTable):
    """What the plots draw, of one run or of two."""

    def __init__(self, theme: Theme, runs: int = 1, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Plots as a table", columns([""] if runs == 1 else ["left", "right"]), parent)
        self._runs: list[Series] = []

    def name_runs(self, names: Sequence[str]) -> None:
        """Say in the heads which run is which."""
        self.table.rename({place: column.name for place, column in enumerate(columns(names))})

    def show_series(self, runs: Sequence[Series], position: int) -> None:
        """Show what there is of each run, and the row of the step at the playhead."""
        if self._runs != list(runs):
            self._runs = list(runs)
        self.show_steps(self._runs, partial(series_row, self._runs), max(map(len, runs)), position)
