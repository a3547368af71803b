"""Paints the cells of the block grid: colour by owner, fill height by the tokens whose KV stands in the block.

A free block is empty. One that several own has a colour of its own, a notch, and its ref_count; one that is kept for
its prefix, though nobody owns it, is a smaller cell within the free one. What the step at the playhead did is marked:
allocated, an outline; given up, hatched in the last owner's colour, or crossed out if that was preempted; swapped out to
host memory or in from there, a triangle that points up or down; copied, a ring; evicted from the cache, an empty ring.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from ladder_engine.tracing.state import FREE, RunState, Step
from PySide6.QtGui import QColor

from ladder_desktop.live.canvas import (
    Canvas,
    Colours,
    Mask,
    blend,
    corner,
    cross,
    hatch,
    middle,
    outline,
    ring,
    triangle,
)
from ladder_desktop.theme import Theme


@dataclass(frozen=True)
class BlockPicture:
    """How to paint: so many columns of cells of `height` x `width` device pixels, with a gap at their right and foot."""

    theme: Theme
    selection: int | None
    columns: int
    height: int
    width: int
    gap: int

    def paint(self, state: RunState) -> Canvas:
        """Paint a state."""
        tall, gap = self.height, self.gap
        rows = math.ceil(len(state.block_owner) / self.columns)
        canvas = Canvas(rows, self.columns, tall, self.width, self.theme.colour("surface"))
        size = rows * self.columns
        full = np.full(size, self.theme.colour("surface").rgb(), np.uint32)
        full[: len(state.block_owner)] = self.theme.colour("kv_free").rgb()
        empty = full.copy()
        levels = np.zeros(size, np.intp)
        owned = np.array(state.block_owner)
        block_size = state.config.block_size if state.config else 1
        levels[: len(owned)] = np.array(state.tokens_in_blocks()) * (tall - gap) // block_size + gap
        ids, which = np.unique(owned, return_inverse=True)
        full[: len(owned)], empty[: len(owned)] = self._inks(ids.tolist())[which].T
        for block_id, owners in state.shared.items():
            full[block_id] = self.shades(owners)[0].rgb()
        for block_id in state.cached_block_ids:
            full[block_id] = empty[block_id]
        shape = (rows, self.columns)
        canvas.fill_up(levels.reshape(shape), full.reshape(shape), empty.reshape(shape))
        self._stamp_sharing(canvas, state)
        self._stamp_step(canvas, state)
        canvas.gap(gap)
        return canvas

    def shades(self, owners: tuple[int, ...]) -> tuple[QColor, QColor]:
        """The colours of KV that stands, and of room that is owned and not yet used."""
        surface = self.theme.colour("surface")
        owner = self.theme.owner(owners[0]) if len(owners) == 1 else self.theme.colour("kv_shared")
        if self.selection is not None and self.selection not in owners:
            return blend(owner, surface, 0.28), blend(owner, surface, 0.10)
        return owner, blend(owner, surface, 0.30)

    def _inks(self, owners: list[int]) -> Colours:
        """The same for each of these owners, FREE among them, as [owners, 2]; owners of one colour are asked for once."""
        free = self.theme.colour("kv_free")
        known: dict[tuple[int, bool], tuple[int, int]] = {}
        inks = []
        for owner in owners:
            key = owner % len(self.theme.owners) if owner != FREE else FREE, owner == self.selection
            if key not in known:
                full, empty = (free, free) if owner == FREE else self.shades((owner,))
                known[key] = full.rgb(), empty.rgb()
            inks.append(known[key])
        return np.array(inks, np.uint32).reshape(-1, 2)

    def _stamp_sharing(self, canvas: Canvas, state: RunState) -> None:
        """Mark the blocks that several own, and those that are kept although nobody owns them."""
        gap, tall, wide = self.gap, self.height, self.width
        notch = max(2, min(tall, wide) // 5)
        ink = np.uint32(self.theme.colour("text").rgb())
        self._stamp(canvas, corner(tall, wide, notch, gap), list(state.shared), ink)
        kept = np.uint32(self.theme.colour("kv_cached").rgb())
        inner = middle(tall - gap, wide - gap, max(1, (tall - gap) // 2), max(1, (wide - gap) // 2))
        mask = np.pad(inner, ((0, gap), (0, gap)))
        self._stamp(canvas, mask, state.cached_block_ids, kept)

    def _stamp_step(self, canvas: Canvas, state: RunState) -> None:
        """Mark what the step at the playhead has done with blocks."""
        if not state.steps:
            return
        step, owner, size = state.steps[-1], state.block_owner, (self.height, self.width)
        swapped = set(step.swapped_out)
        freed = [pair for pair in step.freed if owner[pair[0]] == FREE and pair[0] not in swapped]
        lost = [block_id for block_id, seq_id in freed if seq_id in step.preempted]
        done = [(block_id, seq_id) for block_id, seq_id in freed if seq_id not in step.preempted]
        new = [block_id for block_id, seq_id in step.allocated if owner[block_id] == seq_id]
        thick, ink, bad = max(1, min(size) // 16), self._ink("text"), self._ink("preempted")
        self._stamp(canvas, outline(*size, thick, self.gap), new, ink)
        fading = np.array([self.shades((seq_id,))[0].rgb() for _, seq_id in done], np.uint32)
        every = max(4, min(size) // 5)
        lines = hatch(*size, every, max(1, every // 4), self.gap)
        self._stamp(canvas, lines, [block_id for block_id, _ in done], fading)
        self._stamp(canvas, cross(*size, thick, self.gap), lost, bad)
        self._stamp_moves(canvas, step, 2 * thick, ink, bad)

    def _stamp_moves(self, canvas: Canvas, step: Step, thick: int, ink: np.uint32, bad: np.uint32) -> None:
        """Mark whose KV went to host memory or came back, was copied, or is no longer to be found."""
        tall, wide = self.height - self.gap, self.width - self.gap
        side = max(3, min(tall, wide) // 2)

        def within(mask: Mask) -> Mask:
            return np.pad(mask, ((0, self.gap), (0, self.gap)))

        self._stamp(canvas, within(triangle(tall, wide, side, up=True)), list(step.swapped_out), bad)
        self._stamp(canvas, within(triangle(tall, wide, side, up=False)), list(step.swapped_in), ink)
        self._stamp(canvas, within(ring(tall, wide, side, thick)), [copy for _, copy in step.copied], ink)
        ground = within(middle(tall, wide, side, side))
        self._stamp(canvas, ground, list(step.evicted), self._ink("surface"))
        self._stamp(canvas, within(ring(tall, wide, side, thick)), list(step.evicted), self._ink("kv_cached"))

    def _ink(self, role: str) -> np.uint32:
        return np.uint32(self.theme.colour(role).rgb())

    def _stamp(self, canvas: Canvas, mask: Mask, blocks: list[int], colours: Colours | np.uint32) -> None:
        if blocks:
            rows, columns = np.divmod(np.array(blocks), self.columns)
            canvas.stamp(mask, rows, columns, colours)
