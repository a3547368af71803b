"""What one step computes."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from ladder_engine.sequence import Sequence
from ladder_engine.tracing.events import WorkKind


class Work(msgspec.Struct, gc=False):
    """One sequence's part of a step: compute `num_tokens` tokens from position `start` on.

    `kind` is `decode` when just the newest token of a sequence that has already answered is missing. `samples` says
    whether the step reaches the newest known token, so that the next one can be sampled. The last tokens are
    `draft_tokens`, which follow the newest known token and may turn out to be wrong. With a draft model they are
    TO_BE_DRAFTED (drafting.py) until the executor names them, and the draft model computes its own KV of the first
    `num_catch_up_tokens` tokens that it lacks.
    """

    seq: Sequence
    start: int
    num_tokens: int
    kind: WorkKind
    samples: bool
    draft_tokens: list[int] | tuple[()] = ()
    num_catch_up_tokens: int = 0

    @staticmethod
    def next(seq: Sequence, most: int, max_chunk: int | None = None) -> Work:
        """Compute what `seq` lacks, up to `most` tokens, one at least; of a prompt no more than `max_chunk`."""
        start = seq.num_computed_tokens
        lacks = len(seq.token_ids) - start
        if lacks == 1 and start >= seq.num_prompt_tokens:
            return Work(seq, start, 1, "decode", True)
        chunk = min(lacks, most, max_chunk or most)
        return Work(seq, start, chunk, "prefill", chunk == lacks)

    @property
    def end(self) -> int:
        """How far the KV of the sequence stands after the step, drafts included."""
        return self.start + self.num_tokens

    @property
    def token_ids(self) -> list[int]:
        """The tokens to compute."""
        known = self.num_tokens - len(self.draft_tokens)
        return [*self.seq.token_ids[self.start : self.start + known], *self.draft_tokens]

    @property
    def num_samples(self) -> int:
        """How many tokens are sampled: after the newest token and each of its draft tokens, for each seed."""
        return len(self.seq.seeds) * (1 + len(self.draft_tokens)) if self.samples else 0


Pairs = list[tuple[int, int]]


@dataclass(slots=True)
class Moves:
    """Blocks to copy before the works are computed, as pairs (from, to); in this order, because a block that is
    swapped out may be anybody's `to` afterwards. `copies` are within the pool, and no `to` is another one's `from`."""

    swapped_out: Pairs = field(default_factory=list)
    swapped_in: Pairs = field(default_factory=list)
    copies: Pairs = field(default_factory=list)


@dataclass(slots=True)
class Batch:
    """The works of one step, in the order in which the sequences entered, and what must be done before them.

    `spare` is what is left of the budget.
    """

    works: list[Work] = field(default_factory=list)
    spare: int = 0
    moves: Moves = field(default_factory=Moves)
