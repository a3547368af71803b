"""Steps can be marked, found again, noted at, and come with a saved run."""

from __future__ import annotations

from pathlib import Path

import pytest
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.live.marks import Marks
from ladder_engine.tracing.trace_file import read_trace
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import Make, with_run
from tests.traces import busy_trace

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


@pytest.fixture
def page(make: Make) -> LivePage:
    page = with_run(make(), 9)
    page._timer.stop()
    return page


def press(page: LivePage, qtbot: QtBot, key: Qt.Key, shift: bool = False) -> None:
    modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    qtbot.keyClick(page.watch.timeline, key, modifier)


def test_the_nearest_mark_in_either_direction() -> None:
    marks = Marks()
    for step in (40, 5, 17):
        marks.turn(step)
    assert [marks.beyond(17, 1), marks.beyond(18, -1), marks.beyond(40, 1), marks.beyond(5, -1)] == [
        40,
        17,
        None,
        None,
    ]
    marks.turn(17)
    assert marks.rows == [(5, ""), (40, "")]


def test_x_marks_and_n_goes_from_mark_to_mark(page: LivePage, qtbot: QtBot) -> None:
    for step in (9, 21, 14):
        page.seek(step)
        press(page, qtbot, Qt.Key.Key_X)
    assert [row[0] for row in page.watch.marks.table.table.rows] == ["9", "14", "21"]
    page.seek(10)
    visited = []
    for shift in (False, False, False, True, True):
        press(page, qtbot, Qt.Key.Key_N, shift)
        visited.append(page.player.position)
    assert visited == [14, 21, 21, 14, 9]
    press(page, qtbot, Qt.Key.Key_X)
    assert list(page.player.marks.notes) == [21, 14]
    page.watch.marks.table.setCurrentIndex(page.watch.marks.table.table.index(1, 0))
    assert page.player.position == 21
    page.run()
    assert page.player.marks.notes == {}, "another run has other marks"


def test_a_mark_is_a_flag_over_the_timeline(page: LivePage, qtbot: QtBot) -> None:
    page.watch.timeline.horizontalScrollBar().setValue(0)
    page.seek(30)
    sizes = page.watch.timeline.sizes
    x = sizes.names + 9 * sizes.column - 2
    before = page.watch.timeline.viewport().grab().toImage().pixelColor(x, 4).name()
    page.player.marks.turn(9)
    page.refresh()
    after = page.watch.timeline.viewport().grab().toImage().pixelColor(x, 4).name()
    assert before != after == page.theme.colour("warn").name()


def test_a_note_is_written_at_the_playhead_and_saved_with_the_run(
    page: LivePage, make: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    page.watch.side.setCurrentWidget(page.watch.marks)
    page.refresh()
    page.watch.marks.note.setFocus()
    qtbot.keyClicks(page.watch.marks.note, "the pool is full, mn")
    qtbot.keyClick(page.watch.marks.note, Qt.Key.Key_Return)
    assert page.player.marks.notes == {9: "the pool is full, mn"}
    page.keeping.save(tmp_path / "noted.jsonl")
    assert read_trace(tmp_path / "noted.jsonl")[1:] == busy_trace()[1:]

    other = make()
    other.keeping.open(tmp_path / "noted.jsonl")
    for _ in range(20):
        other.frame()
    assert other.player.marks.notes == {9: "the pool is full, mn"}
    other.watch.side.setCurrentWidget(other.watch.marks)
    other.seek(9)
    assert other.watch.marks.note.text() == "the pool is full, mn"
    other.seek(8)
    assert other.watch.marks.note.text() == ""
