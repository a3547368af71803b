from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from ladder_content.model import Pack
from ladder_desktop.review.stopwatch import Stopwatch
from ladder_desktop.review.ticket_state import ticket_state
from ladder_desktop.review.wording import when
from ladder_desktop.study import Desk, Rating

from .conftest import Seconds, TravelClock

NOW = datetime(2026, 10, 20, 22, 30, tzinfo=UTC)  # a Tuesday


@pytest.mark.parametrize(
    ("due", "words"),
    [
        ("2026-10-20 22:30:00", "now"),
        ("2026-10-20 22:30:20", "in 1 min"),
        ("2026-10-20 22:34:00", "in 4 min"),
        ("2026-10-20 23:45:00", "at 23:45"),
        ("2026-10-21 04:00:00", "tomorrow"),
        ("2026-10-22 04:00:00", "on Thursday"),
        ("2026-10-27 04:00:00", "on 27 October"),
        ("2027-03-03 04:00:00", "on 3 March 2027"),
    ],
)
def test_when(due: str, words: str) -> None:
    assert when(datetime.fromisoformat(due).replace(tzinfo=UTC), NOW, UTC) == words


def test_stopwatch_pauses_and_is_capped() -> None:
    seconds = Seconds(100.0)
    watch = Stopwatch(seconds=seconds)
    assert watch.elapsed() == timedelta()
    watch.start()
    seconds.value += 7
    watch.pause()
    seconds.value += 1000
    assert watch.elapsed() == timedelta(seconds=7)
    watch.resume()
    watch.resume()
    seconds.value += 5
    assert watch.elapsed() == timedelta(seconds=12)
    seconds.value += 3600
    assert watch.elapsed() == timedelta(seconds=60)
    watch.start()
    assert watch.elapsed() == timedelta()


def test_a_ticket_goes_from_new_over_learning_to_done_to_due(
    desk: Desk, pack: Pack, clock: TravelClock
) -> None:
    name = "demo/manuals"

    def standing() -> tuple[str, str]:
        found = ticket_state(desk.memory(name), clock.now(), clock.zone())
        return found.standing, found.next

    assert standing() == ("new", "")
    desk.answer(name, Rating.GOOD, timedelta())
    assert standing() == ("learning", "in 10 min")
    clock.pass_by(minutes=10)
    assert standing() == ("due", "now")
    answered = desk.answer(name, Rating.EASY, timedelta())
    assert standing()[0] == "done"
    clock.at = answered.due
    assert standing() == ("due", "now")
