"""A run in a dozen lines, from its trace alone. Everything in it was measured; nothing is projected."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from ladder_engine.tracing.events import AnyEvent
from ladder_engine.tracing.fold import RunState, fold


class Percentiles(msgspec.Struct, frozen=True):
    """Of some seconds, linearly interpolated."""

    p50: float
    p90: float
    p99: float

    @staticmethod
    def of(seconds: list[float]) -> Percentiles | None:
        """None when there is nothing to rank."""
        return Percentiles(*np.percentile(seconds, (50, 90, 99)).tolist()) if seconds else None

    def __str__(self) -> str:
        return f"p50 {self.p50 * 1e3:.1f} ms, p90 {self.p90 * 1e3:.1f} ms, p99 {self.p99 * 1e3:.1f} ms"


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a run did, and how fast.

    `seconds` runs from the first arrival to the end of the last step. TTFT is first token minus arrival; TPOT is the
    time from the first token to the last over one token less, for answers of two tokens or more. KV use is owned
    blocks over all blocks after each step; `kv_filled` is the share of owned room, over all steps, that holds KV.
    `cached_tokens` of the prompts were found in the prefix cache;
    `num_drafts` drafts had `num_draft_tokens` tokens, of which `num_accepted_tokens` were accepted; `accepted_per_pos`
    counts the drafts whose token at each position was (the names are vLLM's).
    `evicted_tokens` were thrown out of it. `recomputed_tokens` are what preemptions cost: tokens computed once more.
    """

    scenario: str
    model: str
    kernels: str
    device: str
    requests: int
    finished: int
    refused: int
    aborted: int
    preemptions: int
    recomputed_tokens: int
    swapped_blocks: int
    steps: int
    prompt_tokens: int
    computed_tokens: int
    answer_tokens: int
    seconds: float
    ttft: Percentiles | None
    tpot: Percentiles | None
    kv_use_mean: float
    kv_use_peak: float
    kv_filled: float
    num_blocks: int
    kv_bytes: int
    num_drafts: int
    num_draft_tokens: int
    num_accepted_tokens: int
    accepted_per_pos: tuple[int, ...]
    prefix_caching: bool
    cached_tokens: int
    evicted_tokens: int
    error: str | None

    @property
    def tokens_per_s(self) -> float:
        """Answer tokens per second of the run."""
        return self.answer_tokens / self.seconds if self.seconds else 0.0

    def lines(self) -> list[str]:
        """The summary as text."""
        turned_away = f", {self.refused} refused" if self.refused else ""
        cut_short = f", {self.aborted} aborted" if self.aborted else ""
        lines = [
            f"scenario     {self.scenario}, model {self.model}",
            f"speed        {self.tokens_per_s:.1f} tokens/s measured on this machine, kernels {self.kernels}, "
            f"device {self.device}",
            f"requests     {self.requests}: {self.finished} finished{turned_away}{cut_short}",
            f"tokens       {self.prompt_tokens} in prompts, {self.answer_tokens} in answers, "
            f"{self.computed_tokens} computed in {self.steps} steps, {self.seconds:.2f} s",
            f"TTFT         {self.ttft or 'no request has answered'}",
            f"TPOT         {self.tpot or 'no answer has two tokens'}",
            f"KV use       mean {self.kv_use_mean:.0%}, peak {self.kv_use_peak:.0%} of {self.num_blocks} blocks "
            f"({self.kv_bytes / 2**20:.1f} MiB), {self.kv_filled:.0%} of what is owned holds KV",
            f"preemptions  {self.preemptions}, {self.recomputed_tokens} tokens computed again"
            + (f", {self.swapped_blocks} blocks kept in host memory" if self.swapped_blocks else ""),
        ]
        if self.prefix_caching:
            share = self.cached_tokens / max(1, self.prompt_tokens)
            lines.append(
                f"prefix cache {self.cached_tokens} of {self.prompt_tokens} prompt tokens found ({share:.0%}), "
                f"{self.evicted_tokens} evicted"
            )
        if self.num_drafts:
            lines.append(
                f"speculation  {self.num_drafts} drafts, {self.num_accepted_tokens} of {self.num_draft_tokens} draft "
                f"tokens accepted ({self.num_accepted_tokens / self.num_draft_tokens:.0%}), "
                f"{1 + self.num_accepted_tokens / self.num_drafts:.2f} tokens a verified step"
            )
        return [*lines, f"broke off    {self.error}"] if self.error else lines


def summarize(events: Iterable[AnyEvent]) -> Summary:
    """Sum up a whole trace. Raises TraceError when it contradicts itself."""
    return summarize_state(fold(events))


def summarize_state(state: RunState) -> Summary:
    """Sum up what has happened so far. The state has seen RunStarted."""
    config = state.config
    if config is None:
        raise ValueError("a run that has not started has no summary")
    seqs = list(state.sequences.values())
    asked = [seq for seq in seqs if seq.parent_id is None]  # a fork is no request of its own
    owned = sum(config.num_blocks - step.num_free_blocks for step in state.steps)
    used = [1 - step.num_free_blocks / config.num_blocks for step in state.steps]
    drafts = [work for step in state.steps for work in step.work if work.num_draft_tokens]
    begun = min((seq.arrived for seq in seqs), default=0.0)
    return Summary(
        scenario=config.scenario,
        model=config.model,
        kernels=config.kernels,
        device=config.device,
        requests=len(asked),
        finished=sum(seq.finish_reason in ("stop", "length") for seq in asked),
        refused=sum(seq.status == "refused" for seq in asked),
        aborted=sum(seq.finish_reason == "aborted" for seq in asked),
        preemptions=sum(seq.preemptions for seq in seqs),
        recomputed_tokens=sum(seq.num_recomputed_tokens for seq in seqs),
        swapped_blocks=sum(len(step.swapped_out) for step in state.steps),
        steps=len(state.steps),
        prompt_tokens=sum(seq.num_prompt_tokens for seq in asked if seq.status != "refused"),
        computed_tokens=sum(step.num_tokens for step in state.steps),
        answer_tokens=state.num_output_tokens,
        seconds=state.steps[-1].time - begun if state.steps else 0.0,
        ttft=Percentiles.of([seq.ttft for seq in asked if seq.ttft is not None]),
        tpot=Percentiles.of([seq.tpot for seq in seqs if seq.tpot is not None]),
        kv_use_mean=sum(used) / len(used) if used else 0.0,
        kv_use_peak=max(used, default=0.0),
        kv_filled=sum(step.num_kv_tokens for step in state.steps) / max(1, owned * config.block_size),
        num_blocks=config.num_blocks,
        num_drafts=len(drafts),
        num_draft_tokens=sum(work.num_draft_tokens for work in drafts),
        num_accepted_tokens=sum(work.num_accepted_tokens for work in drafts),
        accepted_per_pos=tuple(
            sum(work.num_accepted_tokens > place for work in drafts)
            for place in range(max((work.num_draft_tokens for work in drafts), default=0))
        ),
        prefix_caching=config.prefix_caching,
        cached_tokens=sum(seq.num_cached_tokens for seq in seqs),
        evicted_tokens=sum(len(step.evicted) for step in state.steps) * config.block_size,
        kv_bytes=config.num_blocks * config.block_size * config.kv_bytes_per_token,
        error=state.ended.error if state.ended else None,
    )
