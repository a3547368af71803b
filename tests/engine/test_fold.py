from __future__ import annotations

import copy
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_engine.tracing import events as trace
from ladder_engine.tracing.events import AnyEvent
from ladder_engine.tracing.fold import TAKES, TraceError, fold
from ladder_engine.tracing.state import FREE, RunState
from msgspec.structs import replace

from tests.traces import LittleScheduler, Request, busy_trace, shared_trace, traces


@given(traces(), st.data())
def test_fold_of_a_prefix_then_the_rest_is_the_fold_of_all(
    events: list[AnyEvent], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(events)))
    prefix = fold(events[:cut])
    before = copy.deepcopy(prefix)

    assert fold(events[cut:], prefix) == fold(events)
    assert prefix == before, "fold changed the state that it was given"


@given(traces())
def test_after_every_step_each_block_has_one_owner_that_lists_it(events: list[AnyEvent]) -> None:
    state = RunState()
    for event in events:
        state = fold([event], state)
        if isinstance(event, trace.StepTimed):
            tables = {block: s.seq_id for s in state.sequences.values() for block in s.block_table}
            owners = {block: owner for block, owner in enumerate(state.block_owner) if owner != FREE}
            assert tables == owners
            assert sum(state.tokens_in_blocks()) == sum(
                state.sequences[i].num_computed_tokens for i in state.running
            )


@given(traces())
def test_the_fold_agrees_with_the_scheduler_that_made_the_trace(events: list[AnyEvent]) -> None:
    state = fold(events)

    assert state.ended == trace.RunEnded(step=events[-1].step, time=events[-1].time)
    assert (state.waiting, state.running) == ([], [])
    assert state.num_free_blocks == len(state.block_owner)
    for sequence in state.sequences.values():
        if sequence.status == "finished":
            assert sequence.num_output_tokens == sequence.max_tokens
            assert (
                sequence.num_computed_tokens == sequence.num_tokens - 1
            )  # the last token said is never computed
            assert sequence.text.count(" ") == sequence.max_tokens
        else:
            assert sequence.status == "refused"
            assert sequence.refusal


def test_times_come_from_the_events() -> None:
    events = LittleScheduler([Request("a", 5, 4)]).run()
    said = [event.time for event in events if isinstance(event, trace.Sampled)]
    arrived = next(event.time for event in events if isinstance(event, trace.Arrived))
    sequence = fold(events).sequences[0]

    assert sequence.ttft == pytest.approx(said[0] - arrived)
    assert sequence.tpot == pytest.approx((said[-1] - said[0]) / 3)


def test_the_busy_trace_shows_what_the_panel_must_show() -> None:
    state = fold(busy_trace())

    assert any(step.preempted for step in state.steps)
    assert any(step.waiting for step in state.steps)
    assert {"refused", "finished"} == {s.status for s in state.sequences.values()}
    kinds = [{work.kind for work in step.work} for step in state.steps]
    assert {"prefill", "decode"} in kinds
    assert sum(len(step.allocated) for step in state.steps) == sum(len(step.freed) for step in state.steps)
    assert all(step.num_tokens <= 16 for step in state.steps)
    assert sum(step.num_sampled for step in state.steps) == state.num_output_tokens


def test_every_kind_of_event_can_be_applied() -> None:
    assert set(TAKES) == set(get_args(AnyEvent))


KINDS = {type(event) for event in busy_trace()}


def without(kind: type[AnyEvent]) -> list[AnyEvent]:
    """Return the busy trace without the first event of this kind."""
    events = busy_trace()
    events.remove(next(event for event in events if isinstance(event, kind)))
    return events


def twice(kind: type[AnyEvent]) -> list[AnyEvent]:
    """Return the busy trace with the first event of this kind said twice."""
    events = busy_trace()
    at = next(i for i, event in enumerate(events) if isinstance(event, kind))
    return [*events[: at + 1], *events[at:]]


@pytest.mark.parametrize(
    "kind",
    sorted(KINDS - {trace.Waits, trace.RunEnded}, key=lambda kind: kind.__name__),
    ids=lambda k: k.__name__,
)
def test_a_trace_that_misses_an_event_does_not_add_up(kind: type[AnyEvent]) -> None:
    with pytest.raises(TraceError) as error:
        fold(without(kind))
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "kind", sorted(KINDS - {trace.Waits}, key=lambda kind: kind.__name__), ids=lambda k: k.__name__
)
def test_a_trace_that_says_a_thing_twice_does_not_add_up(kind: type[AnyEvent]) -> None:
    with pytest.raises(TraceError):
        fold(twice(kind))


@given(traces(), st.data())
def test_a_damaged_trace_folds_or_raises_one_sentence(events: list[AnyEvent], data: st.DataObject) -> None:
    place = st.integers(0, len(events) - 1)
    for _ in range(data.draw(st.integers(1, 3))):
        a, b = data.draw(place), data.draw(place)
        events[a], events[b] = events[b], events[a]
    damage = data.draw(st.sampled_from(["none", "cut", "drop", "repeat"]))
    at = data.draw(place)
    events = {
        "none": events,
        "cut": events[:at],
        "drop": events[:at] + events[at + 1 :],
        "repeat": events[: at + 1] + events[at:],
    }[damage]
    said = "It folds."
    try:
        fold(events)
    except TraceError as error:
        said = str(error)
    assert said.endswith(".")
    assert "\n" not in said


