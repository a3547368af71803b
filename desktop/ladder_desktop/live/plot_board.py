"""All plots of a run, or of two, each under its name and its figures at the playhead; or the same as a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import nan
from typing import TYPE_CHECKING, Protocol

from ladder_engine.lab.series import WINDOW, Series, Slo
from ladder_engine.tracing.state import RunState
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QScrollArea,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.flow import Flow
from ladder_desktop.live.labels import Elided
from ladder_desktop.live.plot_cell import Cell
from ladder_desktop.live.plots import PLOTS, SAMPLES, Curve, Plot, figure, round_up
from ladder_desktop.live.series_table import SeriesTable
from ladder_desktop.live.words import steady_font
from ladder_desktop.theme import Theme

if TYPE_CHECKING:
    from ladder_desktop.live.step_plot import StepPlot

WIDTH, HEIGHT = 360, 110  # the least of a plot, in logical pixels
LEAST_STEPS = 10
A_FRAME = 2  # plots that are drawn in one frame; all of them would take too long
FRAME_MS = 16


RING = "○"  # what the curves of a second run carry


class Plotted(Protocol):
    """A run as the plots see it: its numbers, and where its playhead stands."""

    series: Series
    position: int

    @property
    def last(self) -> int:
        """Its last step."""

    @property
    def edge(self) -> RunState:
        """The state at its end, or as far as it is."""


class PlotBoard(QWidget):
    """Emits `sought` (a step) and `described` (a sentence on the step under the mouse). Plots are made when first shown."""

    sought = Signal(int)
    described = Signal(str)

    def __init__(self, theme: Theme, runs: Sequence[Plotted], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.runs = tuple(runs)
        self.names = QLabel(self)
        self.plots: list[StepPlot] = []
        self.figures: list[QLabel] = []
        self._cells: list[Cell] = []
        self._zoom: tuple[int, int] | None = None
        self._stale: list[
            int
        ] = []  # places of plots that show what was, the one that has waited longest first
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(FRAME_MS)
        self._soon.timeout.connect(self._draw)
        self.table = SeriesTable(theme, len(self.runs))
        self.table.sought.connect(self.sought)
        slo = self.runs[0].series.slo
        self.ttft = _limit("Longest TTFT that is good, in ms", slo.ttft)
        self.tpot = _limit("Longest mean time per later token that is good, in ms", slo.tpot)
        self._grid = QGridLayout()
        self.views = QStackedWidget()
        self._lay_out()
        for box in (self.ttft, self.tpot):
            box.valueChanged.connect(self._judge)

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last step on the axes."""
        return self._zoom or (1, self._whole)

    @property
    def _whole(self) -> int:
        return max(LEAST_STEPS, int(round_up(max(run.last for run in self.runs))))

    def take(self, runs: Sequence[Plotted], names: Sequence[str]) -> None:
        """Plot other runs, as many as before."""
        self.runs = tuple(runs)
        self._zoom = None
        self.names.setText(f"━ {names[0]}, ━{RING}━ {names[1]}")
        self.table.name_runs(names)

    def refresh(self) -> None:
        """Draw the runs and their playheads; only what has changed is drawn anew."""
        if not self.isVisible():
            return
        if self.table.isVisible():
            self.whole_table()
            return
        self._stale += [place for place in range(len(self.plots)) if place not in self._stale]
        self._draw()

    def _draw(self) -> None:
        """Draw those plots that have waited longest; the others in the frames that follow, whether or not anything moves."""
        positions = [run.position for run in self.runs]
        configs = [run.edge.config for run in self.runs if run.edge.config is not None]
        for place in self._stale[:A_FRAME]:
            plot, figures = self.plots[place], self.figures[place]
            known_top = max(map(plot.plot.top, configs)) if plot.plot.top and configs else None
            plot.show_series([run.series for run in self.runs], self.span, known_top)
            plot.show_positions(positions)
            figures.setText(self._words(plot.plot, positions))
        del self._stale[:A_FRAME]
        if self._stale:
            self._soon.start()

    def follow(self) -> None:
        """Draw the whole run again."""
        self._zoom = None
        self.refresh()

    def keep_up(self) -> None:
        """Where only some steps are drawn, draw those around the playhead if it is not among them."""
        if self._zoom is None:
            return
        (first, last), at = self._zoom, max(run.position for run in self.runs)
        if not first <= at <= last:
            wide = last - first + 1
            begin = min(max(1, at - wide // 2), max(1, self._whole - wide + 1))
            self._zoom = (begin, begin + wide - 1)

    def turn_table(self) -> None:
        """Show the table instead of the plots, or the other way round."""
        self.views.setCurrentIndex(1 - self.views.currentIndex())
        self.refresh()
        (self.table if self.table.isVisible() else self.plots[0]).setFocus()

    def whole_table(self) -> SeriesTable:
        """The table as far as the run is."""
        self.table.show_series([run.series for run in self.runs], max(run.position for run in self.runs))
        return self.table

    def zoom(self, step: int, notches: float) -> None:
        """Draw fewer steps (more, with negative notches) around one."""
        first, last = self.span
        whole = self._whole
        wide = round(min(max((last - first + 1) * 0.7**notches, LEAST_STEPS), whole))
        begin = round(step - (step - first) / max(1, last - first) * (wide - 1))
        begin = min(max(begin, 1), whole - wide + 1)
        self._zoom = None if wide == whole else (begin, begin + wide - 1)
        self.refresh()

    def _step(self, steps: int) -> None:
        self.sought.emit(max(run.position for run in self.runs) + steps)

    def _words(self, plot: Plot, steps: Sequence[int]) -> str:
        """The figures of a plot at a step of each run, each after a sample of its line."""
        values = [self._values(plot, curve, steps) for curve in plot.curves]
        return "&nbsp; ".join(
            f"{self._sample(curve, 0, SAMPLES[curve.line])} {escape(curve.label)}&nbsp;<b>{here}</b>"
            + "".join(f"&nbsp;{self._sample(curve, 1, RING)}<b>{value}</b>" for value in there)
            for curve, (here, *there) in zip(plot.curves, values, strict=True)
        )

    def _sample(self, curve: Curve, run: int, shape: str) -> str:
        from ladder_desktop.live.step_plot import ink

        return f"<span style='color:{ink(self.theme, curve.role, run).name()}'>{shape}</span>"

    def _point(self, step: int | None) -> None:
        """Say what stands at the step under the mouse."""
        at = self.sender()
        plot = next((plot.plot for plot in self.plots if plot is at), None)
        if step is None or plot is None or step > max(len(run.series) for run in self.runs):
            self.described.emit("")
            return
        steps = [step] * len(self.runs)
        values = ", ".join(
            f"{curve.label} {' and '.join(self._values(plot, curve, steps))}" for curve in plot.curves
        )
        self.described.emit(f"Step {step}, {plot.title}: {values} {plot.unit}".rstrip())

    def _values(self, plot: Plot, curve: Curve, steps: Sequence[int]) -> list[str]:
        """What was measured at a step of each run, in words."""
        columns = [run.series.column(curve.column) for run in self.runs]
        return [
            figure(plot, float(column[step - 1]) if 0 < step <= len(column) else nan)
            for column, step in zip(columns, steps, strict=True)
        ]

    def _judge(self) -> None:
        for run in self.runs:
            run.series.judge(Slo(self.ttft.value() / 1000, self.tpot.value() / 1000))
        self.refresh()

    def _lay_out(self) -> None:
        head = Flow(spacing=8)
        two = len(self.runs) > 1
        name = QLabel("<b>Plots of both runs</b>" if two else "<b>Plots of the run</b>")
        self.names.setTextFormat(Qt.TextFormat.PlainText)
        about = Elided(f"shares, rates and percentiles over the last {WINDOW} steps")
        about.setProperty("role", "muted")
        head.addWidget(name)
        if two:
            head.addWidget(self.names)
        else:
            self.names.hide()
        head.grow(about, about.fontMetrics().averageCharWidth() * 24)
        for words, box in (("SLO: TTFT ≤", self.ttft), ("time per token ≤", self.tpot)):
            head.keep_together(QLabel(words), box)
        content, area = QWidget(), QScrollArea()
        content.setLayout(self._grid)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(18)
        self._grid.setVerticalSpacing(6)
        area.setObjectName("plain")
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.views.addWidget(area)
        self.views.addWidget(self.table)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addWidget(self.views, 1)

    def _make_plots(self) -> None:
        from ladder_desktop.live.step_plot import StepPlot

        for plot in PLOTS:
            drawn, figures = StepPlot(plot, self.theme, len(self.runs)), QLabel()
            drawn.setMinimumHeight(round(HEIGHT * self.theme.scale))
            drawn.setToolTip(plot.hint)
            drawn.sought.connect(self.sought)
            drawn.stepped.connect(self._step)
            drawn.zoomed.connect(self.zoom)
            drawn.pointed.connect(self._point)
            small = steady_font(self.font())
            small.setPointSizeF(small.pointSizeF() * 0.86)
            figures.setFont(small)
            figures.setTextFormat(Qt.TextFormat.RichText)
            title = QLabel(f"<b>{escape(plot.title)}</b>" + f" {plot.unit}" * bool(plot.unit))
            self.plots.append(drawn)
            self.figures.append(figures)
            more = f" {RING}00000.0" * (len(self.runs) - 1)
            sample = " ".join(f"━ {curve.label} 00000.0{more}" for curve in plot.curves)
            needed = title.sizeHint().width() + figures.fontMetrics().horizontalAdvance(sample)
            self._cells.append(Cell(title, figures, drawn, needed))
        self._arrange()

    def _arrange(self) -> None:
        """Put as many plots beside each other as there is room for."""
        columns = min(3, max(1, self.width() // round(WIDTH * self.theme.scale)))
        for place, cell in enumerate(self._cells):
            self._grid.addWidget(cell, *divmod(place, columns))
            cell.show()  # at once, so that the room it needs counts from the first picture on
        for column in range(3):
            self._grid.setColumnStretch(column, column < columns)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: make the plots, the first time, and draw what has happened since."""
        super().showEvent(event)
        if not self.plots:
            self._make_plots()
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: more or fewer plots beside each other."""
        super().resizeEvent(event)
        self._arrange()
        self.refresh()


def _limit(name: str, seconds: float) -> QSpinBox:
    box = QSpinBox()
    box.setRange(1, 600_000)
    box.setSuffix(" ms")
    box.setValue(round(1000 * seconds))
    box.setKeyboardTracking(False)
    box.setFixedWidth(box.fontMetrics().horizontalAdvance("600000 ms") + 30)
    box.setAccessibleName(name)
    box.lineEdit().setAccessibleName(name)
    box.setToolTip(name)
    return box
