"""The recording against folding from scratch, with chunks so small that everything comes back from the disk."""

from __future__ import annotations

import random
from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_engine.errors import TraceFileError
from ladder_engine.tracing.events import AnyEvent, Arrived, Reconfigured, Refused, StepTimed
from ladder_engine.tracing.fold import RunState, TraceError, fold
from ladder_engine.tracing.lru import Lru
from ladder_engine.tracing.recording import Recording

from tests.engine.bench import Bench
from tests.traces import LittleScheduler, Request, busy_trace, traces


def from_scratch(events: list[AnyEvent], position: int, last: int) -> RunState:
    upto = [event for event in events if event.step <= position or position == last]
    following = [event for event in events if event.step == position + 1 and position < last]
    quiet = takewhile(lambda event: isinstance(event, Arrived | Refused | Reconfigured), following)
    return fold([*upto, *quiet])


@given(traces(), st.integers(1, 60), st.integers(1, 9), st.data())
@settings(max_examples=40)
def test_every_position_is_the_fold_from_scratch(
    events: list[AnyEvent], chunk: int, recent: int, data: st.DataObject
) -> None:
    recording = Recording(chunk_events=chunk, recent_steps=recent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(events)), max_size=4)))
    for start, end in zip([0, *cuts], [*cuts, len(events)], strict=True):
        recording.feed(events[start:end])
    assert recording.last == sum(isinstance(event, StepTimed) for event in events)
    assert recording.edge == fold(events)
    near, at = None, -1
    for position in data.draw(st.permutations(range(recording.last + 1)))[:20]:
        state = recording.state(position, near, at)
        assert state == from_scratch(events, position, recording.last)
        assert list(state.sequences) == sorted(state.sequences)
        near, at = state, position
    assert list(recording.events()) == events
    recording.close()


def test_a_long_run_reads_steps_from_memory_and_from_the_disk_alike() -> None:
    events = LittleScheduler([Request(f"r{i}", 30, 40, i * 9) for i in range(12)]).run()
    recording = Recording(chunk_events=100, recent_steps=20)
    recording.feed(events)
    whole = fold(events)
    steps = recording.edge.steps
    assert len(steps) == recording.last > 100
    assert steps[0] == whole.steps[0]
    assert steps[-1] == whole.steps[-1]
    assert steps[40:90:7] == whole.steps[40:90:7]
    assert list(reversed(steps)) == whole.steps[::-1]
    assert recording.state(50).steps[-1].number == 50
    with pytest.raises(IndexError):
        recording.state(50).steps[50]


def test_an_abort_between_two_steps_belongs_to_the_step_before_and_a_preemption_does_not() -> None:
    chance = random.Random(3)
    bench = Bench(num_blocks=10, max_num_seqs=4)
    recording = Recording(chunk_events=30, recent_steps=2)
    owners: list[list[int]] = []
    statuses: list[list[str]] = []
    for _ in range(10):
        bench.add(4, 9)
    while bench.engine.has_work:
        if bench.engine.recorder.step in (4, 5, 9) and bench.live:
            bench.engine.abort(chance.choice(bench.live).seq_id)
            bench.check_fold()
        statuses.append([seq.status for seq in bench.state.sequences.values()])
        owners.append(list(bench.state.block_owner))
        bench.step()
        bench.check_fold()
    assert any(seq.preemptions for seq in bench.state.sequences.values())
    recording.feed(bench.events)
    for position in (3, 4, 8, *range(recording.last)):
        state = recording.state(position)
        if position:  # before the first step nobody had been folded
            assert [seq.status for seq in state.sequences.values()] == statuses[position]
            assert state.block_owner == owners[position]


def test_what_happens_while_the_engine_holds_is_seen_at_once() -> None:
    bench = Bench()
    bench.add(4, 4)
    bench.step()
    recording = Recording()
    recording.feed(bench.events)
    bench.add(4, 4)
    bench.engine.configure({"max_num_seqs": 1})
    bench.engine.abort(0)
    said = len(bench.events)
    bench.engine.recorder.flush()
    recording.feed(bench.events[said:])
    assert recording.last == 1
    assert [seq.status for seq in recording.edge.sequences.values()] == ["finished", "waiting"]
    assert recording.edge.config is not None
    assert recording.edge.config.max_num_seqs == 1
    assert recording.edge.num_free_blocks == 64


def test_a_sequence_that_is_done_cannot_arrive_again() -> None:
    events = busy_trace()
    recording = Recording(chunk_events=10)
    recording.feed(events[:-1])
    again = next(event for event in events if isinstance(event, Arrived))
    last = events[-1]
    with pytest.raises(TraceError, match="arrives a second time"):
        recording.feed([type(again)(**{**_fields(again), "step": last.step + 1, "time": last.time})])


def _fields(event: AnyEvent) -> dict[str, object]:
    return {name: getattr(event, name) for name in event.__struct_fields__}


def test_a_full_disk_is_one_sentence_and_what_was_recorded_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    events = busy_trace()
    recording = Recording(chunk_events=40)

    class Full:
        def seek(self, *_where: int) -> int:
            return 0

        def write(self, _data: bytes) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(recording, "_disk", Full())
    with pytest.raises(TraceFileError, match=r"^The recording cannot go on \(No space left on device\)"):
        recording.feed(events)
    assert recording.last > 0
    assert recording.state(recording.last) is recording.edge


def test_an_lru_forgets_what_was_used_longest_ago() -> None:
    cache: Lru[int, str] = Lru(2)
    cache.put(1, "a")
    cache.put(2, "b")
    assert cache.get(1) == "a"
    cache.put(3, "c")
    assert (cache.get(1), cache.get(2), cache.get(3)) == ("a", None, "c")
