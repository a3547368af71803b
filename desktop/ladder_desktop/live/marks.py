"""The steps of a run that a person has marked, each with a note. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from ladder_engine.tracing.events import AnyEvent, RunStarted
from msgspec.structs import replace


class Marks:
    """`notes` has a note, maybe an empty one, for each marked step."""

    def __init__(self) -> None:
        self.notes: dict[int, str] = {}

    def hear(self, events: Iterable[AnyEvent]) -> None:
        """Take over the marks that were saved with a run."""
        for event in events:
            if isinstance(event, RunStarted):
                self.notes = dict(event.marks)

    def turn(self, step: int) -> None:
        """Mark a step, or take its mark away."""
        if self.notes.pop(step, None) is None:
            self.notes[step] = ""

    def write(self, step: int, note: str) -> None:
        """Note something at a step, which is marked from then on."""
        self.notes[step] = note

    @property
    def rows(self) -> list[tuple[int, str]]:
        """The steps in order, with their notes."""
        return sorted(self.notes.items())

    def beyond(self, step: int, way: int) -> int | None:
        """The nearest marked step after this one, or before it with a `way` of -1."""
        ahead = [mark for mark in self.notes if (mark - step) * way > 0]
        return min(ahead, key=lambda mark: abs(mark - step), default=None)

    def with_run(self, events: Iterator[AnyEvent]) -> Iterator[AnyEvent]:
        """The events of the run, with the marks in the first."""
        first = next(events)
        assert isinstance(first, RunStarted)
        return chain((replace(first, marks=tuple(self.rows)),), events)
