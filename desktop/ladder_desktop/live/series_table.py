"""The plots' twin: every series as a table, a row a step. Rows are put into words when they are looked at."""

from __future__ import annotations

from functools import partial

from ladder_engine.lab.series import Series
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.plots import PLOTS, figure
from ladder_desktop.live.step_table import StepTable
from ladder_desktop.live.text_table import Column
from ladder_desktop.theme import Theme

CURVES = [(plot, curve) for plot in PLOTS for curve in plot.curves]
COLUMNS = (
    Column("Step", "The step", 64),
    *(
        Column(f"{plot.title}\n{curve.label}" + (f", {plot.unit}" if plot.unit else ""), plot.hint, 64)
        for plot, curve in CURVES
    ),
)


def series_row(series: Series, index: int) -> tuple[str, ...]:
    """A step in words."""
    values = [figure(plot, float(series.column(curve.column)[index])) for plot, curve in CURVES]
    return (str(index + 1), *values)


class SeriesTable(StepTable):
    """What the plots draw."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Plots as a table", COLUMNS, parent)

    def show_series(self, series: Series, position: int) -> None:
        """Show what there is of a series, and the row of the step at the playhead."""
        self.show_steps(series, partial(series_row, series), len(series), position)
