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

from ladder_engine.admission import Admission
from ladder_engine.batch import Batch, Work
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
    Refused,
    Sampled,
    Scheduled,
    Verified,
    WaitReason,
    Waits,
)

BEHIND: dict[str, WaitReason] = {
    "fcfs": "behind_earlier",
    "priority": "behind_priority",
    "fair": "behind_fair",
}


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
        self._recorder.tick()
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
        """Share out one step: budget and blocks to those who run, then to those who wait, as admission says."""
        batch = Batch()
        spare = self.config.max_num_batched_tokens - len(self.running)  # one token is for each of them
        for seq in self.running:
            work = Work.next(seq, 1 + spare)
            spare -= work.num_tokens - 1
            batch.works.append(work)
        self._grant(batch)

        wait_reason: WaitReason | None = None
        if self.config.batching == "static" and self.running:
            wait_reason = "static_batch"
        while self.waiting and not wait_reason:
            seq = self.admission.next(self.waiting)
            prefix = self.blocks.cached_prefix(seq)
            wait_reason = self._why_not(seq, prefix, spare)
            if not wait_reason:
                self._admit(seq, prefix)
                work = Work.next(seq, spare)
                spare -= work.num_tokens
                batch.works.append(work)
                self.blocks.grow([work])

        if self.config.num_speculative_tokens:
            self._draft(batch, spare)
        self._tell(batch)
        self._explain(wait_reason)
        return batch

    def commit(self, batch: Batch, outputs: list[list[Output]]) -> list[Sequence]:
        """Advance every sequence of the batch; `outputs` holds, for each work that samples, what follows its newest
        token and each of its draft tokens.

        Returns the sequences that are done. Their blocks are free.
        """
        said = iter(outputs)
        done: list[Sequence] = []
        for work in batch.works:
            seq = work.seq
            accepted = self._say(work, next(said)) if work.samples else 0
            seq.num_computed_tokens = work.start + work.num_tokens - len(work.draft_tokens) + accepted
            if self.config.prefix_caching:
                self.blocks.cache(seq, work.start)
            if work.draft_tokens:
                self.blocks.trim(seq)
            if seq.finish_reason:
                self._finish(seq, seq.finish_reason)
                done.append(seq)
        if done:
            self.running = [seq for seq in self.running if not seq.finish_reason]
        return done

    def abort(self, seq: Sequence) -> None:
        """Forget a sequence that waits or runs, now."""
        self._recorder.tick()
        if seq in self.running:
            self.running.remove(seq)
        else:
            self.waiting.remove(seq)
        seq.finish_reason = "aborted"
        self._finish(seq, "aborted")

    def _grant(self, batch: Batch) -> None:
        """Give each work its blocks. While there are too few, the youngest sequence gives up its own."""
        while self.blocks.missing(growing := self.blocks.growing(batch.works)) > self.pool.num_free:
            seq = self.running.pop()
            batch.works = [work for work in batch.works if work.seq is not seq]
            self._preempt(seq)
        self.blocks.grow(growing)

    def _why_not(self, seq: Sequence, prefix: list[int], spare: int) -> WaitReason | None:
        """Why `seq`, whose first blocks are cached, cannot enter now; None if it can."""
        if len(self.running) == self.config.max_num_seqs:
            return "max_num_seqs"
        if not self.blocks.has_room(seq, prefix):
            return "no_free_blocks"
        return None if spare > 0 else "token_budget"

    def _say(self, work: Work, outputs: list[Output]) -> int:
        """Append what was sampled, as far as the drafts were right; returns how many draft tokens that are."""
        seq, drafts, recorder = work.seq, work.draft_tokens, self._recorder
        accepted = 0
        for output in outputs:
            text = seq.append(output.token_id)
            recorder.write(
                Sampled(recorder.step, recorder.time, seq.seq_id, output.token_id, text, output.logprobs)
            )
            right = accepted < len(drafts) and output.token_id == drafts[accepted]
            accepted += right
            if seq.finish_reason or not right:
                break
        self.admission.says(seq, accepted + (not right))
        if drafts:
            self._record(
                Verified, seq_id=seq.seq_id, num_draft_tokens=len(drafts), num_accepted_tokens=accepted
            )
        return accepted

    def _draft(self, batch: Batch, spare: int) -> None:
        """Let decodes compute drafts too, as far as budget and blocks are left over: it costs nobody anything."""
        config = self.config
        if config.max_num_speculating is not None and len(self.running) > config.max_num_speculating:
            return
        for work in batch.works:
            seq = work.seq
            if work.kind != "decode" or seq.sampling.penalises:
                continue
            empty = self.pool.num_free - self.pool.num_cached
            room = (len(seq.block_table) + empty) * config.block_size - seq.num_tokens
            to_come = seq.max_tokens - seq.num_answer_tokens - 1
            length = min(config.num_speculative_tokens, spare, room, to_come)
            if length > 0:
                work.draft_tokens = self.propose(seq.token_ids, length)
                work.num_tokens += len(work.draft_tokens)
                spare -= len(work.draft_tokens)
                self.blocks.grow([work])

    def _tell(self, batch: Batch) -> None:
        """Record the works."""
        step, time = self._recorder.step, self._recorder.time
        self._recorder.write_all(
            Scheduled(
                step, time, work.seq.seq_id, work.start, work.num_tokens, work.kind, len(work.draft_tokens)
            )
            for work in batch.works
        )

    def _admit(self, seq: Sequence, prefix: list[int]) -> None:
        """Let a waiting sequence into the running batch, with the blocks that hold its first tokens already."""
        self.waiting.remove(seq)
        self.running.append(seq)
        self.admission.enters(seq)
        seq.wait_reason = None
        self._record(Admitted, seq_id=seq.seq_id)
        self.blocks.share(seq, prefix)

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
        for seq in self.waiting:
            why = reason if seq is first else BEHIND[self.config.admission]
            if seq.wait_reason != why:
                seq.wait_reason = why
                self._record(Waits, seq_id=seq.seq_id, reason=why)
