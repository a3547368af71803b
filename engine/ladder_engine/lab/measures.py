"""What can be measured of a run, by name: one small table that scenarios, comparisons and predictions share.

Every measure is computed from the folded trace alone. Those that count steps or tokens are exact: the same run gives
the same number on every machine. Those in ms or s were measured by a clock. No torch here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from ladder_engine.tracing.state import RunState, SequenceState, Step

Unit = Literal["steps", "tokens", "requests", "times", "%", "ms", "s", "tokens/s"]
CLOCK_UNITS = ("ms", "s", "tokens/s")


class Reading:
    """A run, or only those of its requests that are called `of`: by their whole name, or by all of it but a number."""

    def __init__(self, state: RunState, of: str = "") -> None:
        self.state = state
        self.seqs = [seq for seq in state.sequences.values() if not of or _is_called(seq.name, of)]

    @cached_property
    def steps(self) -> Sequence[Step]:
        """The finished steps."""
        return list(self.state.steps)

    @cached_property
    def _ends(self) -> list[float]:
        return [step.time for step in self.steps]

    def step_at(self, time: float) -> int:
        """The index of the step to which something that happened then belongs."""
        return bisect_left(self._ends, time)

    def steps_between(self, begin: float | None, end: float | None) -> int | None:
        """Steps from the one before which something happened to the one in which something else did, both counted."""
        return None if begin is None or end is None else self.step_at(end) - self.step_at(begin) + 1

    @cached_property
    def ttft_steps(self) -> list[int]:
        """For each request that has answered: steps from its arrival to its first token."""
        counts = (self.steps_between(seq.arrived, seq.first_token) for seq in self.seqs)
        return [count for count in counts if count is not None]

    @cached_property
    def said_in(self) -> dict[int, list[int]]:
        """For each request, the indices of the steps in which it said something."""
        said: dict[int, list[int]] = {seq.seq_id: [] for seq in self.seqs}
        for index, step in enumerate(self.steps):
            for seq_id in dict.fromkeys(step.said):
                if seq_id in said:
                    said[seq_id].append(index)
        return said

    @cached_property
    def gaps(self) -> list[tuple[int, int]]:
        """Every pair of neighbouring steps in which one request said something."""
        return [pair for steps in self.said_in.values() for pair in pairwise(steps)]

    @cached_property
    def gap_seconds(self) -> list[float]:
        """Inter-token latencies: the time between those steps' ends."""
        return [self._ends[later] - self._ends[earlier] for earlier, later in self.gaps]

    @property
    def seconds(self) -> float:
        """From the first arrival to the end of these requests, or to now while one of them goes on."""
        seqs = [seq for seq in self.seqs if seq.status != "refused"]
        begun = min((seq.arrived for seq in seqs), default=0.0)
        ended = max((self.state.time if seq.finished is None else seq.finished for seq in seqs), default=0.0)
        return max(0.0, ended - begun)

    def total(self, field: str) -> int:
        """The sum of a count over the requests."""
        return sum(getattr(seq, field) for seq in self.seqs)

    def works(self, field: str) -> int:
        """The sum of a count over everything that was scheduled for the requests."""
        ids = {seq.seq_id for seq in self.seqs}
        return sum(getattr(work, field) for step in self.steps for work in step.work if work.seq_id in ids)


def _is_called(name: str, of: str) -> bool:
    return name == of or (name.startswith(f"{of} ") and name[len(of) + 1 :].isdigit())


@dataclass(frozen=True)
class Measure:
    """A name, what it says to people, its unit, and how it is read off a run (None: nothing to measure).

    `better` is the direction that somebody would pay for; None where it depends.
    """

    name: str
    label: str
    unit: Unit
    better: Literal["less", "more"] | None
    of: Callable[[Reading], float | None]

    @property
    def exact(self) -> bool:
        """Whether it counts, rather than taking the time."""
        return self.unit not in CLOCK_UNITS

    def read(self, state: RunState, of: str = "") -> float | None:
        """The value of one run, or of those of its requests that are called `of`, in `unit`."""
        return self.of(Reading(state, of))

    def words(self, value: float | None) -> str:
        """The value with its unit: "41 steps", "62 %", "1.8 ms"."""
        return "none" if value is None else f"{number(value)} {self.unit}"


