"""One plot over the steps of a run, or of two runs. The only file that imports pyqtgraph, which takes a while: import it late."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from ladder_engine.lab.series import Series
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.canvas import blend
from ladder_desktop.live.plots import Line, Plot, few, round_up
from ladder_desktop.live.words import steady_font
from ladder_desktop.theme import Theme

AXIS, FOOT, TEXT = (
    46,
    18,
    11,
)  # room for the numbers at the left, so that all plots begin at the same place, and below
LINES: dict[Line, Qt.PenStyle] = {
    "solid": Qt.PenStyle.SolidLine,
    "dashes": Qt.PenStyle.DashLine,
    "dots": Qt.PenStyle.DotLine,
}


RINGS = 14  # about so many on each curve of a second run
RING = 6  # pixels


def ink(theme: Theme, role: str, run: int) -> QColor:
    """The colour of a curve: that of its mechanism, darker (in a dark theme, lighter) for a second run."""
    colour = theme.colour(role)
    return blend(colour, theme.colour("text"), 0.45) if run else colour


class StepPlot(pg.PlotWidget):  # type: ignore[misc]
    """The curves of a second run carry rings. Emits `sought` (a step), `stepped` (by how many), `pointed` (the step under the mouse, or None) and `zoomed` (the step
    to zoom at, and notches of the wheel)."""

    sought = Signal(int)
    stepped = Signal(int)
    pointed = Signal(object)
    zoomed = Signal(int, float)

    def __init__(self, plot: Plot, theme: Theme, runs: int = 1, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=theme.colour("surface"))
        self.plot = plot
        self._span = (0, 1)
        self._top = 0.0
        self._axes: tuple[object, ...] = ()
        self._drawn: tuple[object, ...] = ()
        item = self.getPlotItem()
        item.ctrlMenu.deleteLater()  # windows of their own, which nobody opens here and which would outlive the plot
        item.ctrlMenu = None
        self._box = item.getViewBox()
        self._cursors = [self._make_cursor(theme) for _ in range(runs)]
        self._positions = [0] * runs
        self.setAccessibleName(f"Plot: {plot.title}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        colours = theme.hex("surface"), theme.hex("accent")
        self.setStyleSheet(
            "StepPlot {{ border: 1px solid {} }} StepPlot:focus {{ border-color: {} }}".format(*colours)
        )
        self._dress(theme)
        self._curves = [
            self._curve(curve.line, ink(theme, curve.role, run))
            for run in range(runs)
            for curve in plot.curves
        ]
        self._rings = [self._ring(ink(theme, curve.role, 1), theme) for curve in plot.curves * (runs - 1)]

    def show_series(self, runs: Sequence[Series], span: tuple[int, int], known_top: float | None) -> None:
        """Draw the steps `span`, if they are not drawn already. The upper end of the axis only ever rises in a run."""
        width = max(1, int(self._box.width()))
        ends = [(one.slo, len(one) if span[1] >= len(one) else 0) for one in runs]
        drawn = (list(runs), ends, span, width)
        if drawn == self._drawn:
            return
        if not self._drawn or self._drawn[0] != drawn[0]:
            self._top = 0.0
        self._drawn = drawn
        self._span = span
        highest = 0.0
        columns = [series.column(curve.column) for series in runs for curve in self.plot.curves]
        for column, item in zip(columns, self._curves, strict=True):
            x, y = few(column, *span, width)
            seen = y[y == y]
            item.setData(x, y, connect="all" if len(seen) == len(y) else "finite")
            highest = max(highest, float(seen.max()) if len(seen) else 0.0)
        for column, rings in zip(columns[len(self.plot.curves) :], self._rings, strict=True):
            apart = int(round_up((span[1] - span[0] + 1) / RINGS))
            steps = np.arange(-(-span[0] // apart) * apart, min(span[1], len(column)) + 1, apart)
            values = column[steps - 1]
            rings.setData(steps[values == values], values[values == values])
        self._top = known_top or max(self._top, round_up(highest))
        axes = (span, self._top)
        if axes != self._axes:
            self._axes = axes
            self._box.setRange(xRange=(span[0] - 0.5, span[1] + 0.5), yRange=(0, self._top), padding=0)

    def show_positions(self, positions: Sequence[int]) -> None:
        """Put the cursor line of each run at a step."""
        self._positions = list(positions)
        box = self._box.sceneBoundingRect()
        for position, cursor in zip(positions, self._cursors, strict=True):
            cursor.setVisible(position > 0 and self._span[0] <= position <= self._span[1])
            cursor.setGeometry(round(self._x_of(position)) - 1, round(box.top()), 2, round(box.height()))

    def step_at(self, point: QPointF) -> int:
        """The step nearest to a point of the widget, within the steps that are drawn."""
        box = self._box.sceneBoundingRect()
        share = (point.x() - box.left()) / max(1.0, box.width())
        step = round(self._span[0] - 0.5 + share * (self._span[1] - self._span[0] + 1))
        return int(min(max(step, self._span[0], 1), self._span[1]))

    def _x_of(self, step: int) -> float:
        box = self._box.sceneBoundingRect()
        return float(
            box.left() + (step - self._span[0] + 0.5) / (self._span[1] - self._span[0] + 1) * box.width()
        )

    def _dress(self, theme: Theme) -> None:
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setContentsMargins(0, 4, 8, 0)
        self._box.setMouseEnabled(x=False, y=False)
        self._box.setDefaultPadding(0)
        font = steady_font(QFont(self.font()))
        font.setPixelSize(round(TEXT * theme.scale))
        for name in ("left", "bottom"):
            axis = item.getAxis(name)
            axis.setPen(QPen(theme.colour("line")))
            axis.setTextPen(QPen(theme.colour("muted")))
            axis.setStyle(tickFont=font, tickLength=-4, maxTickLevel=0, autoExpandTextSpace=False)
            axis.enableAutoSIPrefix(False)
        item.getAxis("left").setWidth(round(AXIS * theme.scale))
        item.getAxis("bottom").setHeight(round(FOOT * theme.scale))

    def _make_cursor(self, theme: Theme) -> QWidget:
        cursor = QWidget(self.viewport())
        cursor.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        cursor.setStyleSheet(f"background: {theme.hex('accent')}; border: none")
        return cursor

    def _ring(self, colour: QColor, theme: Theme) -> pg.ScatterPlotItem:
        item = pg.ScatterPlotItem(
            size=RING, symbol="o", pen=pg.mkPen(colour), brush=pg.mkBrush(theme.colour("surface"))
        )
        self.addItem(item)
        return item

    def _curve(self, line: Line, colour: QColor) -> pg.PlotCurveItem:
        pen = QPen(colour, 1)
        pen.setStyle(LINES[line])
        pen.setCosmetic(True)
        item = pg.PlotCurveItem(pen=pen)
        self.addItem(item)
        return item

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: the cursor line moves with the axes."""
        super().resizeEvent(event)
        if hasattr(self, "_cursors"):
            self.show_positions(self._positions)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: a click goes there."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() == Qt.MouseButton.LeftButton:
            self.sought.emit(self.step_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt: say what stands there; with the button held, scrub."""
        step = self.step_at(event.position())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.sought.emit(step)
        self.pointed.emit(step)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: it is ours, as the press was."""
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt: two clicks are two clicks."""
        self.mousePressEvent(event)

    def leaveEvent(self, _event: QEvent) -> None:
        """Qt: say nothing."""
        self.pointed.emit(None)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: with Ctrl, zoom around the step under the mouse; without, the page scrolls."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoomed.emit(self.step_at(event.position()), event.angleDelta().y() / 120)
            event.accept()
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: left and right move the playhead, plus and minus zoom around it."""
        moves = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        zooms = {Qt.Key.Key_Plus: 1.0, Qt.Key.Key_Equal: 1.0, Qt.Key.Key_Minus: -1.0}
        key = Qt.Key(event.key())
        if key in moves:
            self.stepped.emit(moves[key])
        elif key in zooms and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoomed.emit(self._positions[0], zooms[key])
        else:
            event.ignore()
