from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.theme import Theme, load_theme
from ladder_engine.client import EngineClient
from ladder_engine.errors import EngineError
from ladder_engine.scenario import bundled_scenarios
from ladder_engine.trace import AnyEvent, RunEnded, StepTimed
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.traces import busy_trace

# The offscreen platform cannot tell a window its least size, and says so for every page with a layout.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


class RecordedClient(EngineClient):
    """Plays back a trace as if the engine's process had said it, `batches` polls long; no process is started."""

    def __init__(self, batches: int = 1, failure: str | None = None) -> None:
        super().__init__(command=())
        self.calls: list[str] = []
        self.failure = failure
        self.batches = batches
        self.queue: list[list[AnyEvent] | EngineError] = []

    @property
    def starting(self) -> bool:
        return False

    @property
    def running(self) -> bool:
        return bool(self.queue)

    def run(self, scenario: Path, kernels: object = "auto") -> None:
        self.calls.append(f"run {scenario.name}")
        events = busy_trace()
        size = -(-len(events) // self.batches)
        self.queue = [events[at : at + size] for at in range(0, len(events), size)]
        if self.failure:
            self.queue[1:] = [EngineError(self.failure)]

    def poll(self) -> list[AnyEvent]:
        item = self.queue.pop(0) if self.queue else []
        if isinstance(item, EngineError):
            raise item
        return item

    def stop(self) -> None:
        self.calls.append("stop")

    def close(self) -> None:
        self.calls.append("close")


Make = Callable[..., LivePage]


@pytest.fixture(scope="module")
def theme() -> Theme:
    return load_theme("light")


@pytest.fixture
def make(qtbot: QtBot, theme: Theme) -> Iterator[Make]:
    """Build a shown page over a recorded client; its timer is left to the page, frames can be asked for by hand."""
    pages: list[LivePage] = []

    def build(client: EngineClient | None = None) -> LivePage:
        page = LivePage(bundled_scenarios(), theme, lambda: client or RecordedClient())
        qtbot.addWidget(page)
        page.resize(1280, 800)
        with qtbot.waitExposed(page):
            page.show()
        page.activate()
        pages.append(page)
        return page

    yield build
    for page in pages:
        page.shutdown()


def with_run(page: LivePage, position: int = 20) -> LivePage:
    page.run()
    page.frame()
    page.player.pause()
    page.seek(position)
    return page


def client_of(page: LivePage) -> RecordedClient:
    assert isinstance(page._client, RecordedClient)
    return page._client


def test_a_run_plays_by_itself_to_its_end_and_then_the_timer_stops(make: Make, qtbot: QtBot) -> None:
    page = make(RecordedClient(batches=9))
    page.player.speed = 120
    assert not page._timer.isActive()
    page.run()
    assert page.head.message.text() == "Starting the engine…"
    assert page._timer.isActive()
    qtbot.waitUntil(lambda: page.player.ended, timeout=20_000)
    qtbot.waitUntil(lambda: not page._timer.isActive(), timeout=5_000)

    assert client_of(page).calls == ["run 1-short-chats.yaml"]
    assert page.head.message.text() == ""
    assert page.transport.counter.text() == f"step {page.player.last} of {page.player.last}"
    assert page.transport.play.text() == "Replay"
    assert page.head.button.text() == "Run"


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
        qtbot.keyClick(page.timeline, key)
    elif by == "button":
        qtbot.mouseClick(getattr(page.transport, button), Qt.MouseButton.LeftButton)
    else:
        name = {"back": "One step back", "forward": "One step on"}[button]
        next(action for action in page.page_actions() if action.text() == name).trigger()
    assert page.player.position == position
    assert page.transport.counter.text().startswith(f"step {position} of ")
    assert page.transport.slider.value() == position
    assert page.grid.state is page.player.state


def test_space_plays_and_pauses_wherever_the_keyboard_is_in_the_views(make: Make, qtbot: QtBot) -> None:
    page = with_run(make())
    for view in (page.timeline, page.grid, page.requests, page.transport.slider):
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
    qtbot.keyClick(page.timeline, Qt.Key.Key_BracketRight)
    assert page.transport.speed.text() == "30 steps/s"
    qtbot.keyClick(page.timeline, Qt.Key.Key_BracketLeft)
    qtbot.keyClick(page.timeline, Qt.Key.Key_BracketLeft)
    assert page.transport.speed.text() == "10 steps/s"


@pytest.mark.parametrize("road", ["grid", "timeline", "requests"])
def test_a_selection_lights_every_view_and_escape_clears_it(make: Make, qtbot: QtBot, road: str) -> None:
    page = with_run(make())
    seq_id = page.player.state.running[-1]
    sequence = page.player.state.sequences[seq_id]
    left = Qt.MouseButton.LeftButton
    if road == "grid":
        point = page.grid.cell_rect(sequence.block_table[0]).center().toPoint()
        qtbot.mouseClick(page.grid, left, pos=point)
    elif road == "timeline":
        qtbot.mouseClick(page.timeline.viewport(), left, pos=QPoint(60, 18 + 16 * seq_id + 8))
    else:
        index = page.requests.model().index(seq_id, 1)
        qtbot.mouseClick(page.requests.viewport(), left, pos=page.requests.visualRect(index).center())

    assert page.grid.selection == page.timeline.selection == page.requests.selected_row() == seq_id
    assert page.answer.text.toPlainText() == sequence.prompt + sequence.text
    assert sequence.name in page.answer.head.text()

    qtbot.keyClick(page.timeline, Qt.Key.Key_Escape)
    assert page.grid.selection is page.timeline.selection is None
    assert not page.requests.selectionModel().hasSelection()
    assert page.answer.text.toPlainText() == ""


def test_arrow_keys_in_the_list_of_requests_select(make: Make, qtbot: QtBot) -> None:
    page = with_run(make())
    page.requests.setFocus()
    qtbot.keyClick(page.requests, Qt.Key.Key_Down)
    qtbot.keyClick(page.requests, Qt.Key.Key_Down)
    assert page.selection == page.grid.selection == page.requests.selected_row()
    assert page.selection is not None


@pytest.mark.parametrize("seq_id", [None, 3])
def test_the_keyboard_coming_into_a_table_changes_no_selection(
    make: Make, qtbot: QtBot, seq_id: int | None
) -> None:
    page = with_run(make())
    page.select(seq_id)
    page.requests.setFocus(Qt.FocusReason.TabFocusReason)
    page.seek(21)
    qtbot.keyClick(page.timeline, Qt.Key.Key_T)
    assert page.block_list.hasFocus()
    assert page.selection == page.timeline.selection == page.requests.selected_row() == seq_id


def test_the_answer_of_the_selected_request_grows_and_shrinks_with_the_playhead(make: Make) -> None:
    page = with_run(make(), 0)
    page.seek(2)
    page.select(0)
    for position in (2, 10, 11, 12, 5, page.player.last):
        page.seek(position)
        sequence = page.player.state.sequences[0]
        assert page.answer.text.toPlainText() == sequence.prompt + sequence.text
    assert page.requests.currentIndex().row() == 0


def test_the_figures_are_those_of_the_trace_at_the_playhead(make: Make) -> None:
    page = with_run(make(), 15)
    step = next(event for event in busy_trace() if isinstance(event, StepTimed) and event.step == 15)
    owned = 20 - step.num_free_blocks
    assert page.pool.text() == f"{owned} of 20 owned, {5 * owned} %"
    assert page.queue.text().startswith(f"{step.num_running} running, {step.num_waiting} waiting, ")
    assert page.pace.text().startswith("10 ms a step, ")
    assert page.source.text() == "Measured on this machine: none, torch kernels, cpu"


def test_an_engine_that_fails_says_one_sentence_and_what_came_stays(make: Make) -> None:
    page = make(RecordedClient(batches=3, failure="The engine was ended by signal 9."))
    page.run()
    page.frame()
    page.frame()
    assert page.head.message.text() == "The engine was ended by signal 9."
    assert not page.player.playing
    assert page.player.last > 3
    assert page.head.button.text() == "Run"


def test_a_run_that_broke_off_says_why(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    page = make()
    events = busy_trace()
    broken = [
        *events[:-1],
        RunEnded(step=events[-1].step, time=9.0, error="scenario.yaml: the run broke off."),
    ]
    page.run()
    client_of(page).queue = [broken]
    page.frame()
    assert page.head.message.text() == "scenario.yaml: the run broke off."


def test_a_trace_that_does_not_add_up_says_so_and_stops_the_run(make: Make) -> None:
    page = make()
    page.run()
    events = busy_trace()
    client_of(page).queue = [[*events[:30], *events[29:]]]
    page.frame()
    assert "does not add up" in page.head.message.text() or "timed" in page.head.message.text()
    assert client_of(page).calls[-1] == "stop"


def test_an_engine_that_cannot_be_started_says_so(make: Make) -> None:
    page = make(EngineClient(["/no/such/engine"]))
    page.run()
    assert page.head.message.text().startswith("The engine cannot be started: ")
    assert not page._timer.isActive()


def test_running_again_starts_from_nothing(make: Make) -> None:
    page = with_run(make())
    page.select(2)
    page.head.picker.setCurrentIndex(2)
    page.run()
    assert (page.player.last, page.selection, page.timeline.cells.num_steps) == (0, None, 0)
    page.frame()
    assert page.timeline.cells.num_steps == page.player.last
    assert client_of(page).calls[-1] == "run 3-more-than-fits.yaml"


def test_the_button_stops_a_run(make: Make, qtbot: QtBot) -> None:
    page = make(RecordedClient(batches=500))
    page.run()
    page.frame()
    assert page.head.button.text() == "Stop"
    page.head.press()
    assert client_of(page).calls[-1] == "stop"


def test_shutdown_closes_the_client(make: Make) -> None:
    page = make()
    page.run()
    page.shutdown()
    assert client_of(page).calls[-1] == "close"
    assert not page._timer.isActive()


def test_the_story_and_what_to_look_at_follow_the_scenario(make: Make, qtbot: QtBot) -> None:
    page = make()
    for index, scenario in enumerate(bundled_scenarios()):
        page.head.picker.setCurrentIndex(index)
        assert page.head.story.text() == " ".join(scenario.story.split())
        assert all(line[:20] in page.head.look_at.text() for line in scenario.look_at)
    qtbot.keyClick(page.timeline, Qt.Key.Key_S)
    assert not page.head.words.isVisible()


def test_the_table_of_blocks_says_what_the_grid_shows(make: Make, qtbot: QtBot) -> None:
    page = with_run(make(), 6)
    qtbot.keyClick(page.timeline, Qt.Key.Key_T)
    assert page.block_list.isVisible()
    assert not page.grid.isVisible()
    state = page.player.state
    rows = page.block_list.table.rows
    for sequence in state.sequences.values():
        for position, block_id in enumerate(sequence.block_table):
            tokens = sequence.tokens_in_block(position, 4)
            assert rows[block_id][:4] == (str(block_id), sequence.name, str(position), str(tokens))
    assert [row[1] for row in rows].count("free") == state.num_free_blocks
    assert [i for i, row in enumerate(rows) if row[4] == "new"] == sorted(dict(state.steps[-1].allocated))

    owner = state.running[1]
    page.block_list.setCurrentIndex(page.block_list.table.index(state.sequences[owner].block_table[0], 1))
    assert page.timeline.selection == owner
    qtbot.keyClick(page.block_list, Qt.Key.Key_T)
    assert page.grid.isVisible()


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
    wanted = {*page.findChildren(QPushButton), page.head.picker, page.grid, page.timeline, page.requests}
    assert {widget for widget in wanted if widget.isEnabled()} <= reached


def test_an_empty_page_says_what_goes_where(make: Make) -> None:
    page = make()
    assert not page.transport.play.isEnabled()
    assert page.answer.head.text() == "No request is selected"
    for view in (page.grid, page.timeline):
        assert not view.grab().isNull()
