"""Who speculates in a step, how far, and whose guess it is.

Speculation takes no block and no budget that anybody else could use: only empty blocks and the rest of the budget, and
`commit` gives blocks back. Nobody speculates while more run than `max_num_speculating` allows.

Without a draft model the guess is made here (ngram.py). With one, the executor makes it, and here is decided how far its
KV gets. It has a cache of its own over the same block tables, and a coverage of its own: `num_draft_computed_tokens`. That
is 0 for whoever enters, whatever the prefix cache found, because found blocks need only hold the large model's KV.
The draft model then catches up beside the large one, within a budget of the same size, those who lack least first;
a sequence speculates once it lacks nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from ladder_engine.batch import Batch, Work
from ladder_engine.block_manager import BlockManager
from ladder_engine.config import EngineConfig
from ladder_engine.ngram import propose

TO_BE_DRAFTED = -1
"""Stands for a token that the draft model has still to name."""


class Drafting:
    """Makes decodes longer by a guess at what follows."""

    def __init__(self, config: EngineConfig, blocks: BlockManager) -> None:
        self.propose: Callable[[list[int], int], list[int]] = propose
        self._config = config
        self._blocks = blocks

    def configure(self, config: EngineConfig) -> None:
        """Follow other settings from the next step on."""
        self._config = config

    def draft(self, batch: Batch, num_running: int) -> None:
        """Spend the spare part of the budget on drafts for the decodes of the batch."""
        most = self._config.max_num_speculating
        if most is not None and num_running > most:
            return
        hopeful = [work for work in batch.works if _may_draft(work)]
        if self._config.draft_model:
            hopeful = self._catch_up(hopeful)
        for work in hopeful:
            if work.kind == "decode" and batch.spare > 0:
                batch.spare -= self._extend(work, batch.spare)

    def settle(self, work: Work) -> None:
        """Note how far the draft model's KV stands now: that of the last draft token was never computed, and that of
        rejected ones counts for nothing."""
        seq, drafted = work.seq, max(0, len(work.draft_tokens) - 1)
        computed = seq.num_draft_computed_tokens + work.num_catch_up_tokens + drafted
        seq.num_draft_computed_tokens = min(computed, seq.num_computed_tokens)

    def _catch_up(self, works: list[Work]) -> list[Work]:
        """Let the draft model compute what it lacks; returns the works where it then lacks nothing."""

        def lack(work: Work) -> int:
            return work.end - work.seq.num_draft_computed_tokens

        room = self._config.max_num_batched_tokens
        for work in sorted(works, key=lack):
            work.num_catch_up_tokens = min(lack(work), room)
            room -= work.num_catch_up_tokens
        return [work for work in works if work.num_catch_up_tokens == lack(work)]

    def _extend(self, work: Work, spare: int) -> int:
        """Let a decode compute a draft too; returns how many tokens that is."""
        seq, pool = work.seq, self._blocks.pool
        empty = pool.num_free - pool.num_cached
        room = (len(seq.block_table) + empty) * self._config.block_size - seq.num_tokens
        to_come = seq.max_tokens - seq.num_answer_tokens - 1
        length = min(self._config.num_speculative_tokens, spare, room, to_come)
        if length <= 0:
            return 0
        if self._config.draft_model:
            work.draft_tokens = [TO_BE_DRAFTED] * length
        else:
            work.draft_tokens = self.propose(seq.token_ids, length)
        work.num_tokens += len(work.draft_tokens)
        self._blocks.grow([work])
        return len(work.draft_tokens)


def _may_draft(work: Work) -> bool:
    """Whether the sequence can ever speculate from here on."""
    seq = work.seq
    if seq.sampling.penalises or seq.search:
        return False
    return seq.num_answer_tokens + 1 < seq.max_tokens
