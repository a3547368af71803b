"""In a comparison the plots draw both runs, and the kernel lens and the classifier look at either."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from ladder_content.bundled import bundled_pack
from ladder_content.loader import load_pack
from ladder_desktop.live.duet import TICKS
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.live.step_plot import ink
from ladder_desktop.theme import Theme
from ladder_engine.lab.runner import run_scenario
from ladder_engine.lab.scenario import bundled_scenarios
from ladder_engine.lab.shape import shape_of
from ladder_engine.tracing.events import AnyEvent
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import RecordedClient

SCENARIO = "shared-prompt"
NAMES = ("cache on", "cache off")


@pytest.fixture(scope="module")
def runs() -> dict[str, list[AnyEvent]]:
    """Both variants on the real engine, with their launches."""
    path = next(one.path for one in bundled_scenarios() if one.id == SCENARIO)
    found: dict[str, list[AnyEvent]] = {}
    for name in NAMES:
        events: list[AnyEvent] = []

        def attend(engine: object) -> bool:
            engine.kernels.watching = True  # type: ignore[attr-defined]
            return engine.has_work  # type: ignore[attr-defined]

        run_scenario(path, events.extend, "torch", attend, variant=name)
        found[name] = events
    return found


class Both(RecordedClient):
    """Plays back whichever variant is asked for."""

    def __init__(self, runs: dict[str, list[AnyEvent]]) -> None:
        super().__init__()
        self._runs = runs

    def run(self, scenario: Path, *_rest: object, variant: str = "", watch_kernels: bool = False, **_more: object) -> None:  # type: ignore[override]  # fmt: skip
        self.calls.append(f"run {variant}, watching: {watch_kernels}")
        self.queue = [self._runs[variant]]

    def watch_kernels(self, on: bool) -> None:
        self.calls.append(f"watch {on}")


@pytest.fixture
def page(qtbot: QtBot, theme: Theme, runs: dict[str, list[AnyEvent]]) -> Iterator[LivePage]:
    page = LivePage(bundled_scenarios(), theme, lambda: Both(runs), load_pack(bundled_pack()))
    qtbot.addWidget(page)
    page.resize(1280, 900)
    with qtbot.waitExposed(page):
        page.show()
    page.activate()
    page.choose(f"{SCENARIO}?compare")
    for _ in range(4):
        page.frame()
    page.duet.pause()
    assert page.comparer.complete
    page.seek(12)
    yield page
    page.shutdown()


def drawn(page: LivePage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not page.compare_panels.plots._stale)


def test_both_runs_are_in_each_plot_and_no_two_curves_look_alike(page: LivePage, qtbot: QtBot) -> None:
    QTest.keyClick(page.compare_panels.views[0].timeline, Qt.Key.Key_G)
    board = page.compare_panels.plots
    assert board.isVisible()
    assert page.transport.plots.isChecked()
    drawn(page, qtbot)
    for plot in board.plots:
        many = len(plot.plot.curves)
        for run, side in enumerate(page.duet.sides):
            for curve, item in zip(
                plot.plot.curves, plot._curves[run * many : (run + 1) * many], strict=True
            ):
                x, y = item.getData()
                assert len(x) == side.last
                np.testing.assert_array_equal(y, side.series.column(curve.column))
                assert item.opts["pen"].color() == ink(page.theme, curve.role, run)
        looks = [(item.opts["pen"].color().name(), item.opts["pen"].style()) for item in plot._curves]
        assert len(set(looks)) == 2 * many
        for curve, ring in zip(plot.plot.curves, plot._rings, strict=True):
            column = page.duet.sides[1].series.column(curve.column)
            at, values = ring.getData()
            np.testing.assert_array_equal(values, column[at.astype(int) - 1])
    assert all(name in board.names.text() for name in NAMES)


def test_the_plots_of_both_are_no_more_than_the_fold_says(page: LivePage, qtbot: QtBot) -> None:
    page.faces.turn_plots()
    drawn(page, qtbot)
    texts = page.compare_panels.plots.figures
    for side in page.duet.sides:
        owned = len(side.state.block_owner) - side.state.steps[-1].num_free_blocks
        assert f"<b>{owned}</b>" in texts[0].text()
        assert f"<b>{side.state.steps[-1].num_running}</b>" in texts[1].text()


def test_the_table_of_both_has_a_column_for_each_run_and_is_saved(page: LivePage, tmp_path: Path) -> None:
    page.faces.turn_plots()
    page.faces.turn_table()
    page.keeping.save(tmp_path / "both.csv")
    with (tmp_path / "both.csv").open(encoding="utf-8") as file:
        heads, *rows = csv.reader(file)
    assert heads[1:3] == [f"KV use: owned, blocks: {name}" for name in NAMES]
    assert len(rows) == max(side.last for side in page.duet.sides)
    for place, side in enumerate(page.duet.sides):
        owned = side.series.column("owned")
        assert [row[1 + place] for row in rows[: side.last]] == [f"{value:.0f}" for value in owned]
        assert all(row[1 + place] == "–" for row in rows[side.last :])


def test_a_click_in_a_plot_goes_to_that_step_on_either_clock(page: LivePage, qtbot: QtBot) -> None:
    page.faces.turn_plots()
    drawn(page, qtbot)
    plot = page.compare_panels.plots.plots[0]
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(round(plot._x_of(9)), 40))
    assert [side.position for side in page.duet.sides] == [9, 9]
    page.turn_clock()
    longer = max(page.duet.sides, key=lambda side: side.last)
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(round(plot._x_of(20)), 40))
    assert longer.position == 20
    assert page.duet.position / TICKS >= longer.recording.ends[19] - longer.recording.begun


def test_a_step_that_is_picked_in_one_timeline_is_that_step_of_that_run_by_seconds(page: LivePage) -> None:
    page.turn_clock()
    for view, side in zip(page.compare_panels.views, page.duet.sides, strict=True):
        view.timeline.sought.emit(17)
        assert side.position == 17


def test_the_lens_looks_at_either_run(page: LivePage, qtbot: QtBot) -> None:
    qtbot.keyClick(page.compare_panels.views[0].timeline, Qt.Key.Key_L)
    panels = page.compare_panels
    assert panels.lens.isVisible()
    assert not panels.table.isVisible()
    shown = []
    for side in page.duet.sides:
        kernels = side.state.steps[-1].kernels
        assert kernels is not None
        expected = [str(calls.count) for calls in kernels.calls for _ in calls.launches]
        assert [row[2] for row in panels.lens.launches.table.rows] == expected
        assert panels.lens.figures.text().startswith("step 12: ")
        shown.append(list(panels.lens.launches.table.rows))
        qtbot.keyClick(panels.lens.launches, Qt.Key.Key_O)
    assert shown[0] != shown[1]
    assert panels.looked == 0
    qtbot.keyClick(panels.lens.launches, Qt.Key.Key_L)
    assert panels.table.isVisible()


def test_with_the_lens_open_the_launches_of_both_are_recorded(page: LivePage) -> None:
    calls = page._client.calls  # type: ignore[attr-defined]
    assert calls == [f"run {name}, watching: False" for name in NAMES]
    page.faces.turn_lens()
    page.starter.compare()
    for _ in range(4):
        page.frame()
    assert calls[2:] == ["watch True", *(f"run {name}, watching: True" for name in NAMES)]


def test_the_classifier_looks_at_either_run(page: LivePage, qtbot: QtBot) -> None:
    page.seek(page.duet.last)
    page.compare_panels.look_at_other()
    page.diagnosis.ask()
    dialog = page.diagnosis.dialog
    assert dialog is not None
    assert dialog.runs.isVisible()
    assert dialog.runs.currentText() == NAMES[1]
    for place in (1, 0):
        dialog.runs.setCurrentIndex(place)
        asked = shape_of(page.duet.sides[place].state).asked
        assert [row[0] for row in dialog.readings.table.rows[: len(asked)]] == [one.name for one in asked]
        hits = next(row for row in dialog.readings.table.rows if "hit" in row[0])
        assert (float(hits[1]) > 0) == (place == 0)
    qtbot.waitUntil(lambda: dialog.verdict is not None and not dialog.runner.running, timeout=20_000)
    dialog.reject()


def test_a_click_in_a_zoomed_plot_leaves_it_zoomed(page: LivePage, qtbot: QtBot) -> None:
    page.faces.turn_plots()
    drawn(page, qtbot)
    board = page.compare_panels.plots
    board.zoom(12, 3)
    span = board.span
    assert span[1] - span[0] < page.duet.last - 1
    page.seek(span[1])
    assert board.span == span
    page.seek(page.duet.last)
    assert board.span[1] - board.span[0] == span[1] - span[0]
    assert board.span[0] <= page.duet.last <= board.span[1]
    page.faces.follow()
    assert board.span[0] == 1


def test_blocks_and_batches_of_both_have_their_tables(page: LivePage) -> None:
    page.faces.turn_table()
    page.faces.turn_batch()
    for view, side in zip(page.compare_panels.views, page.duet.sides, strict=True):
        assert len(view.block_list.table.rows) == len(side.state.block_owner)
        assert len(view.batch_table.table.rows) == side.last
        filled = [row[3] for row in view.block_list.table.rows]
        assert filled == [str(tokens or "") for tokens in side.state.tokens_in_blocks()]
