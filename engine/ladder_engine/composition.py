"""Which kinds of work may share a step: `mixed`, `prefill_first` or `decode_first`.

Mixed, every running sequence advances in every step. Else a step computes prompts or decodes, never both, and the kind
that comes first takes every step for which it has work. The other kind would wait as long as that lasts, so after
PATIENCE steps in a row in which somebody was held up, one step is theirs.
"""

from __future__ import annotations

from collections.abc import Collection

from ladder_engine.config import EngineConfig
from ladder_engine.sequence import Sequence
from ladder_engine.tracing.events import WorkKind

PATIENCE = 4
TURNS: dict[str, tuple[tuple[WorkKind, ...], ...]] = {
    "mixed": (("prefill", "decode"),),
    "prefill_first": (("prefill",), ("decode",)),
    "decode_first": (("decode",), ("prefill",)),
}


class Composition:
    """The turns of `config.composition`, and how long the kind that comes second has been held up."""

    def __init__(self, config: EngineConfig) -> None:
        self._turns = TURNS[config.composition]
        self._held_up = 0

    def turns(self) -> tuple[tuple[WorkKind, ...], ...]:
        """The kinds that may share this step; each further entry is for the case that the one before has no work."""
        return self._turns if self._held_up < PATIENCE else self._turns[::-1]

    def took(
        self, kinds: tuple[WorkKind, ...], running: Collection[Sequence], waiting: Collection[Sequence]
    ) -> None:
        """Note whose step it was, and whether that held somebody up."""
        if len(self._turns) == 1:
            return
        others = self._turns[1][0]
        held_up = any(seq.kind == others for seq in running) or (others == "prefill" and waiting)
        self._held_up = self._held_up + 1 if kinds == self._turns[0] and held_up else 0
