"""Who advances in the next step, by how many tokens, and in which blocks.

There is no prefill phase and no decode phase: every sequence has `num_tokens` it knows and `num_computed_tokens` whose
KV stands, and a step moves the second toward the first. Chunked prefill, recomputing after a preemption and a prefix
that is found in the cache fall out of that; a decode is the case where one token is missing.

Two orders hold it together. `running` is in order of admission, and whoever entered first can take blocks from every
later one; since the whole pool is large enough for any single sequence (others are refused when they arrive), every step
advances somebody. And a sequence enters only while every running one has had its share of the budget, so nobody who runs
is ever left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from ladder_engine.admission import Admission
from ladder_engine.block_manager import BlockManager
from ladder_engine.config import EngineConfig
from ladder_engine.ngram import propose
from ladder_engine.recorder import Recorder
from ladder_engine.sequence import Output, Sequence
from ladder_engine.trace import (
    Admitted,
    Arrived,
    Finished,
    FinishReason,
    Preempted,
    Reconfigured,
    Refused,
    Sampled,
    Scheduled,
    Verified,
    WaitReason,
    Waits,
    WorkKind,
)


@dataclass(slots=True)
class Work:
    """One sequence's part of a step: compute `num_tokens` tokens from position `start` on.

    The last of them are `draft_tokens`, which follow the newest known token and may turn out to be wrong.
    """

    seq: Sequence
    start: int
    num_tokens: int
    draft_tokens: list[int] = field(default_factory=list)

    @property
    def samples(self) -> bool:
        """Whether the step reaches the newest known token, so that the next one can be sampled."""
        return self.start + self.num_tokens - len(self.draft_tokens) == self.seq.num_tokens

    @property
    def kind(self) -> WorkKind:
        """`decode` when just the newest token of a sequence that has already answered is missing."""
        newest = self.start == self.seq.num_tokens - 1 and self.seq.num_answer_tokens > 0
        return "decode" if newest else "prefill"

    @property
    def token_ids(self) -> list[int]:
        """The tokens to compute."""
        return self.seq.token_ids[self.start : self.start + self.num_tokens] + self.draft_tokens


Batch = list[Work]
"""What one step computes, in the order in which the sequences entered."""


class Scheduler:
    """Owns the sequences, the order among them, and the block pool."""

    def __init__(self, config: EngineConfig, recorder: Recorder) -> None:
        self.config = config
        self.blocks = BlockManager(config, recorder)
        self.pool = self.blocks.pool
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []
        self.admission = Admission(config)
        self.propose: Callable[[list[int], int], list[int]] = propose
        self._recorder = recorder
        self._record = recorder.add

    def add(self, seq: Sequence, prompt: str) -> None:
        """A request arrives: it waits, or it is refused because it can never fit or too many wait."""
        self._record(
            Arrived,
            seq_id=seq.seq_id,
            name=seq.name,
            prompt=prompt,
            num_prompt_tokens=seq.num_prompt_tokens,
            max_tokens=seq.max_tokens,
            priority=seq.priority,
            client=seq.client,
        )
        refusal = self.config.why_never(seq.num_prompt_tokens, seq.max_tokens)
        if not refusal and len(self.waiting) == self.config.max_num_waiting:
            refusal = f"arrives while {len(self.waiting)} wait, and max_num_waiting allows no more"
        if refusal:
            self._record(Refused, seq_id=seq.seq_id, reason=f"{seq.name} {refusal}.")
        else:
            seq.arrived_step = self._recorder.step
            self.admission.arrives(seq, self.waiting)
            self.waiting.append(seq)

    def schedule(self) -> Batch:
        """Grant blocks and budget: first to those who run, as they entered, then to those who wait, as admission says."""
        batch: Batch = []
        budget = self.config.max_num_batched_tokens

        while len(batch) < len(self.running) and budget:
            seq = self.running[len(batch)]
            work = self._next_work(seq, budget)
            while self._missing(work) > self.pool.num_free and len(batch) < len(self.running):
                self._preempt(self.running.pop())
            if len(batch) < len(self.running):  # else it was the youngest itself
                budget -= self._grant(work, batch)

        is_open = self.config.batching == "continuous" or not self.running
        wait_reason: WaitReason | None = None
        while self.waiting and not wait_reason:
            seq = self.admission.next(self.waiting)
            prefix = self.blocks.cached_prefix(seq)
            if not is_open:
                wait_reason = "static_batch"
            elif len(self.running) >= self.config.max_num_seqs:
                wait_reason = "max_num_seqs"
            elif not self.blocks.has_room(seq, prefix):
                wait_reason = "no_free_blocks"
            elif not budget:
                wait_reason = "token_budget"
            else:
                self._admit(seq, prefix)
                budget -= self._grant(self._next_work(seq, budget), batch)

        for work in batch:
            if self.config.num_speculative_tokens and budget:
                budget -= self._draft(work, budget)
            self._record_work(work)
        self._explain(wait_reason)
        return batch

    def commit(self, batch: Batch, outputs: list[list[Output]]) -> list[Sequence]:
        """Advance every sequence of the batch; `outputs` holds, for each work that samples, what follows its newest
        token and each of its draft tokens.

        Returns the sequences that are done. Their blocks are free.
        """
        said = iter(outputs)
        done: list[Sequence] = []
        for work in batch:
            seq = work.seq
            accepted = self._say(work, next(said)) if work.samples else 0
            seq.num_computed_tokens += work.num_tokens - len(work.draft_tokens) + accepted
            self.blocks.cache(seq, work.start)
            if work.draft_tokens:
                self.blocks.trim(seq)
            if seq.finish_reason:
                self._finish(seq, seq.finish_reason)
                done.append(seq)
        if done:
            self.running = [seq for seq in self.running if not seq.finish_reason]
        return done

    def configure(self, config: EngineConfig) -> None:
        """Follow other settings from the next step on. Who runs already stays, whatever the new limits."""
        self.config = config
        self.blocks.configure(config)
        self.admission.configure(config)
        self._record(Reconfigured, engine=config)

    def abort(self, seq: Sequence) -> None:
        """Forget a sequence that waits or runs, now."""
        if seq in self.running:
            self.running.remove(seq)
        else:
            self.waiting.remove(seq)
        seq.finish_reason = "aborted"
        self._finish(seq, "aborted")

    def _say(self, work: Work, outputs: list[Output]) -> int:
        """Append what was sampled, as far as the drafts were right; returns how many draft tokens that are."""
        seq, drafts = work.seq, work.draft_tokens
        accepted = 0
        for index, output in enumerate(outputs):
            self.admission.says(seq)
            text = seq.append(output.token_id)
            self._record(
                Sampled, seq_id=seq.seq_id, token_id=output.token_id, text=text, logprobs=output.logprobs
            )
            if index == len(drafts) or output.token_id != drafts[index]:
                break
            accepted += 1
            if seq.finish_reason:
                break
        if drafts:
            self._record(
                Verified, seq_id=seq.seq_id, num_draft_tokens=len(drafts), num_accepted_tokens=accepted
            )
        return accepted

    def _next_work(self, seq: Sequence, budget: int) -> Work:
        start = seq.num_computed_tokens
        return Work(seq, start, min(seq.num_tokens - start, budget))

    def _draft(self, work: Work, budget: int) -> int:
        """Let a decode compute a draft too; returns what it takes from the budget.

        It costs nobody anything: budget and blocks are left over, what is cached stays, and `commit` gives blocks back.
        """
        seq, most = work.seq, self.config.max_num_speculating
        crowded = most is not None and len(self.running) > most
        if work.kind != "decode" or seq.sampling.penalises or crowded:
            return 0
        empty = self.pool.num_free - self.pool.num_cached
        room = (len(seq.block_table) + empty) * self.config.block_size - seq.num_tokens
        to_come = seq.max_tokens - seq.num_answer_tokens - 1
        length = min(self.config.num_speculative_tokens, budget, room, to_come)
        work.draft_tokens = self.propose(seq.token_ids, length) if length > 0 else []
        work.num_tokens += len(work.draft_tokens)
        self.blocks.grow(seq, work.start + work.num_tokens)
        return len(work.draft_tokens)

    def _missing(self, work: Work) -> int:
        return self.blocks.missing(work.seq, work.start + work.num_tokens)

    def _admit(self, seq: Sequence, prefix: list[int]) -> None:
        """Let a waiting sequence into the running batch, with the blocks that hold its first tokens already."""
        self.waiting.remove(seq)
        self.running.append(seq)
        self.admission.enters(seq)
        seq.wait_reason = None
        self._record(Admitted, seq_id=seq.seq_id)
        self.blocks.share(seq, prefix)

    def _grant(self, work: Work, batch: Batch) -> int:
        """Put the work into the batch with the blocks it needs; returns what it takes from the budget."""
        self.blocks.grow(work.seq, work.start + work.num_tokens)
        batch.append(work)
        return work.num_tokens

    def _record_work(self, work: Work) -> None:
        self._record(
            Scheduled,
            seq_id=work.seq.seq_id,
            start=work.start,
            num_tokens=work.num_tokens,
            kind=work.kind,
            num_draft_tokens=len(work.draft_tokens),
        )

    def _preempt(self, seq: Sequence) -> None:
        """Take all blocks away: the sequence goes back to the head of the queue and computes its KV again."""
        self.blocks.free(seq)
        self._record(Preempted, seq_id=seq.seq_id, num_computed_tokens=seq.num_computed_tokens)
        seq.num_computed_tokens = 0
        self.waiting.appendleft(seq)

    def _finish(self, seq: Sequence, reason: FinishReason) -> None:
        self.blocks.free(seq)
        self._record(Finished, seq_id=seq.seq_id, reason=reason)

    def _explain(self, reason: WaitReason | None) -> None:
        """Say why the next one waits, and that the others wait behind it, where that is news."""
        if not self.waiting or not reason:
            return
        first = self.admission.next(self.waiting)
        behind: WaitReason = "behind_earlier" if self.config.admission == "fcfs" else "behind_others"
        for seq in self.waiting:
            why = reason if seq is first else behind
            if seq.wait_reason != why:
                seq.wait_reason = why
                self._record(Waits, seq_id=seq.seq_id, reason=why)
