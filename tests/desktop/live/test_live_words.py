from __future__ import annotations

from typing import get_args

import pytest
from ladder_desktop.live.block_words import block_words
from ladder_desktop.live.figures import pace_figures, tokens_per_second
from ladder_desktop.live.words import (
    ENDS,
    SHORT,
    WAITS,
    contrast,
    readable_on,
    seconds,
    short_status,
    status_words,
    step_words,
)
from ladder_desktop.theme import load_theme
from ladder_engine.tracing.events import FinishReason, Preempted, WaitReason
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.state import RunState, Step, Work
from msgspec.structs import replace

from tests.traces import LittleScheduler, Request, busy_trace, shared_trace


def test_every_reason_of_the_trace_has_words() -> None:
    assert set(WAITS) == set(SHORT) == set(get_args(WaitReason))
    assert set(ENDS) == set(get_args(FinishReason))


def test_each_status_is_said_in_words() -> None:
    seen: set[str] = set()
    state = RunState()
    for event in busy_trace():
        state = fold([event], state)
        for sequence in state.sequences.values():
            seen |= {status_words(sequence), short_status(sequence)}
    assert {"has arrived", "prefilling", "decoding", "finished at max_tokens", "finished, length"} <= seen
    assert {
        "waits for a place in the batch",
        "waits: batch is full",
        "waits behind an earlier request",
    } <= seen
    assert "preempted, waits for free blocks" in seen
    assert "preempted: no free blocks" in seen
    assert "refused: chat-6 needs more blocks than there are." in seen


def test_a_preempted_step_is_described() -> None:
    events = busy_trace()
    event = next(event for event in events if isinstance(event, Preempted))
    state = fold(events)
    name = state.sequences[event.seq_id].name
    assert step_words(state, event.step, event.seq_id) == f"Step {event.step}, {name}: preempted"
    assert step_words(state, 1, 7) == "Step 1, chat-7: not here"


def test_a_block_given_up_in_this_step_says_by_whom() -> None:
    events = busy_trace()
    event = next(event for event in events if isinstance(event, Preempted))
    state = fold(e for e in events if e.step <= event.step)
    block_id = next(
        b for b, seq_id in state.steps[-1].freed if state.block_owner[b] == -1 and seq_id == event.seq_id
    )
    name = state.sequences[event.seq_id].name
    assert block_words(state, block_id) == f"Block {block_id}: free, given up by {name} in this step"


def steady_run(tokens: int, took: float, count: int) -> RunState:
    steps = [Step(number=i, said=(0,) * tokens, time=i * took, execute_s=took) for i in range(1, count + 1)]
    return replace(fold(LittleScheduler([Request("a", 3, 2)]).run()), steps=steps)


@pytest.mark.parametrize(
    ("tokens", "took", "count"), [(4, 0.01, 500), (4, 0.01, 7), (3, 0.4, 20), (1, 2.5, 9)]
)
def test_tokens_a_second_is_tokens_a_step_by_time_a_step(tokens: int, took: float, count: int) -> None:
    state = steady_run(tokens, took, count)
    assert tokens_per_second(state) == pytest.approx(tokens / took)
    assert pace_figures(state) == f"{seconds(took)} a step, {tokens / took:.0f} tokens/s"


def test_one_step_has_no_rate() -> None:
    assert tokens_per_second(steady_run(4, 0.01, 1)) is None


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "–"), (0.0004, "0 ms"), (0.412, "412 ms"), (0.9999, "1.00 s"), (12.345, "12.35 s")],
)
def test_times_are_written_with_steady_digits(value: float | None, words: str) -> None:
    assert seconds(value) == words


@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_number_can_be_read_on_every_owners_colour(name: str) -> None:
    theme = load_theme(name)
    for seq_id in range(len(theme.owners)):
        owner = theme.owner(seq_id)
        assert contrast(readable_on(owner, theme), owner) >= 4.0, theme.owners[seq_id]


def test_a_draft_is_told_with_what_came_of_it() -> None:
    state = fold(shared_trace())
    step = state.steps[-1]
    drafted = Work(seq_id=0, kind="decode", start=9, num_tokens=4, num_draft_tokens=3, num_accepted_tokens=2)
    state = replace(state, steps=[*state.steps[:-1], replace(step, work=(drafted,))])
    assert step_words(state, 2, 0) == (
        "Step 2, ada: decode of 4 tokens from position 9, 3 drafted and 2 accepted"
    )
