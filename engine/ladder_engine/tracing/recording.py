"""A run as it is recorded: every event on the disk, the newest steps in memory, and the state at any step in a moment.

Position 0 is the state before the first step, position n the state after step n, together with whatever happened before
the next step began (arrivals, aborts, changed settings). The events are kept in chunks, each with a keyframe:

```
chunk  | keyframe: state at `first` | events up to first + 1 | up to first + 2 | ...
```
so any position is one read and at most one chunk's events away, however long the run is. What is over never changes, so
a keyframe holds only the requests that are not done; those that are stand once, in memory (recorded.py).
No torch here.
"""

from __future__ import annotations

import tempfile
import weakref
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import IO

import msgspec
from msgspec.structs import replace

from ladder_engine.errors import TraceFileError
from ladder_engine.tracing.events import (
    AnyEvent,
    Arrived,
    BlocksFreed,
    Finished,
    Reconfigured,
    Refused,
    RunEnded,
    StepTimed,
)
from ladder_engine.tracing.fold import TraceError, fold
from ladder_engine.tracing.lru import Lru
from ladder_engine.tracing.recorded import Cast, History, Register
from ladder_engine.tracing.state import RunState, Step

CHUNK_EVENTS = 1000  # folding them takes some 10 ms
EVENTS_A_REQUEST = 8  # that a chunk has more for each request in its keyframe, which costs time to write
RECENT_STEPS = 2048

_chunks = msgspec.msgpack.Decoder(tuple[RunState, list[AnyEvent], list[int]])
_steps = msgspec.msgpack.Decoder(list[Step])


@dataclass
class _Chunk:
    """`ends[i]` events lead from the keyframe, which is the state at position `first`, to position `first + i`."""

    first: int
    keyframe: RunState
    events: list[AnyEvent]
    ends: list[int]


class _Packing:
    """A chunk that is full, and its steps, while they are packed beside everything else: it takes longer than a frame may."""

    def __init__(self, chunk: _Chunk, steps: list[Step]) -> None:
        self.chunk, self.steps = chunk, steps
        self._packed: list[bytes] = []
        self._thread = Thread(target=self._pack, name="packs a recording")
        self._thread.start()

    def packed(self) -> list[bytes]:
        """The events and the steps as bytes."""
        self._thread.join()
        return self._packed

    def _pack(self) -> None:
        chunk = self.chunk
        for part in ((chunk.keyframe, chunk.events, chunk.ends), self.steps):
            self._packed.append(zlib.compress(msgspec.msgpack.encode(part), 1))


@dataclass(frozen=True)
class _Place:
    """Where a chunk stands in the file: its events, and behind them its steps, `first + 1` to that of the next."""

    first: int
    offset: int
    events_bytes: int
    steps_bytes: int


