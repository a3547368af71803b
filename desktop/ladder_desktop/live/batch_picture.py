"""Paints the batch timeline's cells and the token budget beneath them; timeline.py lays them out and adds the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ladder_desktop.live.batch_cells import DECODE, FINISHED, PREEMPTED, PREFILL, WAITING, BatchCells
from ladder_desktop.live.canvas import Canvas, Colours, Mask, cross, middle
from ladder_desktop.theme import Theme

FILL = ("decode", "draft_accepted", "draft_rejected", "prefill")


@dataclass(frozen=True)
class BatchPicture:
    """How to paint: the size of a cell and of the budget's bars in device pixels, `line` the thickness of a thin line."""

    theme: Theme
    width: int
    height: int
    bar_height: int
    line: int

    def cells(self, cells: BatchCells, budget: int, selected_row: int | None) -> Canvas:
        """Paint the cells: prefill as bars, decode as dots, waiting as lines, marks over them.

        Upon the dot of a decode stands a bar for what was accepted of its draft, and from it hangs a thin one for what was
        rejected; together they are as long as half the cell leaves room for.
        """
        kinds, tokens, marks = cells.kinds, cells.tokens, cells.marks
        tall, wide, line = self.height, self.width, self.line
        canvas = Canvas(kinds.shape[0], kinds.shape[1], tall, wide, self.theme.colour("surface"))
        ground = self._plain("surface", kinds.shape)
        if selected_row is not None and 0 <= selected_row < len(ground):
            ground[selected_row] = self._ink("selection")
        bars = np.ceil(tokens * (tall - 2 * line) / budget).clip(4 * line) * (kinds == PREFILL)
        canvas.fill_up(bars, self._plain("prefill", kinds.shape), ground)
        self._stamp(canvas, kinds == WAITING, middle(tall, wide, line, wide), "waiting")
        if cells.drafted.any():
            self._drafts(canvas, cells)
        self._stamp(canvas, kinds == DECODE, middle(tall, wide, 4 * line, 4 * line), "decode")
        self._stamp(canvas, marks & PREEMPTED > 0, cross(tall, wide + 2, 2 * line)[:, 1:-1], "preempted")
        end = np.zeros((tall, wide), np.bool_)
        end[tall // 6 : tall - tall // 6, wide - 2 * line :] = True
        self._stamp(canvas, marks & FINISHED > 0, end, "text")
        return canvas

    def budget(self, cells: BatchCells, budget: int) -> Canvas:
        """Paint how much of the token budget each step used, and by what: from the foot, decode, drafts, prefill."""
        tall, wide, count = self.bar_height, self.width, cells.filled.shape[1]
        canvas = Canvas(1, count, tall, wide, self.theme.colour("surface"))
        canvas.pixels[...] = self._ink("kv_free")
        from_foot = np.arange(tall, 0, -1)[:, None]
        tops = np.round(np.cumsum(cells.filled, axis=0) * tall / budget)
        for layer, role in reversed(list(enumerate(FILL))):
            canvas.pixels[0][from_foot <= tops[layer]] = self._ink(role)
        canvas.pixels[..., wide - self.line :] = canvas.background
        return canvas

    def _drafts(self, canvas: Canvas, cells: BatchCells) -> None:
        """Paint the drafts' bars; bars of one length are one stamp."""
        most = self.height // 2 - 3 * self.line
        drafted = np.maximum(cells.drafted, 1)
        up = np.ceil(most * cells.accepted / drafted).astype(np.int64)
        down = np.ceil(most * (cells.drafted - cells.accepted) / drafted).astype(np.int64)
        ys = np.arange(self.height)[:, None] - self.height // 2
        xs = np.arange(self.width)[None, :] - (self.width - 1) / 2
        for length in range(1, most + 1):
            solid = (ys < 0) & (ys >= -2 * self.line - length) & (abs(xs) < 2 * self.line)
            thin = (ys >= 0) & (ys < 2 * self.line + length) & (abs(xs) < self.line)
            self._stamp(canvas, up == length, solid, "draft_accepted")
            self._stamp(canvas, down == length, thin, "draft_rejected")

    def _ink(self, role: str) -> np.uint32:
        return np.uint32(self.theme.colour(role).rgb())

    def _plain(self, role: str, shape: tuple[int, ...]) -> Colours:
        return np.full(shape, self._ink(role), np.uint32)

    def _stamp(self, canvas: Canvas, where: Mask, shape: Mask, role: str) -> None:
        rows, columns = np.nonzero(where)
        canvas.stamp(shape, rows, columns, self._ink(role))