def number(value: float) -> str:
    """Three digits that matter, and a comma in thousands."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def _percentile(values: Sequence[float], rank: float) -> float | None:
    return float(np.percentile(values, rank)) if values else None


def _ms(values: Sequence[float], rank: float) -> float | None:
    found = _percentile(values, rank)
    return None if found is None else 1000 * found


def _share(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None


def _each(run: Reading, field: str) -> list[float]:
    values: list[float | None] = [getattr(seq, field) for seq in run.seqs]
    return [value for value in values if value is not None]


def _step_seconds(run: Reading) -> list[float]:
    return [step.schedule_s + step.execute_s + step.commit_s for step in run.steps]


def _queue_steps(run: Reading) -> float | None:
    end = run.state.time
    waits = [
        run.steps_between(seq.arrived, end if seq.admitted is None else seq.admitted)
        for seq in run.seqs
        if seq.status != "refused"
    ]
    return max((wait - 1 for wait in waits if wait is not None), default=None)


def _kv_peak(run: Reading) -> float | None:
    total = len(run.state.block_owner)
    return _share(max((total - step.num_free_blocks for step in run.steps), default=0), total)


def _kv_filled(run: Reading) -> float | None:
    config = run.state.config
    total = len(run.state.block_owner)
    owned = sum(total - step.num_free_blocks for step in run.steps)
    return (
        _share(sum(step.num_kv_tokens for step in run.steps), owned * config.block_size) if config else None
    )


def _budget_used(run: Reading) -> float | None:
    config = run.state.config
    budget = config.max_num_batched_tokens * len(run.steps) if config else 0
    return _share(sum(step.num_tokens for step in run.steps), budget)


def _drafts(run: Reading) -> float:
    ids = {seq.seq_id for seq in run.seqs}
    works = (work for step in run.steps for work in step.work)
    return sum(work.seq_id in ids and work.num_draft_tokens > 0 for work in works)


def _per_draft(run: Reading) -> float | None:
    drafts = _drafts(run)
    return 1 + run.works("num_accepted_tokens") / drafts if drafts else None


def _rejected(run: Reading) -> float:
    return run.works("num_draft_tokens") - run.works("num_accepted_tokens")


def _rate(run: Reading) -> float | None:
    return run.total("num_output_tokens") / run.seconds if run.seconds else None


def _finished(seq: SequenceState) -> bool:
    return seq.finish_reason in ("stop", "length")


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


_ALL = (
    Measure("steps", "steps until all is done", "steps", "less", lambda run: len(run.steps)),
    Measure("ttft_steps_p50", "steps to the first token, median", "steps", "less",
            lambda run: _percentile(run.ttft_steps, 50)),
    Measure("ttft_steps_max", "steps to the first token, worst", "steps", "less",
            lambda run: max(run.ttft_steps, default=None)),
    Measure("queue_steps_max", "longest wait before entering", "steps", "less", _queue_steps),
    Measure("gap_steps_max", "longest pause inside an answer", "steps", "less",
            lambda run: max((later - earlier for earlier, later in run.gaps), default=None)),
    Measure("tokens_per_step", "answer tokens a step, mean", "tokens", "more",
            lambda run: _ratio(run.total("num_output_tokens"), len(run.steps))),
    Measure("batch_mean", "requests in a step, mean", "requests", None,
            lambda run: _ratio(sum(len(step.work) for step in run.steps), len(run.steps))),
    Measure("batch_max", "requests in a step, most", "requests", None,
            lambda run: max((len(step.work) for step in run.steps), default=None)),
    Measure("step_tokens_max", "tokens in a step, most", "tokens", None,
            lambda run: max((step.num_tokens for step in run.steps), default=None)),
    Measure("budget_used", "token budget that was used", "%", None, _budget_used),
    Measure("computed_tokens", "tokens computed", "tokens", "less", lambda run: run.works("num_tokens")),
    Measure("recomputed_tokens", "tokens computed again after preemptions", "tokens", "less",
            lambda run: run.total("num_recomputed_tokens")),
    Measure("preemptions", "preemptions", "times", "less", lambda run: run.total("preemptions")),
    Measure("cached_tokens", "prompt tokens found in the prefix cache", "tokens", "more",
            lambda run: run.total("num_cached_tokens")),
    Measure("cached_share", "share of prompt tokens found in the prefix cache", "%", "more",
            lambda run: _share(run.total("num_cached_tokens"), run.total("num_prompt_tokens"))),
    Measure("evicted_blocks", "cached blocks evicted", "times", "less",
            lambda run: sum(len(step.evicted) for step in run.steps)),
    Measure("kv_peak", "most blocks owned at once", "%", "less", _kv_peak),
    Measure("kv_filled", "owned room that holds KV", "%", "more", _kv_filled),
    Measure("draft_tokens", "draft tokens verified", "tokens", None, lambda run: run.works("num_draft_tokens")),
    Measure("rejected_tokens", "draft tokens rejected", "tokens", "less", _rejected),
    Measure("accepted_share", "draft tokens accepted", "%", "more",
            lambda run: _share(run.works("num_accepted_tokens"), run.works("num_draft_tokens"))),
    Measure("tokens_per_draft", "tokens a verified draft brings", "tokens", "more", _per_draft),
    Measure("finished", "requests finished", "requests", "more", lambda run: sum(map(_finished, run.seqs))),
    Measure("refused", "requests refused", "requests", "less",
            lambda run: sum(seq.status == "refused" for seq in run.seqs)),
    Measure("answer_tokens", "answer tokens", "tokens", None, lambda run: run.total("num_output_tokens")),
    Measure("seconds", "time until all is done", "s", "less", lambda run: run.seconds),
    Measure("tokens_per_s", "answer tokens a second", "tokens/s", "more", _rate),
    Measure("ttft_p50", "TTFT, median", "ms", "less", lambda run: _ms(_each(run, "ttft"), 50)),
    Measure("ttft_max", "TTFT, worst", "ms", "less", lambda run: _ms(_each(run, "ttft"), 100)),
    Measure("itl_p50", "inter-token latency, median", "ms", "less", lambda run: _ms(run.gap_seconds, 50)),
    Measure("itl_p99", "inter-token latency, p99", "ms", "less", lambda run: _ms(run.gap_seconds, 99)),
    Measure("step_p50", "time of a step, median", "ms", "less", lambda run: _ms(_step_seconds(run), 50)),
    Measure("step_max", "time of a step, worst", "ms", "less", lambda run: _ms(_step_seconds(run), 100)),
)  # fmt: skip

MEASURES: dict[str, Measure] = {measure.name: measure for measure in _ALL}
