from __future__ import annotations

from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.live.player import FULL_SPEED, SPEEDS, Player
from ladder_engine.tracing.events import AnyEvent, Arrived, Refused, StepTimed
from ladder_engine.tracing.fold import RunState, TraceError, fold

from tests.traces import LittleScheduler, Request, busy_trace, traces


def from_scratch(events: list[AnyEvent], position: int, last: int) -> RunState:
    """Fold the events up to the end of a step, and the arrivals before the next, by nothing but their own step numbers."""
    upto = [event for event in events if event.step <= position or position == last]
    following = [event for event in events if event.step == position + 1 and position < last]
    return fold([*upto, *takewhile(lambda event: isinstance(event, Arrived | Refused), following)])


def player_of(events: list[AnyEvent], speed: int = 20) -> Player:
    player = Player(speed)
    player.feed(events)
    return player


@given(traces(), st.data())
def test_every_position_is_the_fold_from_scratch(events: list[AnyEvent], data: st.DataObject) -> None:
    player = Player()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(events)), max_size=4)))
    for start, end in zip([0, *cuts], [*cuts, len(events)], strict=True):
        player.feed(events[start:end])
    positions = data.draw(st.permutations(range(player.last + 1)))

    for position in positions[:30]:
        player.seek(position)
        assert player.position == position
        assert player.state == from_scratch(events, position, player.last)
    assert player.edge == fold(events)


def test_a_long_run_is_right_at_every_position_in_both_directions() -> None:
    events = LittleScheduler([Request(f"r{i}", 30, 40, i * 9) for i in range(12)]).run()
    player = player_of(events)
    assert player.last > 100
    for position in [*range(0, player.last + 1, 5), *range(player.last, -1, -7)]:
        player.seek(position)
        assert player.state == from_scratch(events, position, player.last)


def test_a_step_in_progress_is_not_shown() -> None:
    events = busy_trace()
    first = next(i for i, event in enumerate(events) if isinstance(event, StepTimed))
    player = player_of(events[:first])
    assert player.last == 0
    assert len(player.edge.steps) == 0
    player.feed(events[first : first + 1])
    assert player.last == 1


def test_at_the_live_edge_the_playhead_waits_and_saves_up_no_steps() -> None:
    events = busy_trace()
    times = [i for i, event in enumerate(events) if isinstance(event, StepTimed)]
    player = player_of(events[: times[3] + 1], speed=10)
    player.play()
    assert player.tick(100.0)
    assert player.position == 4
    assert not player.tick(100.0)
    assert player.playing

    player.feed(events[times[3] + 1 :])
    player.tick(0.0)
    assert player.position <= 5


def test_speed_is_steps_per_second() -> None:
    player = player_of(busy_trace(), speed=10)
    player.play()
    for _ in range(100):
        player.tick(0.01)
    assert player.position in (9, 10)


def test_at_the_end_it_stops_and_play_starts_again() -> None:
    player = player_of(busy_trace())
    player.play()
    player.tick(1000.0)
    assert player.ended
    assert not player.playing

    player.play()
    assert player.position == 0
    assert player.playing


def test_stepping_pauses_and_stays_inside_the_run() -> None:
    player = player_of(busy_trace())
    player.play()
    player.step_by(3)
    assert (player.position, player.playing) == (3, False)
    player.step_by(-10)
    assert player.position == 0
    player.step_by(10_000)
    assert player.position == player.last


def test_speed_has_notches_and_ends() -> None:
    player = Player(20)
    player.change_speed(1)
    assert player.speed == 30
    player.change_speed(-100)
    assert player.speed == SPEEDS[0] == 1
    player.change_speed(100)
    assert player.speed == SPEEDS[-1] == FULL_SPEED


def test_a_trace_that_does_not_add_up_is_said_when_it_arrives() -> None:
    events = busy_trace()
    with pytest.raises(TraceError):
        Player().feed([*events[:20], *events[19:]])


def test_clear_forgets_the_run_and_keeps_the_speed() -> None:
    player = player_of(busy_trace(), speed=5)
    player.seek(3)
    player.clear()
    assert (player.position, player.last, player.speed, player.state) == (0, 0, 5, RunState())


@given(traces(), st.integers(1, 40), st.booleans())
def test_the_state_is_always_that_of_its_position_however_the_events_come(
    events: list[AnyEvent], at_once: int, follows: bool
) -> None:
    player = Player()
    for at in range(0, len(events), at_once):
        player.feed(events[at : at + at_once])
        assert player.state == player.recording.state(player.position)
        if follows:
            player.seek(player.last)
    player.close()
