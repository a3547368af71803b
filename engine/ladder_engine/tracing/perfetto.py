"""A recorded run as a Chrome trace (JSON), which ui.perfetto.dev and chrome://tracing open.

One track a request, with a slice for each step that computed something for it and for each wait before it entered; one
track for the engine, a slice a step with what it spent its time on; one for the kernels of watched steps, where equal
calls are one slice, and slices stand end to end, because the trace tells how long they took and not when; and counters
for blocks, tokens and queues. Times are microseconds since the engine started. The format is the "Trace Event Format":
X is a complete slice, C a counter, i an instant, M a name. No torch here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from ladder_engine.tracing.state import RunState, SequenceState, Step
from ladder_engine.tracing.trace_file import in_full

REQUESTS, ENGINE = 1, 2  # process ids: the two groups of tracks
STEPS, KERNELS = 1, 2  # thread ids of the engine's own tracks

Slice = dict[str, Any]


def chrome_trace(state: RunState) -> Iterator[Slice]:
    """The trace events of a whole run, from its last state."""
    yield _name("process_name", REQUESTS, 0, "Requests")
    yield _name("process_name", ENGINE, 0, f"Engine: {state.config.model}" if state.config else "Engine")
    yield _name("thread_name", ENGINE, STEPS, "steps")
    if any(step.kernels is not None for step in state.steps):
        yield _name("thread_name", ENGINE, KERNELS, "kernels: equal calls summed, end to end")
    for sequence in state.sequences.values():
        yield from _request(sequence, state.time)
    for step in state.steps:
        yield from _step(step, len(state.block_owner))


def write_chrome_trace(path: Path, state: RunState) -> None:
    """Write the run as JSON; the file is there in full or not at all. Raises TraceFileError naming it."""
    with in_full(path) as part, part.open("wb") as file:
        file.write(b'{"displayTimeUnit": "ms", "traceEvents": [\n')
        file.writelines(_joined(chrome_trace(state)))
        file.write(b"\n]}\n")


def _joined(slices: Iterable[Slice]) -> Iterator[bytes]:
    for number, one in enumerate(slices):
        yield (b",\n" if number else b"") + msgspec.json.encode(one)


def _request(sequence: SequenceState, now: float) -> Iterator[Slice]:
    track = sequence.seq_id + 1
    yield _name("thread_name", REQUESTS, track, f"{track} {sequence.name}")
    if sequence.status == "refused":
        yield {"ph": "i", "s": "t", "name": f"refused: {sequence.refusal}", "cat": "request", "pid": REQUESTS,
               "tid": track, "ts": _us(sequence.arrived)}  # fmt: skip
        return
    entered = now if sequence.admitted is None else sequence.admitted
    entered -= 1e-6  # slices of one track must not overlap, and times are rounded
    yield _slice("waiting", "wait", REQUESTS, track, sequence.arrived, entered, {})
    if sequence.first_token is not None:
        yield {"ph": "i", "s": "t", "name": "first token", "cat": "request", "pid": REQUESTS, "tid": track,
               "ts": _us(sequence.first_token)}  # fmt: skip


def _step(step: Step, num_blocks: int) -> Iterator[Slice]:
    begin = step.time - step.schedule_s - step.execute_s - step.commit_s
    decode = step.num_decode_tokens
    counts = {"prefill": step.num_tokens - decode, "decode": decode}
    yield _slice(
        f"step {step.number}",
        "step",
        ENGINE,
        STEPS,
        begin,
        step.time,
        {**counts, "waiting": len(step.waiting)},
    )
    at = begin
    for part, seconds in (
        ("schedule", step.schedule_s),
        ("execute", step.execute_s),
        ("commit", step.commit_s),
    ):
        yield _slice(part, "part", ENGINE, STEPS, at, at + seconds, {})
        at += seconds
    yield from _kernels(step, begin + step.schedule_s)
    for work in step.work:
        told = {"from": work.start, "tokens": work.num_tokens}
        if work.num_draft_tokens:
            told |= {"drafted": work.num_draft_tokens, "accepted": work.num_accepted_tokens}
        name = work.kind if work.num_tokens == 1 else f"{work.kind} {work.num_tokens}"
        yield _slice(name, work.kind, REQUESTS, work.seq_id + 1, begin, step.time, told)
    for seq_id in step.preempted:
        yield {"ph": "i", "s": "t", "name": "preempted", "cat": "request", "pid": REQUESTS, "tid": seq_id + 1,
               "ts": _us(begin)}  # fmt: skip
    owned = num_blocks - step.num_free_blocks
    yield _counter("KV blocks", step.time, {"owned": owned, "cached": step.num_cached_blocks})
    yield _counter("tokens a step", step.time, counts)
    yield _counter("requests", step.time, {"in the step": len(step.work), "waiting": len(step.waiting)})


def _kernels(step: Step, at: float) -> Iterator[Slice]:
    for calls in step.kernels.calls if step.kernels else ():
        told = {"calls": calls.count, "on": calls.shape, "model": calls.role}
        for launch in calls.launches:
            moved = "unknown" if launch.moved_bytes is None else launch.moved_bytes
            told[launch.kernel] = f"grid {launch.grid}, bytes a call: {moved}, floor {launch.floor_bytes}"
        yield _slice(calls.operation, "kernel", ENGINE, KERNELS, at, at + calls.seconds, told)
        at += calls.seconds


def _slice(
    name: str, kind: str, process: int, track: int, begin: float, end: float, told: dict[str, Any]
) -> Slice:
    return {"ph": "X", "name": name, "cat": kind, "pid": process, "tid": track, "ts": _us(begin),
            "dur": max(0.0, _us(end) - _us(begin)), "args": told}  # fmt: skip


def _counter(name: str, time: float, values: dict[str, int]) -> Slice:
    return {"ph": "C", "name": name, "pid": ENGINE, "tid": 0, "ts": _us(time), "args": values}


def _name(kind: str, process: int, track: int, name: str) -> Slice:
    return {"ph": "M", "name": kind, "pid": process, "tid": track, "args": {"name": name}}


def _us(seconds: float) -> float:
    return round(seconds * 1e6, 3)
