"""The kernel lens over a real run of the bundled model: what it shows is recomputed here from the raw events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ladder_desktop.live.live_page import LivePage
from ladder_engine.lab.runner import run_scenario
from ladder_engine.lab.scenario import bundled_scenarios
from ladder_engine.tracing.events import AnyEvent, BlocksAllocated, BlocksShared, KernelsRan, Scheduled
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import RecordedClient

Make = Callable[..., LivePage]
STEPS = 9


@pytest.fixture(scope="module")
def watched() -> list[AnyEvent]:
    """Some steps of a scenario whose requests share a prompt; the first step is not watched."""
    events: list[AnyEvent] = []

    def attend(engine: object) -> bool:
        engine.kernels.watching = engine.recorder.step > 1  # type: ignore[attr-defined]
        return engine.has_work and engine.recorder.step <= STEPS  # type: ignore[attr-defined]

    path = next(one.path for one in bundled_scenarios() if one.id == "shared-prompt")
    run_scenario(path, events.extend, "torch", attend)
    return events


class Watching(RecordedClient):
    """Says what was recorded, and remembers whether it was asked to watch."""

    def __init__(self, events: list[AnyEvent]) -> None:
        super().__init__()
        self.events = events

    def run(self, scenario: Path, *rest: object, watch_kernels: bool = False, **options: object) -> None:  # type: ignore[override]
        self.calls.append(f"run watching={watch_kernels}")
        self.queue = [self.events]

    def watch_kernels(self, on: bool) -> None:
        self.calls.append(f"watch {on}")


@pytest.fixture
def page(make: Make, watched: list[AnyEvent]) -> LivePage:
    page = make(Watching(watched))
    page.head.choose("shared-prompt")
    page.run()
    page.frame()
    page.player.pause()
    page.faces.turn_lens()
    return page


def tables_at(events: list[AnyEvent], step: int) -> dict[int, list[int]]:
    """The block table of each sequence as it stood while this step was computed, put together anew."""
    tables: dict[int, list[int]] = {}
    for event in events:
        if event.step > step:
            break
        if isinstance(event, BlocksShared):
            tables[event.seq_id] = list(event.block_ids)
        if isinstance(event, BlocksAllocated):
            tables.setdefault(event.seq_id, []).extend(event.block_ids)
    return tables


def test_the_engine_is_asked_to_watch_while_the_lens_is_open(page):
    client = page._client
    assert client.calls == ["run watching=False", "watch True"]
    page.run()
    page.faces.turn_lens()
    assert client.calls[-2:] == ["run watching=True", "watch False"]
    assert page.watch.requests.isVisibleTo(page)
    assert not page.watch.lens.isVisibleTo(page)


def test_a_step_that_was_not_watched_says_so(page):
    page.seek(0)
    assert page.watch.lens.note.text() == "No step has run at the playhead yet."
    page.seek(1)
    assert "were not recorded" in page.watch.lens.note.text()
    assert page.watch.lens.launches.table.rows == []
    page.seek(2)
    assert page.watch.lens.note.text().startswith("These are torch's twins of the kernels.")


def test_the_table_shows_every_launch_of_the_trace(page, watched):
    for step in range(2, STEPS + 1):
        page.seek(step)
        (ran,) = (event for event in watched if isinstance(event, KernelsRan) and event.step == step)
        rows = page.watch.lens.launches.table.rows
        assert [row[0] for row in rows] == [one.kernel for calls in ran.calls for one in calls.launches]
        assert sum(int(row[2]) for row in rows) == sum(calls.count for calls in ran.calls)
        # grids of one program a token, from what was scheduled
        tokens = sum(
            event.num_tokens for event in watched if isinstance(event, Scheduled) and event.step == step
        )
        stores = next(row for row in rows if row[0] == "store_kv_kernel")
        assert stores[3:5] == (f"({tokens})", str(tokens))
        moved = (4 * tokens * 4 * 32 * 4 + 8 * tokens) / 1000
        assert stores[5] in (f"{moved:.1f} kB", f"{moved:.0f} kB")


def test_the_picture_shows_which_blocks_each_program_reads(page, watched):
    scheduled = {(event.step, event.seq_id): event for event in watched if isinstance(event, Scheduled)}
    assert len(scheduled) > STEPS
    for (step, seq_id), work in scheduled.items():
        if not 2 <= step <= STEPS:
            continue
        page.seek(step)
        page.select(seq_id)
        picture = page.watch.lens.picture
        context = work.start + work.num_tokens
        table = tables_at(watched, step)[seq_id][: -(-context // 16)]
        assert list(picture.block_ids) == table
        held = 0
        for number, program in enumerate(picture.programs):
            held += program.num_tokens
            sees = work.start + held  # up to its last token
            for place, block_id in enumerate(table):
                slots = min(16, max(0, sees - place * 16))
                words = picture.words(number, place)
                assert words.startswith(f"Block {block_id}, block_table[{place}]")
                assert (f"{slots} of 16 slots read" if slots else "not read") in words
        assert held == work.num_tokens


def test_a_request_that_computes_nothing_in_the_step_is_named(page, watched):
    page.seek(7)
    page.select(1)
    assert page.watch.lens.sum.text() == "ben computes nothing in this step."
    assert page.watch.lens.picture.programs == []
    page.select(None)
    assert page.watch.lens.sum.text().startswith("ada: ")


def test_choosing_a_request_in_the_lens_selects_it_everywhere_and_back(page, qtbot: QtBot):
    page.seek(STEPS)
    lens = page.watch.lens
    names = [lens.requests.itemText(at) for at in range(lens.requests.count())]
    assert len(names) > 1
    lens.requests.setCurrentIndex(1)
    lens.requests.activated.emit(1)
    assert page.selection == 1
    assert page.watch.grid.selection == 1
    page.select(0)
    assert lens.requests.currentText() == names[0]


def test_the_keyboard_walks_the_picture_and_the_grid_follows(page, qtbot: QtBot):
    page.seek(STEPS)
    picture = page.watch.lens.picture
    picture.setFocus()
    qtbot.keyClick(picture, Qt.Key.Key_Right)
    assert picture.cursor_cell == (0, 0)
    qtbot.keyClick(picture, Qt.Key.Key_Right)
    assert picture.cursor_cell == (0, 1)
    assert page.watch.grid.cursor_block == picture.block_ids[1]
    assert page.readout.text() == picture.words(0, 1) == picture.accessibleDescription()
    qtbot.keyClick(picture, Qt.Key.Key_Up)
    assert picture.cursor_cell == (0, 1)


def test_the_column_of_the_block_under_the_grids_cursor_is_framed(page):
    page.seek(STEPS)
    picture = page.watch.lens.picture
    block_id = picture.block_ids[1]
    centre = picture.cell_rect(0, 1)
    edge = int(centre.left()), int(centre.center().y())
    before = picture.grab().toImage().pixelColor(*edge)
    page.watch.grid.point(block_id)
    assert picture.marked == block_id
    assert picture.grab().toImage().pixelColor(*edge) != before
    page.watch.grid.point(None)
    assert picture.grab().toImage().pixelColor(*edge) == before


def test_the_table_twin_says_the_same_as_the_picture(page):
    page.seek(STEPS)
    lens = page.watch.lens
    lens.turn()
    assert lens.table.isVisibleTo(page)
    rows = lens.table.table.rows
    assert len(rows) == len(lens.picture.programs)
    for row, program in zip(rows, lens.picture.programs, strict=True):
        read = lens.picture.block_ids[program.begin // 16 : -(-program.end // 16)]
        assert row[0] == str(program.query_program)
        assert row[4] == " ".join(map(str, read))


def test_the_button_opens_and_closes_it_as_the_key_does(page: LivePage, qtbot: QtBot) -> None:
    page.show()
    assert page.transport.lens.isChecked()
    qtbot.mouseClick(page.transport.lens, Qt.MouseButton.LeftButton)
    assert page.watch.lens.isHidden()
    assert not page.transport.lens.isChecked()
    page.faces.turn_plots()
    page.faces.turn_lens()
    assert page.watch.lens.isVisible()
    assert not page.watch.plotting
    assert page.transport.lens.isChecked()