class Recording:
    """Takes the events of one run, and gives the state at any position.

    `begun` is when the first request arrived, `ends` when each step was over, in seconds of the engine's clock.
    `feed` raises TraceError if they do not add up, and TraceFileError, one sentence, when the disk takes no more.
    """

    def __init__(self, chunk_events: int = CHUNK_EVENTS, recent_steps: int = RECENT_STEPS) -> None:
        self._chunk_events, self._recent_steps = chunk_events, recent_steps
        self._disk: IO[bytes] | None = None
        self._places: list[_Place] = []
        self._packing: _Packing | None = None
        self._open = _Chunk(0, RunState(), [], [0])
        self._cached_chunks: Lru[int, _Chunk] = Lru(4)
        self._cached_steps: Lru[int, list[Step]] = Lru(64)
        self._recent: list[Step] = []  # the last steps, those of the open chunk among them
        self._light = RunState()  # the state after the last event that was folded, without what is over
        self._folded = 0  # events of the open chunk in it
        self._between = True  # nothing of the next step has been scheduled yet
        self._register = Register()
        self._done_at, self._known_at = array("q", [0]), array("q", [0])  # at each position, of the register
        self.edge = RunState()
        self.num_events = 0
        self.begun = 0.0
        self._has_begun = False
        self.ends = array("d")

    @property
    def seconds(self) -> float:
        """From the first arrival to the end of the last step."""
        return self.ends[-1] - self.begun if self.ends else 0.0

    @property
    def last(self) -> int:
        """The last position there is."""
        return len(self._done_at) - 1

    @property
    def bytes_on_disk(self) -> int:
        """How much of it is there."""
        return sum(place.events_bytes + place.steps_bytes for place in self._places)

    def feed(self, events: Sequence[AnyEvent]) -> bool:
        """Take the next events of the run. Return whether some of them belong to the position that was the last."""
        if not events:
            return False
        was_open, was_last, was_end = self._open, len(self._open.ends) - 1, self._open.ends[-1]
        for event in events:
            chunk = self._open
            chunk.events.append(event)
            if isinstance(event, StepTimed):
                self._settle()
                self._end_step()
            elif (self._between or isinstance(event, RunEnded)) and self._belongs_before(event):
                chunk.ends[-1] = len(chunk.events)
        self.num_events += len(events)
        self._settle()
        self.edge = self._whole(self._light, self.last)
        return was_open.ends[was_last] != was_end

    def state(self, position: int, near: RunState | None = None, near_position: int = -1) -> RunState:
        """The state at a position; `near`, a state that this gave for another position, may shorten the way."""
        if position == self.last:
            return self.edge
        chunk = self._chunk_of(position)
        begin, state = 0, chunk.keyframe
        if near is not None and chunk.first <= near_position <= position:
            live = near.sequences.live if isinstance(near.sequences, Cast) else near.sequences
            begin = chunk.ends[near_position - chunk.first]
            state = replace(near, sequences=live, steps=near.steps[-1:])
        state = fold(chunk.events[begin : chunk.ends[position - chunk.first]], state)
        return self._whole(state, position)

    def step(self, index: int) -> Step:
        """Step `index` + 1, if it is over."""
        recent = index - (self.last - len(self._recent))
        if recent >= 0:
            return self._recent[recent]
        if self._packing is not None and index >= self._packing.chunk.first:
            return self._packing.steps[index - self._packing.chunk.first]
        number = self._find(index)
        place = self._places[number]
        steps = self._cached_steps.get(number)
        if steps is None:
            steps = _steps.decode(self._read(place.offset + place.events_bytes, place.steps_bytes))
            self._cached_steps.put(number, steps)
        return steps[index - place.first]

    def events(self) -> Iterator[AnyEvent]:
        """Every event so far, from the first."""
        for number in range(len(self._places)):
            yield from self._load(number).events
        if self._packing is not None:
            yield from self._packing.chunk.events
        yield from self._open.events

    def close(self) -> None:
        """Give back what is on the disk. Nothing can be asked afterwards."""
        if self._packing is not None:
            self._packing.packed()
        if self._disk is not None:
            self._disk.close()

    def _belongs_before(self, event: AnyEvent) -> bool:
        """Whether it happened between two steps, or is the end, so that the position before shows it."""
        if isinstance(event, BlocksFreed) and self._between:
            return (
                event.step == 0
            )  # of an abort, which Finished tells, or of a step that begins with a preemption
        aborted = isinstance(event, Finished) and event.reason == "aborted"
        quiet = aborted or isinstance(event, Arrived | Refused | Reconfigured)
        self._between = self._between and (quiet or event.step == 0)
        return self._between or isinstance(event, RunEnded)

    def _settle(self) -> None:
        """Bring the newest state up to the last position."""
        self._fold(self._open.ends[-1])
        self._done_at[-1], self._known_at[-1] = len(self._register.done), len(self._register.ids)

    def _fold(self, count: int) -> None:
        """Bring the newest state up to so many events of the open chunk."""
        if count == self._folded:
            return
        events = self._open.events[self._folded : count]
        for event in events:
            if not isinstance(event, Arrived):
                continue
            if not self._has_begun:
                self.begun, self._has_begun = event.time, True
            if event.seq_id in self._register.place:
                raise TraceError(f"Sequence {event.seq_id} arrives a second time in step {event.step}.")
        state = fold(events, self._light)
        self._light = replace(state, sequences=self._register.take(self._light.sequences, state.sequences))
        self._folded = count

    def _end_step(self) -> None:
        """A step is over: keep it, and begin another chunk when this one is full."""
        self._fold(len(self._open.events))
        self._recent.append(self._light.steps[-1])
        self.ends.append(self._light.time)
        self._light = replace(self._light, steps=self._light.steps[-1:])
        self._open.ends.append(len(self._open.events))
        self._done_at.append(len(self._register.done))
        self._known_at.append(len(self._register.ids))
        self._between = True
        if len(self._open.events) >= self._chunk_events + EVENTS_A_REQUEST * len(self._light.sequences):
            self._seal()

    def _seal(self) -> None:
        """Have the open chunk packed, and begin another. The one before it is packed by now, and goes to the disk."""
        self._store()
        self._packing = _Packing(self._open, self._recent[-(len(self._open.ends) - 1) :])
        self._open = _Chunk(self.last, self._light, [], [0])
        self._folded = 0
        del self._recent[: -self._recent_steps]

    def _store(self) -> None:
        if self._packing is None:
            return
        events, steps = self._packing.packed()
        try:
            if self._disk is None:
                self._disk = tempfile.TemporaryFile(prefix="runtime-ladder-")  # noqa: SIM115
                weakref.finalize(self, self._disk.close)
            offset = self._disk.seek(0, 2)
            self._disk.write(events + steps)
        except OSError as error:
            raise TraceFileError(
                f"The recording cannot go on ({error.strerror}); what it holds stays. Make room and run again."
            ) from None
        chunk, self._packing = self._packing.chunk, None
        self._places.append(_Place(chunk.first, offset, len(events), len(steps)))
        self._cached_chunks.put(len(self._places) - 1, chunk)

    def _whole(self, state: RunState, position: int) -> RunState:
        steps = History(self.step, position)
        cast = Cast(self._register, state.sequences, self._done_at[position], self._known_at[position])
        return replace(state, sequences=cast, steps=steps)

    def _find(self, index: int) -> int:
        """The number of the chunk whose keyframe is the last at or before position `index`."""
        return bisect_right(self._places, index, key=lambda place: place.first) - 1

    def _chunk_of(self, position: int) -> _Chunk:
        if position >= self._open.first:
            return self._open
        if self._packing is not None and position >= self._packing.chunk.first:
            return self._packing.chunk
        return self._load(self._find(position))

    def _load(self, number: int) -> _Chunk:
        chunk = self._cached_chunks.get(number)
        if chunk is None:
            place = self._places[number]
            keyframe, events, ends = _chunks.decode(self._read(place.offset, place.events_bytes))
            chunk = _Chunk(place.first, keyframe, events, ends)
            self._cached_chunks.put(number, chunk)
        return chunk

    def _read(self, offset: int, count: int) -> bytes:
        assert self._disk is not None  # there are places only where something was written
        self._disk.seek(offset)
        return zlib.decompress(self._disk.read(count))
