"""Who advances in the next step, by how many tokens, and in which blocks.

There is no prefill phase and no decode phase: every sequence has `num_tokens` it knows and `num_computed_tokens` whose
KV stands, and a step moves the second toward the first. Chunked prefill, recomputing after a preemption and a prefix
that is found in the cache fall out of that; a decode is the case where one token is missing.

Two orders hold it together. Blocks go by urgency: whoever is more urgent can take them from all others, and since the
whole pool is large enough for any single request (others are refused when they arrive), the most urgent one that runs is
never held up. The budget goes by entry: each running sequence has one token of it, and the rest goes to those who lack
more, first to who entered first; so nobody who runs is ever left out (composition.py can make them take turns).
"""

from __future__ import annotations

from collections import deque
from itertools import count, zip_longest

from ladder_engine.admission import Admission
from ladder_engine.batch import Batch, Work
from ladder_engine.block_manager import BlockManager
from ladder_engine.branching import Branching
from ladder_engine.composition import Composition
from ladder_engine.config import EngineConfig
from ladder_engine.drafting import Drafting
from ladder_engine.sequence import Output, Sequence
from ladder_engine.tracing.events import (
    Admitted,
    Arrived,
    Finished,
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
from ladder_engine.tracing.recorder import Recorder

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
        self.composition = Composition(config)
        self.drafting = Drafting(config, self.blocks)
        self.new_id = count().__next__
        self._branching = Branching(self.blocks, recorder, self.new_id, self._say)
        self._recorder = recorder
        self._record = recorder.add

    def add(self, seq: Sequence, prompt: str, lengths: tuple[int, ...] = ()) -> None:
        """A request arrives: it waits, or it is refused because it can never fit or too many wait.

        `prompt` is its text, and `lengths` the characters that each of its tokens stands for.
        """
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
            lengths=lengths,
        )
        refusal = self.config.why_never(
            seq.num_prompt_tokens, seq.max_tokens, len(seq.seeds), seq.search.width if seq.search else 0
        )
        if not refusal and len(self.waiting) == self.config.max_num_waiting:
            refusal = f"arrives while {len(self.waiting)} wait, and max_num_waiting allows no more"
        if refusal:
            self._record(Refused, seq_id=seq.seq_id, reason=f"{seq.name} {refusal}.")
        else:
            seq.arrived_step = self._recorder.step
            self.admission.arrives(seq, self.waiting)
            self.waiting.append(seq)

    def schedule(self) -> Batch:
        """Share out one step: who advances, by how many tokens, and in which blocks."""
        batch = Batch()
        wait_reason: WaitReason | None = "decode_turn"
        for kinds in self.composition.turns():
            self._advance(batch, kinds)
            if "prefill" in kinds:
                wait_reason = self._let_in(batch)
            if batch.works:
                break
        self.composition.took(kinds, self.running, self.waiting)
        if self.config.num_speculative_tokens:
            self.drafting.draft(batch, num_running=len(self.running))
        self._tell(batch)
        self._explain(wait_reason)
        batch.moves = self.blocks.hand_over()
        return batch

    def commit(self, batch: Batch, outputs: list[list[Output]]) -> list[Sequence]:
        """Advance every sequence of the batch; `outputs` holds, for each work that samples, what follows its newest
        token and each of its draft tokens, at least up to the first that is wrong.

        Returns the sequences that are done. Their blocks are free.
        """
        said, caching = iter(outputs), self.config.prefix_caching
        for work in batch.works:
            seq = work.seq
            seq.num_computed_tokens = work.start + work.num_tokens - len(work.draft_tokens)
            if work.samples:
                following = next(said)
                if len(following) == 1 and not seq.search:
                    self._say(seq, following[0])
                else:
                    self._follow(work, following)
            if caching:
                self.blocks.cache(seq, work.start)
            if work.num_catch_up_tokens:
                self.drafting.settle(work)
            if work.draft_tokens:
                self.blocks.trim(seq)
        done = [seq for seq in self.running if seq.finish_reason]
        if done:
            self.running = [seq for seq in self.running if not seq.finish_reason]
        for seq in done:
            self._finish(seq)
        return done

    def configure(self, config: EngineConfig) -> None:
        """Follow other settings from the next step on. Who runs already stays, whatever the new limits."""
        self.config = config
        self.blocks.configure(config)
        self.admission.configure(config)
        self.drafting.configure(config)
        self.composition = Composition(config)
        self._recorder.tick()
        self._record(Reconfigured, engine=config)

    def abort(self, seq: Sequence) -> None:
        """Forget a sequence that waits or runs, now; of a beam search, all beams."""
        self._recorder.tick()
        for member in seq.unit:
            (self.running if member in self.running else self.waiting).remove(member)
            member.finish_reason = "aborted"
            self._finish(member)

    def _advance(self, batch: Batch, kinds: tuple[WorkKind, ...]) -> None:
        """Budget and blocks for those who run and have work of these kinds."""
        batch.spare = self.config.max_num_batched_tokens
        members = self.running if len(kinds) > 1 else [seq for seq in self.running if seq.kind in kinds]
        self._share_budget(batch, members)
        while self.blocks.missing(growing := self.blocks.growing(batch.works)) > self.pool.num_free:
            unit = self.admission.least_urgent(self.running).unit
            batch.works = [work for work in batch.works if work.seq not in unit]
            for seq in reversed(unit):
                self._preempt(seq)
        self.blocks.grow(growing)

    def _let_in(self, batch: Batch) -> WaitReason | None:
        """Let those enter who wait, as admission says; returns why the next one must go on waiting."""
        if self.config.batching == "static" and self.running:
            return "static_batch"
        while self.waiting:
            unit = self.admission.next(self.waiting).unit
            wait_reason = self._why_not(unit, batch.spare)
            if wait_reason:
                return wait_reason
            for seq in unit:
                self._admit(seq)
            self.blocks.grow(self._share_budget(batch, unit))
        return None

    @property
    def num_places(self) -> int:
        """Sequences that run, and forks for which a place is kept."""
        return len(self.running) + sum(seq.num_owed for seq in self.running)

    def _share_budget(self, batch: Batch, seqs: list[Sequence]) -> list[Work]:
        """Add works: one token for each of these, and the rest of the budget to the first who lack more."""
        works: list[Work] = []
        spare, max_chunk = batch.spare - len(seqs), self.config.max_prefill_chunk
        for seq in seqs:
            work = Work.next(seq, 1 + spare, seq.max_prefill_chunk or max_chunk)
            spare -= work.num_tokens - 1
            if work.num_tokens:  # a beam may have to wait for the others of its search
                works.append(work)
        batch.works += works
        batch.spare = spare
        return works

    def _why_not(self, unit: list[Sequence], spare: int) -> WaitReason | None:
        """Why these sequences cannot enter now; None if they can."""
        num_running = self.num_places + len(unit) + sum(seq.num_owed for seq in unit)
        if num_running > self.config.max_num_seqs:
            return "max_num_seqs"
        if not self.blocks.has_room(unit, self.running):
            return "no_free_blocks"
        if spare < len(unit) or num_running > self.config.max_num_batched_tokens:
            return "token_budget"
        return None

    def _follow(self, work: Work, outputs: list[Output]) -> None:
        """Go on where there is more than one token to go on with."""
        seq = work.seq
        if seq.search:
            self._branching.beams(seq, outputs[0], self.running)
        elif len(seq.seeds) > 1:
            self._branching.answers(seq, outputs, self.running)
        else:
            self._verify(seq, list(work.draft_tokens), outputs)

    def _say(self, seq: Sequence, output: Output) -> None:
        """Append one token to an answer."""
        token_id, recorder = output.token_id, self._recorder
        text = seq.append(token_id)
        self.admission.says(seq)
        recorder.write(Sampled(recorder.step, recorder.time, seq.seq_id, token_id, text, output.logprobs))

    def _verify(self, seq: Sequence, drafts: list[int], outputs: list[Output]) -> None:
        """Append what was sampled, as far as the draft was right, and what was sampled where it was wrong."""
        accepted = 0
        for output, draft in zip_longest(outputs, drafts):
            self._say(seq, output)
            accepted += output.token_id == draft
            if seq.finish_reason or output.token_id != draft:
                break
        seq.num_computed_tokens += accepted
        self._record(Verified, seq_id=seq.seq_id, draft_token_ids=tuple(drafts), num_accepted_tokens=accepted)

    def _tell(self, batch: Batch) -> None:
        """Record the works."""
        step, time = self._recorder.step, self._recorder.time
        events = [
            Scheduled(step, time, one.seq.seq_id, one.start, one.num_tokens, one.kind, len(one.draft_tokens))
            for one in batch.works
        ]
        self._recorder.write_all(events)

    def _admit(self, seq: Sequence) -> None:
        """Let a waiting sequence into the running batch, with the blocks that hold its first tokens already."""
        self.waiting.remove(seq)
        self.running.append(seq)
        self.admission.enters(seq)
        seq.wait_reason = None
        seq.num_draft_computed_tokens = 0
        self._record(Admitted, seq_id=seq.seq_id)
        self.blocks.enter(seq)

    def _preempt(self, seq: Sequence) -> None:
        """Take all blocks away: the sequence goes back to the head of the queue. Its KV is kept in host memory, if that is
        wanted and has room, or computed again."""
        swaps = self.blocks.swap_out(seq)
        self.running.remove(seq)
        self.blocks.free(seq)
        self._record(
            Preempted,
            seq_id=seq.seq_id,
            num_computed_tokens=seq.num_computed_tokens,
            mode="swap" if swaps else "recompute",
        )
        if not swaps:
            seq.num_computed_tokens = 0
            if seq.search:
                seq.search.forget(seq)
        self.waiting.appendleft(seq)

    def _finish(self, seq: Sequence) -> None:
        assert seq.finish_reason
        self.blocks.free(seq)
        self.blocks.drop_host(seq)
        self._record(Finished, seq_id=seq.seq_id, reason=seq.finish_reason)

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
