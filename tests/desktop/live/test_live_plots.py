"""The plots draw what the series say, lose no peak, stay on one clock, and have a table twin."""

from __future__ import annotations

import csv
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.live.plots import PLOTS, few, round_up
from ladder_desktop.live.series_table import CURVES
from ladder_desktop.theme import Theme, load_theme
from ladder_engine.lab.series import COLUMNS
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import Make, with_run
from tests.traces import LittleScheduler, Request, busy_trace

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


@pytest.fixture
def page(make: Make, qtbot: QtBot) -> LivePage:
    page = with_run(make())
    page._timer.stop()
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_G)
    settle(page, qtbot)
    return page


def settle(page: LivePage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not page.watch.plots._stale)


def test_every_series_is_drawn_once_and_no_two_curves_of_a_plot_look_alike() -> None:
    assert sorted(curve.column for plot in PLOTS for curve in plot.curves) == sorted(COLUMNS)
    for name in ("light", "dark", "colour-blind-light", "colour-blind-dark"):
        theme = load_theme(name)
        for plot in PLOTS:
            looks = {(theme.hex(curve.role), curve.line) for curve in plot.curves}
            assert len(looks) == len(plot.curves)


@given(
    st.lists(st.floats(0, 1e6, width=32) | st.just(math.nan), min_size=1, max_size=3000),
    st.integers(4, 300),
    st.data(),
)
def test_few_points_keep_every_peak(values: list[float], most: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(values)))
    last = data.draw(st.integers(first, len(values)))
    column = np.array(values, np.float32)
    x, y = few(column, first, last, most)
    assert len(x) == len(y) <= 2 * most + 4
    inside = column[first - 1 : last]
    if np.isfinite(inside).any():
        assert np.nanmax(y) >= np.nanmax(inside)
        assert np.nanmin(y) <= np.nanmin(inside)
    for number, value in zip(x, y, strict=True):
        around = column[max(0, int(number) - len(values) // most - 2) : int(number) + len(values) // most + 2]
        assert math.isnan(value) or value in around, "a point stands near where it was measured"


def test_a_hundred_thousand_steps_become_as_many_points_as_there_are_pixels() -> None:
    column = np.zeros(100_000, np.float32)
    column[77_777] = 5.0
    x, y = few(column, 1, 100_000, 400)
    assert len(x) <= 800
    assert y.max() == 5.0
    assert abs(x[int(y.argmax())] - 77_778) <= 256


@pytest.mark.parametrize(
    ("value", "end"), [(0, 1), (0.3, 0.5), (1, 1), (1.01, 2), (41, 50), (100, 100), (5001, 10000)]
)
def test_an_axis_ends_at_a_round_number(value: float, end: float) -> None:
    assert round_up(value) == pytest.approx(end)


def test_what_is_drawn_is_the_series(page: LivePage) -> None:
    board, series = page.watch.plots, page.player.series
    assert board.isVisible()
    assert len(series) == page.player.last
    for plot in board.plots:
        for curve, item in zip(plot.plot.curves, plot._curves, strict=True):
            x, y = item.getData()
            assert x.tolist() == list(range(1, len(series) + 1))
            assert np.array_equal(y, series.column(curve.column), equal_nan=True)


def test_the_figures_are_those_of_the_step_at_the_playhead(page: LivePage, qtbot: QtBot) -> None:
    page.seek(9)
    settle(page, qtbot)
    step = page.player.edge.steps[8]
    owned = len(page.player.edge.block_owner) - step.num_free_blocks
    assert f"owned&nbsp;<b>{owned}</b>" in page.watch.plots.figures[0].text()
    assert f"waiting&nbsp;<b>{len(step.waiting)}</b>" in page.watch.plots.figures[1].text()


def test_a_click_and_the_arrows_move_the_playhead_and_the_cursor_stands_there(
    page: LivePage, qtbot: QtBot
) -> None:
    plot = page.watch.plots.plots[4]
    at = QPoint(round(plot._x_of(13)), plot.height() // 2)
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert page.player.position == 13
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert page.player.position == 14
    settle(page, qtbot)
    for other in page.watch.plots.plots:
        middle = other._cursors[0].geometry().center().x()
        assert other.step_at(QPointF(middle, 5)) == 14


def test_zoom_keeps_the_step_under_the_mouse_and_f_shows_all(page: LivePage, qtbot: QtBot) -> None:
    board = page.watch.plots
    whole = board.span
    point = QPointF(board.plots[0]._x_of(15), 40)
    for _ in range(2):
        wheel = QWheelEvent(point, point, QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
                            Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
        QApplication.sendEvent(board.plots[0].viewport(), wheel)
    settle(page, qtbot)
    assert board.span[1] - board.span[0] < whole[1] - whole[0]
    assert abs(board.plots[0].step_at(point) - 15) <= 1
    qtbot.keyClick(board.plots[0], Qt.Key.Key_F)
    assert board.span == whole


def test_another_slo_moves_the_goodput(page: LivePage, qtbot: QtBot) -> None:
    board, series = page.watch.plots, page.player.series
    board.ttft.setValue(600_000)
    board.tpot.setValue(600_000)
    assert np.array_equal(series.column("goodput"), series.column("finished_rate"), equal_nan=True)
    board.ttft.setValue(1)
    settle(page, qtbot)
    assert np.nanmax(series.column("goodput")) == 0
    goodput = next(plot for plot in board.plots if plot.plot.title == "Goodput")
    assert np.nanmax(goodput._curves[1].getData()[1]) == 0
    page.run()
    page.frame()
    assert np.nanmax(page.player.series.column("goodput")) == 0, "the SLO stays for the next run"


def test_the_table_says_the_same_and_is_saved_as_csv(page: LivePage, qtbot: QtBot, tmp_path: Path) -> None:
    qtbot.keyClick(page.watch.plots.plots[0], Qt.Key.Key_T)
    table, series = page.watch.plots.table, page.player.series
    assert table.isVisible()
    assert table.selected_row() == page.player.position - 1
    table.setCurrentIndex(table.table.index(4, 0))
    assert page.player.position == 5
    page.keeping.save(tmp_path / "plots.csv")
    with (tmp_path / "plots.csv").open(encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    assert names[1] == "KV use: owned, blocks"
    assert len(rows) == len(series)
    for at, row in enumerate(rows):
        assert int(row[0]) == at + 1
        for (_, curve), cell in zip(CURVES, row[1:], strict=True):
            value = float(series.column(curve.column)[at])
            assert (cell == "–") if math.isnan(value) else float(cell) == pytest.approx(value, abs=0.51)
    qtbot.keyClick(table, Qt.Key.Key_G)
    assert page.watch.timeline.isVisible()


def test_the_mouse_is_told_what_stands_under_it(page: LivePage, qtbot: QtBot) -> None:
    plot = page.watch.plots.plots[1]
    qtbot.mouseMove(plot.viewport(), QPoint(round(plot._x_of(6)), 30))
    step = page.player.edge.steps[5]
    assert page.readout.text() == f"Step 6, Requests: running {step.num_running}, waiting {len(step.waiting)}"


def test_the_axes_do_not_move_while_steps_come_in(make: Make, theme: Theme, qtbot: QtBot) -> None:
    page = make()
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_G)
    events = LittleScheduler([Request(f"r{i}", 5 + i % 9, 6, 1 + 2 * i) for i in range(60)]).run()
    seen = []
    for at in range(0, len(events), 40):
        page.player.feed(events[at : at + 40])
        page.watch.plots.refresh()
        settle(page, qtbot)
        seen.append([plot._axes for plot in page.watch.plots.plots])
    assert len(page.player.series) > 80
    changes = sum(a != b for a, b in pairwise(seen))
    assert changes <= 8, "round numbers seldom change"
    for plot in page.watch.plots.plots:
        highest = max(
            float(np.nanmax(page.player.series.column(c.column), initial=0)) for c in plot.plot.curves
        )
        assert highest <= plot._top


def test_pyqtgraph_is_loaded_with_the_first_plot(make: Make) -> None:
    page = with_run(make())
    assert page.watch.plots.plots == []
    assert len(page.player.series) == max(event.step for event in busy_trace())
