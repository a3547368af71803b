from __future__ import annotations

import pytest
from ladder_desktop.live import request_list
from ladder_desktop.live.player import FULL_SPEED
from ladder_engine.tracing.events import StepTimed
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import Make, RecordedClient, client_of, with_run
from tests.traces import LittleScheduler, Request, busy_trace

# The offscreen platform cannot tell a window its least size, and says so for every page with a layout.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


def test_a_run_plays_by_itself_to_its_end_and_then_the_timer_stops(make: Make, qtbot: QtBot) -> None:
    page = make(RecordedClient(batches=9))
    page.player.speed = 120
    assert not page._timer.isActive()
    page.run()
    assert page.head.message.text() == "Starting the engine…"
    assert page._timer.isActive()
    qtbot.waitUntil(lambda: page.player.ended, timeout=20_000)
    qtbot.waitUntil(lambda: not page._timer.isActive(), timeout=5_000)

    assert client_of(page).calls == ["run 01-short-chats.yaml"]
    assert page.head.message.text() == ""
    assert page.transport.counter.text() == f"step {page.player.last} of {page.player.last}"
    assert page.transport.play.text() == "Replay"
    assert page.head.button.text() == "Run"


def test_picking_another_scenario_says_that_the_old_run_is_still_shown(make: Make) -> None:
    page = make()
    page.head.picker.setCurrentIndex(1)
    assert page.head.message.text() == ""
    page.head.picker.setCurrentIndex(0)
    shown = with_run(page).head.scenario
    assert shown is not None
    page.head.picker.setCurrentIndex(1)
    assert shown.title in page.head.message.text()
    page.head.picker.setCurrentIndex(0)
    assert page.head.message.text() == ""
    page.head.picker.setCurrentIndex(1)
    with_run(page)
    assert page.head.message.text() == ""
    page.run()
    page.head.picker.setCurrentIndex(0)
    page.frame()
    assert page.head.message.text() != ""


def test_the_rows_of_the_batch_never_lie_over_its_budget(make: Make) -> None:
    page = with_run(make())
    page.resize(page.minimumSizeHint())
    sizes = page.watch.timeline.sizes
    assert page.watch.timeline.cell_at(QPoint(20, sizes.ruler + sizes.row - 1))[0] is not None


def test_a_page_that_is_not_shown_paints_nothing(make: Make) -> None:
    page = make()
    page.run()
    page.deactivate()
    assert not page._timer.isActive()
    page.activate()
    assert page._timer.isActive()


@pytest.mark.parametrize(
    ("key", "button", "position"),
    [(Qt.Key.Key_Comma, "back", 19), (Qt.Key.Key_Period, "forward", 21)],
)
@pytest.mark.parametrize("by", ["key", "button", "action"])
def test_stepping_by_every_road(
    make: Make, qtbot: QtBot, key: Qt.Key, button: str, position: int, by: str
) -> None:
    page = with_run(make())
    if by == "key":
        qtbot.keyClick(page.watch.timeline, key)
    elif by == "button":
        qtbot.mouseClick(getattr(page.transport, button), Qt.MouseButton.LeftButton)
    else:
        name = {"back": "One step back", "forward": "One step on"}[button]
        next(action for action in page.page_actions() if action.text() == name).trigger()
    assert page.player.position == position
    assert page.transport.counter.text().startswith(f"step {position} of ")
    assert page.transport.slider.value() == position
    assert page.watch.grid.state is page.player.state


def test_space_plays_and_pauses_wherever_the_keyboard_is_in_the_views(make: Make, qtbot: QtBot) -> None:
    page = with_run(make())
    for view in (page.watch.timeline, page.watch.grid, page.watch.requests, page.transport.slider):
        view.setFocus()
        qtbot.keyClick(view, Qt.Key.Key_Space)
        assert page.player.playing, view.accessibleName()
        qtbot.keyClick(view, Qt.Key.Key_Space)
        assert not page.player.playing, view.accessibleName()


def test_space_on_a_button_that_has_the_keyboard_presses_it(make: Make, qtbot: QtBot) -> None:
    page = with_run(make())
    page.transport.forward.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(page.transport.forward, Qt.Key.Key_Space)
    assert page.player.position == 21
    assert not page.player.playing


