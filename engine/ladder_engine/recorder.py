"""The pen of the trace: stamps events with step and time, and hands them on a step at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ladder_engine.trace import AnyEvent

Sink = Callable[[list[AnyEvent]], None]
"""Takes the events of one step (or of the time between two steps), in order. It may keep the list."""


class Recorder:
    """Every part of one engine writes its events through the same recorder.

    What happens between two steps belongs to the step that follows; what happens before the first step, to step 0.
    """

    def __init__(self, sink: Sink, clock: Callable[[], float] = time.perf_counter) -> None:
        self.step = 0
        self._sink = sink
        self._clock = clock
        self._zero = clock()
        self._events: list[AnyEvent] = []

    def now(self) -> float:
        """Seconds since the engine started."""
        return self._clock() - self._zero

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
        """Note that something happened, now."""
        self._events.append(kind(step=self.step, time=self._clock() - self._zero, **fields))

    def flush(self) -> None:
        """Hand over what has happened since the last time."""
        if self._events:
            events, self._events = self._events, []
            self._sink(events)
