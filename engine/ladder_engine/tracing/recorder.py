"""The pen of the trace: stamps events with step and time, and hands them on a step at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ladder_engine.tracing.events import AnyEvent

Sink = Callable[[list[AnyEvent]], None]
"""Takes the events of one step (or of the time between two steps), in order. It may keep the list."""


class Recorder:
    """Every part of one engine writes its events through the same recorder.

    What happens between two steps belongs to the step that follows; what happens before the first step, to step 0.
    The clock is read when a part of a step begins, not for each event: `time` is when that was, in seconds since the
    engine started. `write` and `write_all` add events whose maker has stamped them, for those that come by the hundred.
    """

    def __init__(self, sink: Sink, clock: Callable[[], float] = time.perf_counter) -> None:
        self.step = 0
        self.time = 0.0
        self._sink = sink
        self._clock = clock
        self._zero = clock()
        self._events: list[AnyEvent] = []
        self.write = self._events.append
        self.write_all = self._events.extend

    def tick(self) -> float:
        """Read the clock: what is written from here on happened now. Returns `time`."""
        self.time = self._clock() - self._zero
        return self.time

    def skip(self, seconds: float) -> None:
        """Leave out so much of the time that has passed: the engine was held, and its clock with it."""
        self._zero += seconds

    def begin_step(self) -> None:
        """From here on, events belong to this step."""
        self.step = self.step or 1

    def end_step(self) -> None:
        """The step is over: hand it on."""
        self.flush()
        self.step += 1

    def add(self, kind: Callable[..., AnyEvent], /, **fields: Any) -> None:
        """Note that something happened."""
        self.write(kind(self.step, self.time, **fields))

    def flush(self) -> None:
        """Hand over what has happened since the last time."""
        if self._events:
            events = self._events.copy()
            self._events.clear()
            self._sink(events)
