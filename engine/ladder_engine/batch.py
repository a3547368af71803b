"""What one step computes."""

from __future__ import annotations

from dataclasses import dataclass, field

from ladder_engine.sequence import Sequence
from ladder_engine.trace import WorkKind


@dataclass(slots=True)
class Work:
    """One sequence's part of a step: compute `num_tokens` tokens from position `start` on.

    The last of them are `draft_tokens`, which follow the newest known token and may turn out to be wrong. With a draft
    model they are TO_BE_DRAFTED (drafting.py) until the executor names them, and the draft model computes its own KV of
    the first `num_catch_up_tokens` tokens that it lacks.
    """

    seq: Sequence
    start: int
    num_tokens: int
    draft_tokens: list[int] = field(default_factory=list)
    num_catch_up_tokens: int = 0

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