def test_a_block_freed_twice_is_named() -> None:
    with pytest.raises(
        TraceError,
        match=r"^The trace does not add up in step \d+: chat-\d frees block \d+, which it does not own\.$",
    ):
        fold(twice(trace.BlocksFreed))


def test_another_schema_is_refused() -> None:
    first = replace(busy_trace()[0], schema=99)
    with pytest.raises(TraceError, match="schema 99"):
        fold([first])


def changed(kind: type[AnyEvent], **fields: object) -> list[AnyEvent]:
    """Return the busy trace with one field of the last event of this kind changed."""
    events = busy_trace()
    at = max(i for i, event in enumerate(events) if isinstance(event, kind))
    events[at] = replace(events[at], **fields)
    return events


@pytest.mark.parametrize(
    ("events", "what"),
    [
        (changed(trace.BlocksAllocated, block_ids=(999,)), "block 999 does not exist"),
        (changed(trace.Admitted, seq_id=77), "sequence 77 never arrived"),
        (changed(trace.Scheduled, num_tokens=50), "is scheduled up to token"),
        (changed(trace.Scheduled, start=3), "is scheduled from 3"),
        (changed(trace.StepTimed, num_free_blocks=3), "3 free blocks and"),
        (changed(trace.Finished, step=400), "says step 400"),
    ],
)
def test_an_event_that_cannot_follow_is_named(events: list[AnyEvent], what: str) -> None:
    with pytest.raises(TraceError, match=what):
        fold(events)


def test_shared_and_cached_blocks_in_the_state() -> None:
    state = fold(shared_trace())
    assert [state.owners(block) for block in range(8)] == [(0, 2), (0, 2), (0,), (2,), (), (), (), ()]
    assert (state.block_owner, state.num_free_blocks) == ([0, 0, 0, 2, *[FREE] * 4], 4)
    assert state.cached_block_ids == [4]
    assert {block: (kept.seq_id, kept.position) for block, kept in state.cached.items()} == {
        0: (0, 0),
        1: (0, 1),
        4: (1, 0),
    }
    assert state.tokens_in_blocks() == [4, 4, 2, 2, 4, 0, 0, 0]
    assert state.sequences[2].num_cached_tokens == 8
    assert state.steps[-1].shared == ((0, 2), (1, 2))
    middle = len(shared_trace()) - 4
    before = fold(shared_trace()[:middle])
    kept = copy.deepcopy(before)
    assert fold(shared_trace()[middle:], before) == state
    assert before == kept


@pytest.mark.parametrize(
    "index",
    [i for i, e in enumerate(shared_trace()) if not isinstance(e, trace.StepTimed | trace.Sampled)][1:],
)
def test_a_trace_with_sharing_that_misses_an_event_does_not_add_up(index: int) -> None:
    events = shared_trace()
    del events[index]
    with pytest.raises(TraceError):
        fold(events)


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        (trace.BlocksShared, {"block_ids": (0, 5)}, "shares block 5, which is not cached"),
        (trace.BlocksShared, {"block_ids": (0, 1, 4)}, "has none to compute"),
        (trace.BlocksCached, {"block_ids": (0, 5)}, "block 5 of ada cannot be cached"),
        (trace.BlocksAllocated, {"block_ids": (4,)}, "while it is cached"),
        (trace.StepTimed, {"num_cached_blocks": 0}, "and 0 cached ones"),
    ],
)
def test_sharing_that_cannot_be_is_named(kind: type[AnyEvent], change: dict[str, int], what: str) -> None:
    events = shared_trace()
    of_kind = [i for i, event in enumerate(events) if isinstance(event, kind)]
    at = of_kind[0] if kind is trace.BlocksCached else of_kind[-1]
    events[at] = replace(events[at], **change)
    with pytest.raises(TraceError, match=what):
        fold(events)


@pytest.mark.parametrize("block", [2, 5, 0])
def test_only_a_cached_block_without_owner_is_evicted(block: int) -> None:
    events = shared_trace()
    with pytest.raises(TraceError, match=f"block {block} is evicted"):
        fold([*events, trace.BlocksEvicted(step=3, time=1.0, block_ids=(block,))])
    state = fold([*events, trace.BlocksEvicted(step=3, time=1.0, block_ids=(4,))])
    assert state.cached_block_ids == []


def test_a_block_cannot_be_given_away_while_it_is_owned() -> None:
    events = busy_trace()
    firsts = [event for event in events if isinstance(event, trace.BlocksAllocated)][:2]
    events[events.index(firsts[1])] = replace(firsts[1], block_ids=firsts[0].block_ids[:1])
    with pytest.raises(TraceError, match=r"while .* owns it"):
        fold(events)


@given(traces())
def test_each_block_says_since_when_it_has_been_owned_or_free(events: list[AnyEvent]) -> None:
    since: dict[int, int] = {}
    for event in events:
        if isinstance(event, trace.BlocksAllocated | trace.BlocksFreed):
            since |= dict.fromkeys(event.block_ids, event.step)
    state = fold(events)
    assert state.since == [since.get(block_id, 0) for block_id in range(len(state.block_owner))]
