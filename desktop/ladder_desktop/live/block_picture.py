"""Paints the cells of the block grid: colour by owner, fill height by the tokens whose KV stands in the block.

A free block is empty. One that several own has a colour of its own, a notch, and its ref_count; one that is kept for
its prefix, though nobody owns it, is a smaller cell within the free one. What the step at the playhead did is marked:
allocated, an outline; given up, hatched in the last owner's colour, or crossed out if that was preempted; swapped out to
host memory or in from there, a triangle that points up or down; copied, a ring; evicted from the cache, an empty ring.
In cells that are large enough stands the owner's number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from ladder_engine.tracing.state import RunState
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from ladder_desktop.live import block_look as looks
from ladder_desktop.live.block_look import BlockLook, Numbers, Traits
from ladder_desktop.live.canvas import Canvas, Mask, corner, cross, hatch, middle, outline, ring, triangle
from ladder_desktop.live.words import readable_on
from ladder_desktop.theme import Theme

NUMBERED_FROM = 19  # the least height at which cells carry their owner's number, in logical pixels
PLACED_FROM = 28  # and, of the selected request, the position in its block_table


@dataclass(frozen=True)
class Cells:
    """So many columns of cells of `height` x `width` device pixels, with a gap at their right and foot."""

    columns: int
    height: int
    width: int
    gap: int
    ratio: float
    """Device pixels a logical one."""

    def rect(self, block_id: int) -> QRectF:
        """Where a block is drawn, in logical pixels, without its gap."""
        row, column = divmod(block_id, self.columns)
        x, y, wide, tall = (
            column * self.width,
            row * self.height,
            self.width - self.gap,
            self.height - self.gap,
        )
        return QRectF(x / self.ratio, y / self.ratio, wide / self.ratio, tall / self.ratio)


class BlockPicture:
    """Paints those cells that look other than before, and no others."""

    def __init__(self, theme: Theme, cells: Cells, font: QFont) -> None:
        self.theme, self.cells = theme, cells
        self._canvas = Canvas(0, cells.columns, cells.height, cells.width, theme.colour("surface"))
        self._look = BlockLook(theme, None)
        self._shown = np.zeros((looks.TRAITS, 0), np.int64)
        self._font = QFont(font)
        tall, wide = cells.height / cells.ratio, cells.width / cells.ratio
        self._font.setPixelSize(max(8, min(round(13 * theme.scale), int(tall * 0.30), int(wide * 0.55))))
        self._numbered, self._placed = tall >= NUMBERED_FROM, tall >= PLACED_FROM
        self._stamps = self._make_stamps()
        self._readable: dict[int, QColor] = {}

    def show(self, state: RunState, selection: int | None) -> QImage:
        """Paint a state, in which one request is lit; None lights all. The picture is valid until the next call."""
        if selection != self._look.selection:
            self._look = BlockLook(self.theme, selection)
        look = self._look.traits(state)
        if look.shape != self._shown.shape:
            cells, surface = self.cells, self.theme.colour("surface")
            rows = math.ceil(look.shape[1] / cells.columns)
            self._canvas = Canvas(rows, cells.columns, cells.height, cells.width, surface)
            changed = np.arange(look.shape[1])
        else:
            changed = np.flatnonzero((look != self._shown).any(axis=0))
        self._shown = look
        image = self._canvas.image(self.cells.ratio)
        if len(changed):
            block_size = state.config.block_size if state.config else 1
            self._paint_cells(look[:, changed], changed, block_size)
            if self._numbered:
                self._write(image, look, changed, block_size)
        return image

    def _paint_cells(self, look: Traits, blocks: Numbers, block_size: int) -> None:
        rows, columns = np.divmod(blocks, self.cells.columns)
        gap = self.cells.gap
        levels = look[looks.FILLED] * (self.cells.height - gap) // block_size + gap
        full, empty = look[looks.FULL].astype(np.uint32), look[looks.EMPTY].astype(np.uint32)
        self._canvas.fill_some(rows, columns, levels, full, empty, gap)
        for trait, mask in self._stamps:
            (at,) = look[trait].nonzero()
            if len(at):
                self._canvas.stamp(mask, rows[at], columns[at], look[trait, at].astype(np.uint32))

    def _write(self, image: QImage, look: Traits, blocks: Numbers, block_size: int) -> None:
        """Write the owner's number into each block, ×2 where two own it; for the selected owner, also the place in its block_table."""
        painter = QPainter(image)
        painter.setFont(self._font)
        size, text = self._font.pixelSize(), self.theme.colour("text")
        foot = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
        head = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight
        for block_id in blocks[look[looks.REF_COUNT, blocks] > 0].tolist():
            full, _, filled, owner, count, pale, place = look[: looks.NOTCH, block_id].tolist()
            rect = self.cells.rect(block_id).adjusted(3, 2, -2, -2)
            covered = filled * rect.height() / block_size
            inks = self._ink_on(full), text
            painter.setPen(self.theme.colour("muted") if pale else inks[covered < size * 0.8])
            painter.drawText(rect, foot, str(owner + 1) if count == 1 else f"×{count}")
            if place >= 0 and self._placed:
                painter.setPen(inks[covered < rect.height() - size * 0.4])
                painter.drawText(rect, head, f"·{place}")
        painter.end()

    def _ink_on(self, colour: int) -> QColor:
        if colour not in self._readable:
            self._readable[colour] = readable_on(QColor.fromRgb(colour), self.theme)
        return self._readable[colour]

    def _make_stamps(self) -> list[tuple[int, Mask]]:
        """The shape of each stamp."""
        tall, wide, gap = self.cells.height, self.cells.width, self.cells.gap
        inner = tall - gap, wide - gap
        least, side = min(tall, wide), max(3, min(inner) // 2)
        thick, every = max(1, least // 16), max(4, least // 5)

        def within(mask: Mask) -> Mask:
            return np.pad(mask, ((0, gap), (0, gap)))

        circle = within(ring(*inner, side, 2 * thick))
        return [
            (looks.NOTCH, corner(tall, wide, max(2, least // 5), gap)),
            (looks.CACHED, within(middle(*inner, max(1, inner[0] // 2), max(1, inner[1] // 2)))),
            (looks.NEW, outline(tall, wide, thick, gap)),
            (looks.DONE, hatch(tall, wide, every, max(1, every // 4), gap)),
            (looks.LOST, cross(tall, wide, thick, gap)),
            (looks.SWAPPED_OUT, within(triangle(*inner, side, up=True))),
            (looks.SWAPPED_IN, within(triangle(*inner, side, up=False))),
            (looks.COPIED, circle),
            (looks.GROUND, within(middle(*inner, side, side))),
            (looks.EVICTED, circle),
        ]
