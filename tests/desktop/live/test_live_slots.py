"""From near, a block shows the text of the tokens whose KV stands in it, and no other."""

from __future__ import annotations

import pytest
from ladder_desktop.live.block_words import block_text
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.live.slots import HEAD, SLOT
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.state import FREE
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import Make, with_run
from tests.traces import busy_trace, shared_trace

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


@pytest.fixture
def page(make: Make, qtbot: QtBot) -> LivePage:
    page = with_run(make(), 6)
    page._timer.stop()
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_Z)
    return page


def test_the_blocks_of_a_sequence_together_hold_the_text_that_is_computed() -> None:
    for steps in (3, 6, 12, 20):
        state = fold(event for event in busy_trace() if event.step <= steps)
        for sequence in (state.sequences[seq_id] for seq_id in state.running):
            text = "".join(block_text(state, block_id) for block_id in sequence.block_table)
            whole = sequence.prompt + sequence.text
            assert whole.startswith(text)
            missing = sequence.num_tokens - sequence.num_computed_tokens
            assert (text == whole) == (sum(sequence.lengths[sequence.num_computed_tokens :]) == 0)
            assert missing or text == whole
    free = state.block_owner.index(FREE)
    assert block_text(state, free) == ""


def test_a_block_that_only_the_cache_keeps_still_tells_its_text() -> None:
    started, *events = shared_trace()
    told = [
        type(event)(
            **{name: getattr(event, name) for name in event.__struct_fields__} | {"lengths": (1, 3, 2, 4, 2)}
        )
        if getattr(event, "prompt", "") and event.seq_id == 1
        else event
        for event in events
    ]
    state = fold([started, *told])
    assert state.block_owner[4] == FREE
    assert block_text(state, 4) == "Same head,"


def test_the_slots_show_the_tokens_of_the_block_under_the_cursor(page: LivePage, qtbot: QtBot) -> None:
    slots, state = page.watch.slots, page.player.state
    assert slots.isVisible()
    sequence = state.sequences[state.running[1]]
    block_id = sequence.block_table[-1]
    page.watch.grid.point(block_id)
    first = 4 * (len(sequence.block_table) - 1)
    assert slots.texts == sequence.token_texts(first, first + 4)
    assert f"[{block_id}]" in slots.accessibleDescription()
    known = sequence.num_tokens - first
    assert slots.slot_words(known - 1).endswith(", whose KV is not computed yet")
    if known < 4:
        assert slots.slot_words(3) == "Slot 3: empty"
    said: list[str] = []
    slots.described.connect(said.append)
    qtbot.mouseMove(slots, QPoint(5, HEAD + SLOT // 2))
    assert said[-1].startswith(f"Slot 0: token {first} of the sequence, “{slots.texts[0]}”")
    page.seek(0)
    assert slots.texts == []
    assert slots.accessibleDescription().startswith(f"Block {block_id}: free")
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_Z)
    assert not slots.isVisible()


def test_every_slot_has_a_place_at_any_width(page: LivePage) -> None:
    slots = page.watch.slots
    page.watch.grid.point(0)
    for width in (80, 200, 460, 900):
        slots.resize(width, slots.sizeHint().height())
        columns = slots._columns()
        places = {
            slots.slot_at(
                QPoint(width * (2 * (slot % columns) + 1) // (2 * columns), HEAD + slot // columns * SLOT + 9)
            )
            for slot in range(4)
        }
        assert places == {0, 1, 2, 3}
        assert slots.slot_at(QPoint(5, 3)) is None


def test_a_double_click_looks_into_a_block_and_the_table_tells_its_text(make: Make, qtbot: QtBot) -> None:
    page = with_run(make(), 6)
    state = page.player.state
    block_id = state.sequences[state.running[0]].block_table[0]
    at = page.watch.grid.cell_rect(block_id).center().toPoint()
    qtbot.mouseDClick(page.watch.grid, Qt.MouseButton.LeftButton, pos=at)
    assert page.watch.slots.block_id == block_id
    page.faces.turn_table()
    assert page.watch.block_list.table.rows[block_id][4] == block_text(state, block_id).replace(" ", "·")


def test_the_slots_too_have_a_table_that_tells_the_same(page: LivePage, qtbot: QtBot) -> None:
    watch, state = page.watch, page.player.state
    sequence = state.sequences[state.running[1]]
    position = len(sequence.block_table) - 1
    page.faces.turn_table()
    assert watch.slot_table.isVisible()
    assert not watch.slots.isVisible()
    watch.block_list.selectRow(sequence.block_table[position])
    rows = watch.slot_table.table.rows
    assert [row[0] for row in rows] == ["0", "1", "2", "3"]
    for slot, (_, place, text, kv) in enumerate(rows):
        at = 4 * position + slot
        if at < sequence.num_tokens:
            assert place == str(at)
            assert text == sequence.token_texts(at, at + 1)[0].replace(" ", "·")
            assert kv == ("computed" if at < sequence.num_computed_tokens else "not computed yet")
        else:
            assert (place, text, kv) == ("", "", "empty")
    page.seek(0)
    assert {row[3] for row in watch.slot_table.table.rows} == {"empty"}
    qtbot.keyClick(watch.block_list, Qt.Key.Key_Z)
    assert not watch.slot_table.isVisible()
    qtbot.keyClick(watch.block_list, Qt.Key.Key_Z)
    page.faces.turn_table()
    assert watch.slots.isVisible()
    assert not watch.slot_table.isVisible()