def test_brackets_change_the_speed(make: Make, qtbot: QtBot) -> None:
    page = with_run(make())
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_BracketRight)
    assert page.transport.speed.text() == "30 steps/s"
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_BracketLeft)
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_BracketLeft)
    assert page.transport.speed.text() == "10 steps/s"


@pytest.mark.parametrize("road", ["grid", "timeline", "requests"])
def test_a_selection_lights_every_view_and_escape_clears_it(make: Make, qtbot: QtBot, road: str) -> None:
    page = with_run(make())
    seq_id = page.player.state.running[-1]
    sequence = page.player.state.sequences[seq_id]
    left = Qt.MouseButton.LeftButton
    if road == "grid":
        point = page.watch.grid.cell_rect(sequence.block_table[0]).center().toPoint()
        qtbot.mouseClick(page.watch.grid, left, pos=point)
    elif road == "timeline":
        qtbot.mouseClick(page.watch.timeline.viewport(), left, pos=QPoint(60, 18 + 16 * seq_id + 8))
    else:
        index = page.watch.requests.model().index(seq_id, 1)
        qtbot.mouseClick(
            page.watch.requests.viewport(), left, pos=page.watch.requests.visualRect(index).center()
        )

    assert (
        page.watch.grid.selection
        == page.watch.timeline.selection
        == page.watch.requests.selected_row()
        == seq_id
    )
    assert page.watch.answer.text.toPlainText() == sequence.prompt + sequence.text
    assert sequence.name in page.watch.answer.head.text()

    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_Escape)
    assert page.watch.grid.selection is page.watch.timeline.selection is None
    assert not page.watch.requests.selectionModel().hasSelection()
    assert page.watch.answer.text.toPlainText() == ""


def test_arrow_keys_in_the_list_of_requests_select(make: Make, qtbot: QtBot) -> None:
    page = with_run(make())
    page.watch.requests.setFocus()
    qtbot.keyClick(page.watch.requests, Qt.Key.Key_Down)
    qtbot.keyClick(page.watch.requests, Qt.Key.Key_Down)
    assert page.selection == page.watch.grid.selection == page.watch.requests.selected_row()
    assert page.selection is not None


@pytest.mark.parametrize("seq_id", [None, 3])
def test_the_keyboard_coming_into_a_table_changes_no_selection(
    make: Make, qtbot: QtBot, seq_id: int | None
) -> None:
    page = with_run(make())
    page.select(seq_id)
    page.watch.requests.setFocus(Qt.FocusReason.TabFocusReason)
    page.seek(21)
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_T)
    assert page.watch.block_list.hasFocus()
    assert page.selection == page.watch.timeline.selection == page.watch.requests.selected_row() == seq_id


def test_the_answer_of_the_selected_request_grows_and_shrinks_with_the_playhead(make: Make) -> None:
    page = with_run(make(), 0)
    page.seek(2)
    page.select(0)
    for position in (2, 10, 11, 12, 5, page.player.last):
        page.seek(position)
        sequence = page.player.state.sequences[0]
        assert page.watch.answer.text.toPlainText() == sequence.prompt + sequence.text
    assert page.watch.requests.currentIndex().row() == 0


def test_the_figures_are_those_of_the_trace_at_the_playhead(make: Make) -> None:
    page = with_run(make(), 15)
    step = next(event for event in busy_trace() if isinstance(event, StepTimed) and event.step == 15)
    owned = 20 - step.num_free_blocks
    assert page.watch.pool.text() == f"{owned} of 20 owned, {5 * owned} %"
    assert page.watch.queue.text().startswith(f"{step.num_running} running, {step.num_waiting} waiting, ")
    assert page.watch.pace.text().startswith("10 ms a step, ")
    assert page.source.text() == "Measured on this machine: none, torch kernels, cpu"


