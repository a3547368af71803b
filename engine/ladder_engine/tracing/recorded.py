"""The parts of a recorded state that grow with the run, read from where they stand when they are asked for.

A state of a long run would otherwise hold, and each jump to it copy, every step and every request there ever was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import overload

from ladder_engine.tracing.state import SequenceState, Step


class History(Sequence[Step]):
    """The finished steps up to some position, read from wherever they are when they are asked for."""

    def __init__(self, step: Callable[[int], Step], count: int) -> None:
        self._step, self._count = step, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | list[Step]:
        if isinstance(index, slice):
            return [self._step(at) for at in range(*index.indices(self._count))]
        at = index + self._count if index < 0 else index
        if not 0 <= at < self._count:
            raise IndexError(index)
        return self._step(at)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(other) == self._count and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class Register:
    """The requests of a run: `ids` in the order of their arrival, those that are `done` in the order of their ends."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.done: list[SequenceState] = []
        self.place: dict[int, int] = {}
        """Where in `done` a request stands."""

    def take(
        self, before: Mapping[int, SequenceState], now: Mapping[int, SequenceState]
    ) -> dict[int, SequenceState]:
        """Note who has arrived and who is done since `before`; return those that are not done."""
        self.ids += [seq_id for seq_id in now if seq_id not in before]
        live = {}
        for seq_id, sequence in now.items():
            if sequence.status in ("finished", "refused"):
                self.place[seq_id] = len(self.done)
                self.done.append(sequence)
            else:
                live[seq_id] = sequence
        return live


class Cast(Mapping[int, SequenceState]):
    """The requests at one position, in the order of their arrival: `live` ones, and those that were done by then."""

    def __init__(
        self, register: Register, live: dict[int, SequenceState], num_done: int, num_known: int
    ) -> None:
        self.live = live
        self._register, self._num_done, self._num_known = register, num_done, num_known

    def __getitem__(self, seq_id: int) -> SequenceState:
        sequence = self.live.get(seq_id)
        if sequence is not None:
            return sequence
        place = self._register.place[seq_id]
        if place >= self._num_done:
            raise KeyError(seq_id)
        return self._register.done[place]

    def __len__(self) -> int:
        return self._num_known

    def __iter__(self) -> Iterator[int]:
        return islice(self._register.ids, self._num_known)

    def __reversed__(self) -> Iterator[int]:
        ids = self._register.ids
        return (ids[at] for at in range(self._num_known - 1, -1, -1))
