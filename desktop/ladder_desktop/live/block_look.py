"""What each block of a state looks like, as an array with a row for each of its traits: its colours, how full it is, whose it
is, and what is stamped upon it. What two looks have in common need not be painted anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt
from ladder_engine.tracing.state import FREE, RunState, Step

from ladder_desktop.live.canvas import blend
from ladder_desktop.theme import Theme

Traits = npt.NDArray[np.int64]
"""[TRAITS, blocks]. Colours are 0xffRRGGBB; a stamp that a block does not carry is 0."""
Numbers = npt.NDArray[np.int64]

FULL, EMPTY, FILLED, OWNER, REF_COUNT, PALE, PLACE = range(7)
"""The colours of KV that stands and of room that is owned and not yet used; tokens; the first owner, and how many there are;
whether the selected request is not among them; the position in its block_table if it is the only one, otherwise -1."""
NOTCH, CACHED, NEW, DONE, LOST, SWAPPED_OUT, SWAPPED_IN, COPIED, GROUND, EVICTED = range(7, 17)
"""The colours of the stamps, in the order in which they lie upon each other."""
TRAITS = 17


@dataclass(frozen=True)
class BlockLook:
    """How to look at blocks: in which colours, and with which request lit; None lights all."""

    theme: Theme
    selection: int | None

    def traits(self, state: RunState) -> Traits:
        """Look at the blocks of a state."""
        owner = np.array(state.block_owner, np.int64)
        look = np.zeros((TRAITS, len(owner)), np.int64)
        look[FILLED], look[OWNER], look[REF_COUNT] = tokens(state), owner, owner != FREE
        if self.selection is not None:
            look[PALE] = (owner != self.selection) & (owner != FREE)
        hue = np.where(owner == FREE, self._free, owner % self._free)
        look[EMPTY] = self._inks[1, look[PALE], hue]
        for block_id, owners in state.shared.items():
            look[REF_COUNT, block_id], hue[block_id] = len(owners), self._shared
            look[PALE, block_id] = self.selection is not None and self.selection not in owners
        look[FULL] = self._inks[0, look[PALE], hue]
        look[NOTCH, _ids(state.shared)] = self._ink("text")
        kept = _ids(state.cached)
        look[CACHED, kept[owner[kept] == FREE]] = self._ink("kv_cached")
        self._find(look, state)
        if state.steps:
            self._stamp(look, state.steps[-1])
        return look

    def _find(self, look: Traits, state: RunState) -> None:
        """Say where the selected request's own blocks stand in its block_table."""
        look[PLACE] = -1
        chosen = None if self.selection is None else state.sequences.get(self.selection)
        if chosen is not None:
            table = _ids(chosen.block_table)
            look[PLACE, table] = np.where(look[REF_COUNT, table] == 1, np.arange(len(table)), -1)

    def _stamp(self, look: Traits, step: Step) -> None:
        """Mark what the step at the playhead has done with blocks."""
        owner, swapped = look[OWNER], set(step.swapped_out)
        text, bad = self._ink("text"), self._ink("preempted")
        for block_id, seq_id in step.freed:
            if owner[block_id] != FREE or block_id in swapped:
                continue
            if seq_id in step.preempted:
                look[LOST, block_id] = bad
            else:
                pale = self.selection is not None and seq_id != self.selection
                look[DONE, block_id] = self._inks[0, int(pale), seq_id % self._free]
        look[NEW, [block_id for block_id, seq_id in step.allocated if owner[block_id] == seq_id]] = text
        look[SWAPPED_OUT, list(step.swapped_out)] = bad
        look[SWAPPED_IN, list(step.swapped_in)] = text
        look[COPIED, [copy for _, copy in step.copied]] = text
        look[GROUND, list(step.evicted)] = self._ink("surface")
        look[EVICTED, list(step.evicted)] = self._ink("kv_cached")

    @property
    def _free(self) -> int:
        """Where the colour of free blocks stands among the inks, behind those of all owners."""
        return len(self.theme.owners)

    @property
    def _shared(self) -> int:
        """Where that of shared ones stands."""
        return len(self.theme.owners) + 1

    @cached_property
    def _inks(self) -> Traits:
        """Of KV that stands and of room not yet used, lit and pale, in each hue: [2, 2, hues]."""
        theme, surface = self.theme, self.theme.colour("surface")
        hues = [*(theme.owner(at) for at in range(self._free)), None, theme.colour("kv_shared")]
        shares = ((1.0, 0.28), (0.30, 0.10))
        plain = self._ink("kv_free")
        return np.array(
            [
                [
                    [plain if hue is None else blend(hue, surface, share).rgb() for hue in hues]
                    for share in row
                ]
                for row in shares
            ],
            np.int64,
        )

    def _ink(self, role: str) -> int:
        return self.theme.colour(role).rgb()


def tokens(state: RunState) -> Numbers:
    """For each block, how many tokens' KV stands in it: that of the owner who has computed the most, all that a cached one can."""
    filled = np.zeros(len(state.block_owner), np.int64)
    if state.config is None:
        return filled
    size = state.config.block_size
    filled[_ids(state.cached)] = size
    running = [state.sequences[seq_id] for seq_id in state.running]
    counts = np.array([len(sequence.block_table) for sequence in running], np.int64)
    computed = np.array([sequence.num_computed_tokens for sequence in running], np.int64)
    blocks = _ids(chain.from_iterable(sequence.block_table for sequence in running))
    positions = np.arange(len(blocks)) - np.repeat(np.cumsum(counts) - counts, counts)
    stand = np.clip(np.repeat(computed, counts) - positions * size, 0, size)
    np.maximum.at(filled, blocks, stand)
    return filled


def _ids(block_ids: Iterable[int]) -> Numbers:
    return np.fromiter(block_ids, np.int64)