def test_a_long_runs_old_requests_leave_the_list_and_the_others_are_still_found(make: Make) -> None:
    page = make()
    events = LittleScheduler([Request(f"r{i}", 2, 1, i) for i in range(260)], num_blocks=40).run()
    page.player.feed(events)
    page.seek(page.player.last)
    rows = page.watch.requests.table.rows
    assert len(rows) == 200
    assert rows[0][1] == "r60"
    picked: list[int] = []
    page.watch.requests.selected.connect(picked.append)
    page.watch.requests.selectRow(3)
    assert picked == [63]
    page.select(259)
    assert page.watch.requests.selected_row() == 199
    page.select(5)
    assert page.watch.requests.selected_row() is None


def test_a_step_lays_nothing_out_anew(make: Make) -> None:
    page = make()
    page.player.feed(LittleScheduler([Request(f"r{i}", 5, 40) for i in range(6)], num_blocks=60).run())
    page.select(2)
    page.seek(5)
    for _ in range(5):
        QApplication.processEvents()
    asked: list[QObject] = []

    class Listener(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if (
                event.type() == QEvent.Type.LayoutRequest
                and isinstance(watched, QWidget)
                and watched.layout()
            ):
                asked.append(watched)
            return False

    listener, application = Listener(), QApplication.instance()
    assert application is not None
    application.installEventFilter(listener)
    said = set()
    for position in range(6, page.player.last):
        page.seek(position)
        said.add((page.watch.pool.text(), page.watch.queue.text(), page.watch.pace.text()))
        QApplication.processEvents()
    application.removeEventFilter(listener)
    assert len(said) > 10
    assert asked == []


def test_only_requests_in_sight_are_put_into_words(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    page = make()
    events = LittleScheduler(
        [Request(f"r{i}", 2, 40) for i in range(120)], num_blocks=2000, max_num_seqs=120, budget=240
    ).run()
    page.player.feed(events)
    page.seek(10)
    QApplication.processEvents()
    worded: list[int] = []
    cells = request_list._cells
    monkeypatch.setattr(
        request_list, "_cells", lambda sequence: worded.append(sequence.seq_id) or cells(sequence)
    )
    changed: list[tuple[int, int]] = []
    page.watch.requests.table.dataChanged.connect(
        lambda first, last: changed.append((first.column(), last.column()))
    )
    page.seek(11)
    QApplication.processEvents()
    assert 5 < len(set(worded)) < 40
    assert (3, 3) in changed, "the answers have grown"
    assert all(first == last for first, last in changed)
    assert [row[3] for row in page.watch.requests.table.rows] == ["11/40"] * 120
    assert len(set(worded)) == 120


def test_in_a_low_window_the_story_makes_room_when_a_run_begins(make: Make) -> None:
    for height, stays in ((600, False), (900, True)):
        page = make(RecordedClient())
        page.resize(1100, height)
        page.show()
        page.run()
        assert page.head.words.isVisible() == stays
        page.head.story_button.setChecked(True)
        page.frame()
        assert page.head.words.isVisible()


def test_what_many_requests_do_is_folded_in_one_frame_and_shown_in_the_next_but_a_person_sees_at_once_what_they_do(
    make: Make, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    page = make(RecordedClient(batches=4))
    page._timer.setInterval(10**6)  # frames come by hand
    monkeypatch.setattr("ladder_desktop.live.live_page.CROWD", 0)
    shown = lambda: page.transport.counter.text()  # noqa: E731
    page.run()
    page.player.speed = FULL_SPEED
    page.frame()
    page.frame()
    was = shown()
    page.frame()
    folded = page.player.place_words
    assert folded != was == shown(), "much was folded: painting waits"
    page.frame()
    assert shown() == folded == page.player.place_words, "the next frame paints, and folds nothing more"
    page.frame()
    page.toggle()
    assert shown() == page.player.place_words != folded, "a pause shows where it is"
    page.step_by(-1)
    assert shown() == page.player.place_words
    page.seek(page.player.last)
    edge = page.player.last
    page.step_by(1)
    page.frame()
    assert shown() == page.player.place_words == f"step {edge + 1} of {page.player.last}", (
        "and so does a step"
    )
    page.toggle()
    page._timer.setInterval(1)
    qtbot.waitUntil(lambda: not page._timer.isActive(), timeout=5_000)
    assert page.player.ended
    assert shown() == page.player.place_words, "the last of a run is shown too"
