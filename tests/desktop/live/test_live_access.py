from __future__ import annotations

from html import escape

import pytest
from ladder_engine.lab.scenario import bundled_scenarios
from ladder_engine.tracing.events import Arrived, Finished, Scheduled
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import Make, with_run
from tests.traces import busy_trace

# The offscreen platform cannot tell a window its least size, and says so for every page with a layout.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


def test_the_story_and_what_to_look_at_follow_the_scenario(make: Make, qtbot: QtBot) -> None:
    page = make()
    for index, scenario in enumerate(bundled_scenarios()):
        page.head.picker.setCurrentIndex(index)
        assert page.head.story.text() == " ".join(scenario.story.split())
        assert all(escape(line[:20]) in page.head.look_at.text() for line in scenario.look_at)
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_S)
    assert not page.head.words.isVisible()


def test_the_table_of_blocks_says_what_the_grid_shows(make: Make, qtbot: QtBot) -> None:
    page = with_run(make(), 6)
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_T)
    assert page.watch.block_list.isVisible()
    assert not page.watch.grid.isVisible()
    state = page.player.state
    rows = page.watch.block_list.table.rows
    for sequence in state.sequences.values():
        for position, block_id in enumerate(sequence.block_table):
            tokens = sequence.tokens_in_block(position, 4)
            assert rows[block_id][:4] == (str(block_id), sequence.name, str(position), str(tokens))
    assert [row[1] for row in rows].count("free") == state.num_free_blocks
    assert [i for i, row in enumerate(rows) if row[5] == "new"] == sorted(dict(state.steps[-1].allocated))

    owner = state.running[1]
    page.watch.block_list.setCurrentIndex(
        page.watch.block_list.table.index(state.sequences[owner].block_table[0], 1)
    )
    assert page.watch.timeline.selection == owner
    qtbot.keyClick(page.watch.block_list, Qt.Key.Key_T)
    assert page.watch.grid.isVisible()


def test_everything_that_takes_the_keyboard_has_a_name(make: Make) -> None:
    page = with_run(make())
    nameless = [
        widget
        for widget in page.findChildren(QWidget)
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and not widget.accessibleName()
    ]
    assert nameless == []
    assert len({action.shortcut().toString() for action in page.page_actions()}) == len(page.page_actions())
    assert all(action.text() for action in page.page_actions())


def test_every_control_can_be_reached_by_tab(make: Make, qtbot: QtBot) -> None:
    page = with_run(make())
    page.head.picker.setFocus()
    reached = set()
    for _ in range(40):
        reached.add(QApplication.focusWidget())
        page.focusNextChild()
    wanted = {
        *page.findChildren(QPushButton),
        page.head.picker,
        page.watch.grid,
        page.watch.timeline,
        page.watch.requests,
    }
    assert {widget for widget in wanted if widget.isEnabled() and widget.isVisible()} <= reached


def test_an_empty_page_says_what_goes_where(make: Make) -> None:
    page = make()
    assert not page.transport.play.isEnabled()
    assert page.watch.answer.head.text() == "No request is selected"
    for view in (page.watch.grid, page.watch.timeline):
        assert not view.grab().isNull()


def test_the_table_of_the_batch_says_what_each_step_did(make: Make, qtbot: QtBot) -> None:
    page = with_run(make(), 6)
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_T, Qt.KeyboardModifier.ShiftModifier)
    table = page.watch.batch_table
    assert table.isVisible()
    assert not page.watch.timeline.isVisible()
    assert table.selected_row() == 5
    events = busy_trace()
    assert len(table.table.rows) == page.player.last
    names = {e.seq_id: e.name for e in events if isinstance(e, Arrived)}
    for at, row in enumerate(table.table.rows):
        works = [e for e in events if isinstance(e, Scheduled) and e.step == at + 1]
        prefilled = sum(e.num_tokens for e in works if e.kind == "prefill")
        done = [names[e.seq_id] for e in events if isinstance(e, Finished) and e.step == at + 1]
        assert (row[0], row[1]) == (str(at + 1), str(prefilled))
        assert row[5] == f"{100 * sum(e.num_tokens for e in works) / 16:.0f} %"
        assert row[11] == ", ".join(done)
    table.setCurrentIndex(table.table.index(2, 0))
    assert page.player.position == 3
    page.seek(9)
    assert table.selected_row() == 8
    qtbot.keyClick(table, Qt.Key.Key_T, Qt.KeyboardModifier.ShiftModifier)
    assert page.watch.timeline.hasFocus()
