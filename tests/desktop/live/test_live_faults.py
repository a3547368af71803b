from __future__ import annotations

import pytest
from ladder_engine.errors import TraceFileError
from ladder_engine.serving.client import EngineClient
from ladder_engine.tracing.events import RunEnded
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import Make, RecordedClient, client_of, with_run
from tests.traces import busy_trace

# The offscreen platform cannot tell a window its least size, and says so for every page with a layout.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


def test_an_engine_that_fails_says_one_sentence_and_what_came_stays(make: Make) -> None:
    page = make(RecordedClient(batches=3, failure="The engine was ended by signal 9."))
    page.run()
    page.frame()
    page.frame()
    assert page.head.message.text() == "The engine was ended by signal 9."
    assert not page.player.playing
    assert page.player.last > 3
    assert page.head.button.text() == "Run"
    page.step_by(page.player.last + 5)
    assert page.player.bound == page.player.last, "no step is asked for that will not come"
    assert page.transport.play.text() == "Replay", "nothing more will come"
    page.toggle()
    assert page.player.position == 0
    page.seek(page.player.last)
    page.frame()
    assert not page.player.playing
    assert not page._timer.isActive()


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
    assert (page.player.last, page.selection, page.watch.timeline.num_steps) == (0, None, 0)
    page.frame()
    assert page.watch.timeline.num_steps == page.player.last
    assert client_of(page).calls[-1] == "run 03-more-than-fits.yaml"


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


def test_a_full_disk_stops_the_run_and_is_told_once(make: Make) -> None:
    """Events are still under way when it happens; the next run may say the same again."""
    page = make(RecordedClient(batches=5))
    page._timer.stop()
    told: list[str] = []
    page.failed.connect(told.append)

    def full(_events: object) -> None:
        raise TraceFileError("The disk is full; make room.")

    for runs in (1, 2):
        page.run()
        page._timer.stop()
        page.frame()
        steps = page.player.last
        assert steps > 0
        page.player.recording.feed = full  # type: ignore[method-assign]
        for _ in range(4):
            page.frame()
        assert told == ["The disk is full; make room."] * runs
        assert page.player.last == steps
        assert not page.player.playing


def test_where_numbers_come_from_is_not_said_of_a_run_that_has_not_begun(make: Make) -> None:
    page = with_run(make())
    assert "kernels" in page.source.text()
    client_of(page).queue = []
    page.starter._clear()
    page.refresh()
    assert page.source.text() == ""
