"""A run as columns of numbers, one row a step: what the plots draw. Each is computed once, when the step is over.

What is a share, a rate or a percentile is taken over the last WINDOW steps. NaN stands where there was nothing to
measure. No torch here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterable
from itertools import accumulate
from math import nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ladder_engine.tracing.state import RunState, Step

WINDOW = 50

COLUMNS = (
    "owned", "cached", "running", "waiting", "prefill", "decode", "accepted", "rejected", "ttft_p50", "ttft_p99",
    "itl_p50", "itl_p99", "finished_rate", "goodput", "hit_rate", "acceptance", "waste",
)  # fmt: skip
"""`owned` and `cached`: blocks that somebody owns, and those kept for their prefix though nobody does. `running` and
`waiting`: requests. `prefill`, `decode`, `accepted`, `rejected`: tokens the step computed, the last two of drafts.
`ttft_*` and `itl_*`: ms. `finished_rate`, `goodput`: requests a second, all that finished, and those within the SLO.
`hit_rate`: % of the prompt tokens of those admitted that the prefix cache had; `acceptance`: % of the draft tokens;
`waste`: % of the owned room that holds no KV."""

Column = npt.NDArray[np.float32]


class Slo(NamedTuple):
    """What a request has to keep to be good: its TTFT, and its mean time per later token if it has any, in seconds."""

    ttft: float = 1.0
    tpot: float = 0.1


class Spread:
    """The measurements of the last WINDOW steps, in order of size."""

    def __init__(self) -> None:
        self._sorted: list[tuple[float, int]] = []
        self._steps: deque[tuple[tuple[float, int], ...]] = deque()

    def take(self, values: Iterable[float]) -> None:
        """Add the values of one more step, and forget those of the step that falls out."""
        counts: dict[float, int] = {}
        for value in values:
            counts[value] = counts.get(value, 0) + 1
        pairs = tuple(counts.items())
        self._steps.append(pairs)
        for pair in pairs:
            insort(self._sorted, pair)
        if len(self._steps) > WINDOW:
            for pair in self._steps.popleft():
                del self._sorted[bisect_left(self._sorted, pair)]

    def percentiles(self, *ranks: float) -> list[float]:
        """Percentiles, linear between neighbours; NaN of nothing."""
        if not self._sorted:
            return [nan] * len(ranks)
        values = [value for value, _ in self._sorted]
        up_to = list(accumulate(count for _, count in self._sorted))
        found = []
        for rank in ranks:
            place = rank / 100 * (up_to[-1] - 1)
            low = values[bisect_right(up_to, int(place))]
            high = values[bisect_right(up_to, min(int(place) + 1, up_to[-1] - 1))]
            found.append(low + (high - low) * (place % 1))
        return found


class Sums:
    """Sums over the last WINDOW steps of a few counts a step."""

    def __init__(self) -> None:
        self._steps: deque[tuple[int, ...]] = deque(maxlen=WINDOW)

    def take(self, *counts: int) -> tuple[int, ...]:
        """Add the counts of one more step; return the sums."""
        self._steps.append(counts)
        return tuple(map(sum, zip(*self._steps, strict=True)))


class Series:
    """`COLUMNS` of the finished steps. What is good is judged by `slo`; `judge` changes that, for all steps."""

    def __init__(self, slo: Slo = Slo()) -> None:  # noqa: B008
        self.slo = slo
        self._columns = np.empty((len(COLUMNS), 256), np.float32)
        self._spans = np.empty(256)  # seconds that each step's window covers
        self._count = 0
        self._ends: deque[float] = deque(maxlen=WINDOW + 1)
        self._spoke: dict[int, float] = {}  # when the step ended in which a sequence spoke last
        self._ttft, self._itl = Spread(), Spread()
        self._sums, self._good = Sums(), Sums()
        self._answered: tuple[array[int], array[float], array[float]] = (
            array("q"),
            array("d"),
            array("d"),
        )  # step index, TTFT and time per token of each request

    def __len__(self) -> int:
        return self._count

    def column(self, name: str) -> Column:
        """One of COLUMNS, float32 [steps]. Read it, never change it."""
        return self._columns[COLUMNS.index(name), : self._count]

    def append(self, step: Step, state: RunState) -> None:
        """Take the next finished step; `state` is that of its end, or a later one."""
        if not self._ends:
            self._ends.append(min((seq.arrived for seq in state.sequences.values()), default=0.0))
        before = self._ends[-1] if self._count else -1.0
        self._hear(step, state, before)
        self._ends.append(step.time)
        span = step.time - self._ends[0]
        drafted = sum(work.num_draft_tokens for work in step.work)
        accepted = sum(work.num_accepted_tokens for work in step.work)
        good, done = self._part(step, state)
        sums = self._sums.take(done, *_let_in(step, state, before), accepted, drafted)
        self._make_room()
        owned = len(state.block_owner) - step.num_free_blocks
        room = owned * state.config.block_size if state.config else 0
        self._spans[self._count] = span
        self._columns[:, self._count] = (
            owned,
            step.num_cached_blocks,
            step.num_running,
            len(step.waiting),
            step.num_tokens - step.num_decode_tokens,
            step.num_decode_tokens - drafted,
            accepted,
            drafted - accepted,
            *self._ttft.percentiles(50, 99),
            *self._itl.percentiles(50, 99),
            _ratio(sums[0], span),
            _ratio(self._good.take(good)[0], span),
            100 * _ratio(sums[1], sums[2]),
            100 * _ratio(sums[3], sums[4]),
            100 * _ratio(room - step.num_kv_tokens, room),
        )
        self._count += 1

    def judge(self, slo: Slo) -> None:
        """Judge all requests, also those that are done, by another SLO."""
        self.slo = slo
        at, ttft, tpot = (np.array(values) for values in self._answered)
        kept = (ttft <= slo.ttft) & ~(tpot > slo.tpot)
        good = np.bincount(at[kept], minlength=self._count)
        total = np.cumsum(good)
        total[WINDOW:] -= total[:-WINDOW].copy()
        with np.errstate(divide="ignore", invalid="ignore"):
            self._columns[COLUMNS.index("goodput"), : self._count] = total / self._spans[: self._count]
        self._good = Sums()
        for count in good[-WINDOW:].tolist():
            self._good.take(count)

    def _hear(self, step: Step, state: RunState, before: float) -> None:
        """Measure how long those waited who spoke in this step."""
        ttft, gaps = [], []
        for seq_id in dict.fromkeys(step.said):
            sequence = state.sequences[seq_id]
            first = sequence.first_token
            if sequence.parent_id is None and first is not None and first > before:
                ttft.append(1000 * (first - sequence.arrived))
            if seq_id in self._spoke:
                gaps.append(1000 * (step.time - self._spoke[seq_id]))
            self._spoke[seq_id] = step.time
        self._ttft.take(ttft)
        self._itl.take(gaps)

    def _part(self, step: Step, state: RunState) -> tuple[int, int]:
        """Note the requests that have been answered in full; return how many kept the SLO, and how many there are."""
        good = done = 0
        for seq_id in step.finished:
            self._spoke.pop(seq_id, None)
            sequence = state.sequences[seq_id]
            if sequence.parent_id is not None or sequence.finish_reason not in ("stop", "length"):
                continue
            ttft = nan if sequence.ttft is None else sequence.ttft
            tpot = nan if sequence.tpot is None else sequence.tpot
            done += 1
            good += ttft <= self.slo.ttft and not tpot > self.slo.tpot
            at, ttfts, tpots = self._answered
            at.append(self._count)
            ttfts.append(ttft)
            tpots.append(tpot)
        return good, done

    def _make_room(self) -> None:
        if self._count == len(self._spans):
            more = np.empty((len(COLUMNS), self._count // 2), np.float32)
            self._columns = np.concatenate([self._columns, more], axis=1)
            self._spans = np.concatenate([self._spans, np.empty(self._count // 2)])


def _let_in(step: Step, state: RunState, before: float) -> tuple[int, int]:
    """How many prompt tokens the prefix cache had, of how many, for those who entered for the first time."""
    entered = [state.sequences[seq_id] for seq_id in step.admitted]
    new = [seq for seq in entered if seq.admitted is not None and seq.admitted > before]
    return sum(seq.num_cached_tokens for seq in new), sum(seq.num_prompt_tokens for seq in new)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else nan
