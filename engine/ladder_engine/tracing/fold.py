"""Fold trace events back into the whole state of a run: the one function behind replay, scrubbing and summaries.

`fold` is pure: it never changes the state it is given, so a caller may keep any state as a snapshot. It is a checker
too: an event that cannot follow from what came before raises TraceError, with one sentence that names the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

from msgspec.structs import replace

from ladder_engine.tracing import events as trace
from ladder_engine.tracing.events import AnyEvent
from ladder_engine.tracing.fold_blocks import BlockFolder, TraceError
from ladder_engine.tracing.state import FREE, RunState, SequenceState, Work

__all__ = ["RunState", "TraceError", "fold"]


def fold(events: Iterable[AnyEvent], state: RunState | None = None) -> RunState:
    """Return the state after these events, starting from `state` (from nothing when None), which stays as it was.

    Raises TraceError when an event cannot follow.
    """
    folder = _Folder(_copy(state) if state is not None else RunState())
    for event in events:
        folder.take(event)
    folder.settle()
    return folder.state


def _copy(state: RunState) -> RunState:
    """Copy the containers; everything in them is frozen."""
    return replace(
        state,
        sequences=dict(state.sequences),
        waiting=list(state.waiting),
        running=list(state.running),
        block_owner=list(state.block_owner),
        since=list(state.since),
        shared=dict(state.shared),
        cached=dict(state.cached),
        host_owner=dict(state.host_owner),
        steps=list(state.steps),
    )


class _Folder(BlockFolder):
    """Applies events, one after another, to a state of its own."""

    def __init__(self, state: RunState) -> None:
        super().__init__(state)
        self._under_way = (
            -1
        )  # the step whose events may follow each other without another look at their order

    def take(self, event: AnyEvent) -> None:
        if event.step != self._under_way:
            self._check_order(event)
        TAKES[type(event)](self, event)
        self.state.time = event.time

    def _started(self, event: trace.RunStarted) -> None:
        if self.state.config is not None:
            raise TraceError("A trace starts with one RunStarted, and here is a second one.")
        if event.schema not in trace.READABLE:
            raise TraceError(
                f"The trace has schema {event.schema}, and this program reads schema {trace.SCHEMA}."
            )
        self.state.config = event
        self.state.block_owner, self.state.since = [FREE] * event.num_blocks, [0] * event.num_blocks

    def _check_order(self, event: AnyEvent) -> None:
        state = self.state
        what = type(event).__name__
        if state.config is None and not isinstance(event, trace.RunStarted):
            raise TraceError(f"A trace starts with one RunStarted, and here {what} comes in its place.")
        if state.ended is not None:
            raise TraceError(f"The trace goes on with {what} after it said that the run had ended.")
        number = state.open_step.number
        closed = number == 0 or bool(state.steps and state.steps[-1].number == number)
        if event.step == number + 1 and closed:
            self._open(event.step)
        elif event.step != number:
            raise TraceError(
                f"{what} says step {event.step} while step {number} is {'over' if closed else 'open'}."
            )
        elif number and closed and not isinstance(event, trace.RunEnded):
            raise TraceError(f"{what} comes after step {number} was timed.")
        self._under_way = event.step

    def _arrived(self, event: trace.Arrived) -> None:
        self._require(
            event.seq_id not in self.state.sequences, f"sequence {event.seq_id} arrives a second time"
        )
        self.state.sequences[event.seq_id] = SequenceState(
            seq_id=event.seq_id,
            name=event.name,
            prompt=event.prompt,
            num_prompt_tokens=event.num_prompt_tokens,
            max_tokens=event.max_tokens,
            num_tokens=event.num_prompt_tokens,
            arrived=event.time,
            lengths=bytes(map(min, event.lengths, repeat(255))),
        )
        self.state.waiting.append(event.seq_id)

    def _refused(self, event: trace.Refused) -> None:
        sequence = self._sequence(event.seq_id, "waiting")
        self.state.waiting.remove(event.seq_id)
        self._put(sequence, status="refused", refusal=event.reason, wait_reason=None)

    def _waits(self, event: trace.Waits) -> None:
        self._put(self._sequence(event.seq_id, "waiting", "preempted"), wait_reason=event.reason)

    def _admitted(self, event: trace.Admitted) -> None:
        sequence = self._sequence(event.seq_id, "waiting", "preempted")
        self._require(
            len(self.state.running) < self._config.max_num_seqs, "more sequences run than max_num_seqs allows"
        )
        self.state.waiting.remove(event.seq_id)
        self.state.running.append(event.seq_id)
        first = event.time if sequence.admitted is None else sequence.admitted
        self._put(sequence, status="running", wait_reason=None, admitted=first)
        self._note(admitted=(*self.state.open_step.admitted, event.seq_id))

    def _scheduled(self, event: trace.Scheduled) -> None:
        sequence = self._sequence(event.seq_id, "running")
        fault = self._fault(event, sequence)
        if fault:
            raise self._error(fault)
        again = sequence.peak_computed_tokens - event.start
        if again > 0:
            again = min(again, event.num_tokens - event.num_draft_tokens)
            self._put(sequence, num_recomputed_tokens=sequence.num_recomputed_tokens + again)
        work = Work(event.seq_id, event.kind, event.start, event.num_tokens, event.num_draft_tokens)
        self._works[event.seq_id] = work
        self._num_tokens += event.num_tokens
        if self._num_tokens > self._config.max_num_batched_tokens:
            raise self._error(f"more than {self._config.max_num_batched_tokens} tokens are scheduled")

    def _fault(self, event: trace.Scheduled, sequence: SequenceState) -> str:
        """What is wrong with this work, "" if nothing is. Hundreds come in a step, so words are made only for a fault."""
        name, last = sequence.name, event.start + event.num_tokens
        end, room = last - event.num_draft_tokens, len(sequence.block_table) * self._config.block_size
        if event.seq_id in self._works:
            return f"{name} is scheduled twice"
        if event.start != sequence.num_computed_tokens:
            return f"{name} is scheduled from {event.start}, but {sequence.num_computed_tokens} of its tokens are computed"
        if not event.start < end <= sequence.num_tokens:
            return f"{name} is scheduled up to token {end}, but it has {sequence.num_tokens}"
        if last > room:
            return f"{name} is scheduled up to token {last}, but its blocks hold {room}"
        newest = end - event.start == 1 and end == sequence.num_tokens > sequence.num_prompt_tokens
        if not newest and (event.kind != "prefill" or event.num_draft_tokens):
            return f"{name} decodes something other than its newest token"
        return ""

    def _preempted(self, event: trace.Preempted) -> None:
        sequence = self._sequence(event.seq_id, "running")
        self.state.running.remove(event.seq_id)
        self.state.waiting.insert(0, event.seq_id)
        kept = event.seq_id in self.state.host_owner.values()
        self._require(
            kept == (event.mode == "swap"), f"{sequence.name} is preempted by {event.mode}, which it is not"
        )
        self._put(
            sequence,
            status="preempted",
            num_computed_tokens=sequence.num_computed_tokens if kept else 0,
            preemptions=sequence.preemptions + 1,
        )
        self.state.num_preemptions += 1
        work = self._works.pop(event.seq_id, None)
        self._num_tokens -= work.num_tokens if work else 0
        self._note(preempted=(*self.state.open_step.preempted, event.seq_id))

    def _sampled(self, event: trace.Sampled) -> None:
        sequence = self._sequence(event.seq_id, "running")
        work = self._works.get(event.seq_id)
        end, drafted = (
            (work.start + work.num_tokens, work.num_draft_tokens)
            if work
            else (sequence.num_computed_tokens, 0)
        )
        if not 0 <= end - sequence.num_tokens <= drafted:
            raise self._error(f"{sequence.name} says a token before all its tokens are computed")
        self.state.sequences[event.seq_id] = replace(
            sequence,
            num_tokens=sequence.num_tokens + 1,
            text=sequence.text + event.text,
            lengths=sequence.lengths and sequence.lengths + bytes((min(len(event.text), 255),)),
            first_token=event.time if sequence.first_token is None else sequence.first_token,
            last_token=event.time,
        )
        self._said.append(event.seq_id)

    def _verified(self, event: trace.Verified) -> None:
        sequence = self._sequence(event.seq_id, "running")
        work = self._works.get(event.seq_id)
        drafted = work.num_draft_tokens if work else 0
        self._require(
            work is not None and len(event.draft_token_ids) == drafted > 0,
            f"{sequence.name} has {drafted} draft tokens, and {len(event.draft_token_ids)} are verified",
        )
        self._require(
            0 <= event.num_accepted_tokens <= drafted, f"{sequence.name} accepts more than its draft"
        )
        assert work is not None
        self._works[event.seq_id] = replace(
            work, num_accepted_tokens=event.num_accepted_tokens, draft_token_ids=event.draft_token_ids
        )

    def _chosen(self, event: trace.Chosen) -> None:
        sequence = self._sequence(event.seq_id, "running")
        said = sequence.num_prompt_tokens + len(event.token_ids)
        lengths = sequence.lengths[: sequence.num_prompt_tokens]
        self._put(sequence, num_tokens=said, text=event.text, lengths=lengths, score=event.score)

    def _finished(self, event: trace.Finished) -> None:
        sequence = self._sequence(event.seq_id, "running", "waiting", "preempted")
        queue = self.state.running if sequence.status == "running" else self.state.waiting
        queue.remove(event.seq_id)
        self._drop_host(event.seq_id)
        self._put(
            sequence, status="finished", finish_reason=event.reason, finished=event.time, wait_reason=None
        )
        self._note(finished=(*self.state.open_step.finished, event.seq_id))

    def _step_timed(self, event: trace.StepTimed) -> None:
        state = self.state
        self._under_way = -1
        self.settle()
        for work in state.open_step.work:
            sequence, end = state.sequences[work.seq_id], work.end
            if end > sequence.num_tokens and sequence.score is None:
                raise self._error(f"{sequence.name} accepts draft tokens that it has not said")
            peak = max(end, sequence.peak_computed_tokens)
            state.sequences[work.seq_id] = replace(
                sequence, num_computed_tokens=end, peak_computed_tokens=peak
            )
        owners = set(state.block_owner).union(*state.shared.values())
        for seq_id in owners - {FREE, *state.running}:
            name = state.sequences[seq_id].name
            raise self._error(f"{name} does not run, and still owns blocks")
        cached = len(state.cached_block_ids)
        said = (event.num_running, event.num_waiting, event.num_free_blocks, event.num_cached_blocks)
        found = (len(state.running), len(state.waiting), state.num_free_blocks, cached)
        words = "{} running, {} waiting, {} free blocks and {} cached ones"
        self._require(
            said == found, f"the engine counts {words.format(*said)}, the trace {words.format(*found)}"
        )
        self._note(
            waiting=tuple(state.waiting),
            num_running=event.num_running,
            num_free_blocks=event.num_free_blocks,
            num_cached_blocks=event.num_cached_blocks,
            num_kv_tokens=self._kv_tokens(),
            time=event.time,
            schedule_s=event.schedule_s,
            execute_s=event.execute_s,
            commit_s=event.commit_s,
        )
        state.steps.append(state.open_step)

    def _reconfigured(self, event: trace.Reconfigured) -> None:
        self.state.config = replace(
            self._config,
            max_num_seqs=event.engine.max_num_seqs,
            max_num_batched_tokens=event.engine.max_num_batched_tokens,
            prefix_caching=event.engine.prefix_caching,
            engine=event.engine,
        )

    def _kernels_ran(self, event: trace.KernelsRan) -> None:
        self._note(kernels=event)

    def _ended(self, event: trace.RunEnded) -> None:
        self._under_way = -1
        self.state.ended = event


TAKES: dict[type[AnyEvent], Callable[[_Folder, Any], None]] = {
    trace.RunStarted: _Folder._started,
    trace.Arrived: _Folder._arrived,
    trace.Refused: _Folder._refused,
    trace.Waits: _Folder._waits,
    trace.Admitted: _Folder._admitted,
    trace.BlocksAllocated: _Folder._allocated,
    trace.BlocksShared: _Folder._shared,
    trace.BlocksCached: _Folder._cached,
    trace.BlocksEvicted: _Folder._evicted,
    trace.BlocksFreed: _Folder._freed,
    trace.BlocksCopied: _Folder._copied,
    trace.SwappedOut: _Folder._swapped_out,
    trace.SwappedIn: _Folder._swapped_in,
    trace.Forked: _Folder._forked,
    trace.Scheduled: _Folder._scheduled,
    trace.Preempted: _Folder._preempted,
    trace.Sampled: _Folder._sampled,
    trace.Verified: _Folder._verified,
    trace.Chosen: _Folder._chosen,
    trace.Finished: _Folder._finished,
    trace.KernelsRan: _Folder._kernels_ran,
    trace.StepTimed: _Folder._step_timed,
    trace.Reconfigured: _Folder._reconfigured,
    trace.RunEnded: _Folder._ended,
}
"""How each event is applied: found by its kind, which for the many small ones costs less than to ask for one kind after another."""
