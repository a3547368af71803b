"""The shape of a run in numbers: what a diagnosis asks for first. All of it comes from the folded trace; no torch.

`Shape.asked` has the names that the hub study's bottleneck classifier gives its readings; `beside` is what else one looks
at. A long run is looked at where it is now: its last steps, and the requests that were there in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from msgspec.structs import replace

from ladder_engine.lab.measures import MEASURES, Reading
from ladder_engine.tracing.state import RunState, SequenceState, Step

LAST_STEPS = 2000


@dataclass(frozen=True)
class Figure:
    """One measured number: its name, value and unit, and how it was measured. None where there was nothing to measure."""

    name: str
    value: float | None
    unit: str
    how: str


@dataclass(frozen=True)
class Shape:
    """What the classifier asks for, what one looks at beside it, and over how many of how many steps."""

    asked: list[Figure]
    beside: list[Figure]
    num_steps: int
    of_steps: int


def shape_of(state: RunState) -> Shape:
    """The shape of a run up to this state."""
    steps = state.steps[-LAST_STEPS:]
    since = steps[0].time if len(steps) < len(state.steps) else 0.0
    there = {
        seq_id: seq
        for seq_id, seq in state.sequences.items()
        if seq.finished is None or seq.finished >= since
    }
    run = Reading(replace(state, steps=steps, sequences=there))
    return Shape(_asked(run), _beside(run), len(steps), len(state.steps))


def _asked(run: Reading) -> list[Figure]:
    answered = [seq for seq in run.seqs if seq.first_token is not None and seq.admitted is not None]
    queue = _mean(1000 * (seq.admitted - seq.arrived) for seq in answered if seq.admitted is not None)
    whole = _mean(1000 * ttft for seq in answered if (ttft := seq.ttft) is not None)
    decodes = [[work for work in step.work if work.kind == "decode"] for step in run.steps]
    decodes = [works for works in decodes if works]
    contexts = [work.start + work.num_tokens for works in decodes for work in works]
    preemptions = run.total("preemptions")
    return [
        Figure("queue_ms", queue, "ms", "mean, from arrival to entering the batch"),
        Figure("prefill_ms", None if whole is None or queue is None else whole - queue, "ms",
               "mean, from entering the batch to the first token"),
        Figure("tpot_ms", _mean(1000 * tpot for seq in run.seqs if (tpot := seq.tpot) is not None), "ms",
               "mean time per output token after the first"),
        Figure("itl_p99_ms", MEASURES["itl_p99"].of(run), "ms", "p99 of the pauses between steps that say something"),
        Figure("running", _mean(len(works) for works in decodes), "requests", "mean that decode in a step, where any does"),
        Figure("context", _mean(contexts), "tokens", "mean that each of them holds"),
        Figure("preemptions", preemptions / run.seconds if run.seconds else None, "a second",
               f"{preemptions} in {run.seconds:.1f} s"),
        Figure("hit_rate", _share(run.total("num_cached_tokens"), run.total("num_prompt_tokens")), "of 1",
               "prompt tokens found in the prefix cache"),
        Figure("shareable", shareable(run.seqs, run.state.config.block_size if run.state.config else 1), "of 1",
               "prompt tokens in full blocks with which an earlier prompt began too"),
        Figure("tp", 1, "ranks", "the engine runs on one device"),
        Figure("collective_ms", 0, "ms", "one device has none"),
    ]  # fmt: skip


def _beside(run: Reading) -> list[Figure]:
    steps, total = run.steps, len(run.state.block_owner)
    return [
        Figure("waiting", _mean(len(step.waiting) for step in steps), "requests", "mean after a step"),
        Figure("KV in use", _mean(100 * (total - step.num_free_blocks) / total for step in steps), "%",
               "mean of the blocks that somebody owns"),
        Figure("KV in use, most", MEASURES["kv_peak"].of(run), "%", "blocks owned at once"),
        Figure("prefill tokens", _per_step(steps, "prefill"), "a step", "mean"),
        Figure("decode tokens", _per_step(steps, "decode"), "a step", "mean, drafts included"),
        Figure("token budget", MEASURES["budget_used"].of(run), "%", "of it used"),
        Figure("acceptance", MEASURES["accepted_share"].of(run), "%", "of the draft tokens"),
        Figure("recomputed", MEASURES["recomputed_tokens"].of(run), "tokens", "computed again after preemptions"),
    ]  # fmt: skip


def shareable(seqs: Sequence[SequenceState], block_size: int) -> float | None:
    """The share of all prompt tokens that stand in full blocks with which an earlier request's prompt began too.

    The last token of a prompt is never found. Where the trace does not tell how prompts are cut, tokens are taken to be of
    equal length. Salts, which keep requests apart, are not in the trace.
    """
    seen: set[int] = set()
    found = 0
    asked = [seq for seq in seqs if seq.parent_id is None]
    for seq in asked:
        blocks = _blocks(seq, block_size)
        common = next((at for at, block in enumerate(blocks) if block not in seen), len(blocks))
        found += min(common, (seq.num_prompt_tokens - 1) // block_size) * block_size
        seen.update(blocks)
    return _share(found, sum(seq.num_prompt_tokens for seq in asked))


def _blocks(seq: SequenceState, block_size: int) -> list[int]:
    """A number for each full block of the prompt, which stands for the whole text up to its end."""
    count = seq.num_prompt_tokens
    even = len(seq.prompt) / max(1, count)
    ends = list(accumulate(seq.lengths[:count])) or [round(even * number) for number in range(1, count + 1)]
    numbers, chain, start = [], 0, 0
    for last in range(block_size - 1, count, block_size):
        chain = hash((chain, seq.prompt[start : ends[last]]))
        start = ends[last]
        numbers.append(chain)
    return numbers


def _per_step(steps: Sequence[Step], kind: str) -> float | None:
    return _mean(sum(work.num_tokens for work in step.work if work.kind == kind) for step in steps)


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
