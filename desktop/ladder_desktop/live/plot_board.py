"""All plots of a run on one clock, each under its name and its figures at the playhead; or the same as a table."""

from __future__ import annotations

from html import escape
from math import nan
from typing import TYPE_CHECKING

from ladder_engine.lab.series import WINDOW, Slo
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.flow import Flow
from ladder_desktop.live.labels import Elided
from ladder_desktop.live.player import Player
from ladder_desktop.live.plots import PLOTS, SAMPLES, Plot, figure, round_up
from ladder_desktop.live.series_table import SeriesTable
from ladder_desktop.live.words import steady_font
from ladder_desktop.theme import Theme

if TYPE_CHECKING:
    from ladder_desktop.live.step_plot import StepPlot

WIDTH, HEIGHT = 360, 110  # the least of a plot, in logical pixels
LEAST_STEPS = 10
A_FRAME = 2  # plots that are drawn in one frame; all of them would take too long
FRAME_MS = 16


class PlotBoard(QWidget):
    """Emits `sought` (a step) and `described` (a sentence on the step under the mouse). Plots are made when first shown."""

    sought = Signal(int)
    described = Signal(str)

    def __init__(self, theme: Theme, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.player = player
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
        self.table = SeriesTable(theme)
        self.table.sought.connect(self.sought)
        self.ttft = _limit("Longest TTFT that is good, in ms", player.series.slo.ttft)
        self.tpot = _limit("Longest mean time per later token that is good, in ms", player.series.slo.tpot)
        self._grid = QGridLayout()
        self.views = QStackedWidget()
        self._lay_out()
        for box in (self.ttft, self.tpot):
            box.valueChanged.connect(self._judge)

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last step on the axes."""
        return self._zoom or (1, max(LEAST_STEPS, int(round_up(self.player.last))))

    def refresh(self) -> None:
        """Draw the player's run and playhead; only what has changed is drawn anew."""
        if not self.isVisible():
            return
        if self.table.isVisible():
            self.whole_table()
            return
        self._stale += [place for place in range(len(self.plots)) if place not in self._stale]
        self._draw()

    def _draw(self) -> None:
        """Draw those plots that have waited longest; the others in the frames that follow, whether or not anything moves."""
        position, config = self.player.position, self.player.edge.config
        for place in self._stale[:A_FRAME]:
            plot, figures = self.plots[place], self.figures[place]
            known_top = plot.plot.top(config) if plot.plot.top and config else None
            plot.show_series(self.player.series, self.span, known_top)
            plot.show_position(position)
            figures.setText(self._words(plot.plot, position))
        del self._stale[:A_FRAME]
        if self._stale:
            self._soon.start()

    def follow(self) -> None:
        """Draw the whole run again."""
        self._zoom = None
        self.refresh()

    def turn_table(self) -> None:
        """Show the table instead of the plots, or the other way round."""
        self.views.setCurrentIndex(1 - self.views.currentIndex())
        self.refresh()
        (self.table if self.table.isVisible() else self.plots[0]).setFocus()

    def whole_table(self) -> SeriesTable:
        """The table as far as the run is."""
        self.table.show_series(self.player.series, self.player.position)
        return self.table

    def zoom(self, step: int, notches: float) -> None:
        """Draw fewer steps (more, with negative notches) around one."""
        first, last = self.span
        whole = max(LEAST_STEPS, int(round_up(self.player.last)))
        wide = round(min(max((last - first + 1) * 0.7**notches, LEAST_STEPS), whole))
        begin = round(step - (step - first) / max(1, last - first) * (wide - 1))
        begin = min(max(begin, 1), whole - wide + 1)
        self._zoom = None if wide == whole else (begin, begin + wide - 1)
        self.refresh()

    def _step(self, steps: int) -> None:
        self.sought.emit(self.player.position + steps)

    def _words(self, plot: Plot, position: int) -> str:
        """The figures of a plot at a step, each after a sample of its line."""
        values = self._values(plot, position)
        return "&nbsp; ".join(
            f"<span style='color:{self.theme.hex(curve.role)}'>{SAMPLES[curve.line]}</span> "
            f"{escape(curve.label)}&nbsp;<b>{value}</b>"
            for curve, value in zip(plot.curves, values, strict=True)
        )

    def _point(self, step: int | None) -> None:
        """Say what stands at the step under the mouse."""
        at = self.sender()
        plot = next((plot.plot for plot in self.plots if plot is at), None)
        if step is None or plot is None or step > len(self.player.series):
            self.described.emit("")
            return
        named = zip(plot.curves, self._values(plot, step), strict=True)
        values = ", ".join(f"{curve.label} {value}" for curve, value in named)
        self.described.emit(f"Step {step}, {plot.title}: {values} {plot.unit}".rstrip())

    def _values(self, plot: Plot, step: int) -> list[str]:
        """What a plot measured at a step, in words."""
        columns = [self.player.series.column(curve.column) for curve in plot.curves]
        inside = 0 < step <= len(self.player.series)
        return [figure(plot, float(column[step - 1]) if inside else nan) for column in columns]

    def _judge(self) -> None:
        self.player.series.judge(Slo(self.ttft.value() / 1000, self.tpot.value() / 1000))
        self.refresh()

    def _lay_out(self) -> None:
        head = Flow(spacing=8)
        name = QLabel("<b>Plots of the run</b>")
        about = Elided(f"shares, rates and percentiles over the last {WINDOW} steps")
        about.setProperty("role", "muted")
        head.addWidget(name)
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
            drawn, figures = StepPlot(plot, self.theme), QLabel()
            drawn.setMinimumHeight(HEIGHT)
            drawn.setToolTip(plot.hint)
            drawn.sought.connect(self.sought)
            drawn.stepped.connect(self._step)
            drawn.zoomed.connect(self.zoom)
            drawn.pointed.connect(self._point)
            small = steady_font(self.font())
            small.setPointSizeF(small.pointSizeF() * 0.86)
            figures.setFont(small)
            figures.setMinimumWidth(1)
            figures.setTextFormat(Qt.TextFormat.RichText)
            title = QLabel(f"<b>{escape(plot.title)}</b>" + f" {plot.unit}" * bool(plot.unit))
            self.plots.append(drawn)
            self.figures.append(figures)
            sample = " ".join(f"━ {curve.label} 00000.0" for curve in plot.curves)
            needed = title.sizeHint().width() + figures.fontMetrics().horizontalAdvance(sample)
            self._cells.append(Cell(title, figures, drawn, needed))
        self._arrange()

    def _arrange(self) -> None:
        """Put as many plots beside each other as there is room for."""
        columns = min(3, max(1, self.width() // round(WIDTH * self.theme.scale)))
        for place, cell in enumerate(self._cells):
            self._grid.addWidget(cell, *divmod(place, columns))
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


class Cell(QWidget):
    """A plot under its title and its figures, which stand beneath each other where `needed` pixels are not there."""

    def __init__(self, title: QLabel, figures: QLabel, plot: QWidget, needed: int) -> None:
        super().__init__()
        self._needed = needed
        self._head = QHBoxLayout()
        self._head.setSpacing(2)
        self._head.addWidget(title)
        self._head.addStretch(1)
        self._head.addWidget(figures)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self._head)
        column.addWidget(plot, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: see the class."""
        super().resizeEvent(event)
        beside = self.width() >= self._needed
        self._head.setDirection(
            QHBoxLayout.Direction.LeftToRight if beside else QHBoxLayout.Direction.TopToBottom
        )
