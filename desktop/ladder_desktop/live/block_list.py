"""The block grid's twin for screen readers and for those who like lists: the same facts, one row a block."""

from __future__ import annotations

from functools import partial

from ladder_engine.tracing.state import FREE, RunState, Step
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.block_words import block_text, block_words, owner_names, visible
from ladder_desktop.live.lazy_rows import LazyRows
from ladder_desktop.live.text_table import LEFT, Column, TextTable
from ladder_desktop.theme import Theme

COLUMNS = (
    Column("Block", "Block id, with the owner's colour", 70),
    Column("Owner", "The sequences that own it", 0, LEFT),
    Column("Position", "Its place in the owner's block_table", 70),
    Column("Tokens", "Tokens whose KV stands in it", 70),
    Column("Text", "The text of those tokens", 0, LEFT),
    Column("In this step", "What the step at the playhead did with it", 100, LEFT),
)


class BlockList(TextTable):
    """One row a block. Emits `selected` with the owner of the block that a person picks, or None for a free one."""

    selected = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "KV blocks as a table", COLUMNS, parent)
        self._owners: list[int] = []
        self.picked.connect(self._pick)

    def show_state(self, state: RunState) -> None:
        """Draw this state."""
        self._owners = state.block_owner
        news = _news(state)
        filled = state.tokens_in_blocks()
        places = [""] * len(filled)
        for sequence in (state.sequences[seq_id] for seq_id in state.running):
            for position, block_id in enumerate(sequence.block_table):
                places[block_id] = str(position)
        rows = [
            (
                str(block_id),
                owner_names(state, block_id),
                places[block_id],
                str(tokens or ""),
                visible(block_text(state, block_id)),
                news.get(block_id, ""),
            )
            for block_id, tokens in enumerate(filled)
        ]
        swatches = [None if owner == FREE else owner for owner in self._owners]
        self.show_rows(rows, swatches, {1: LazyRows(partial(block_words, state), len(rows))})

    def _pick(self, block_id: int) -> None:
        owner = self._owners[block_id]
        self.selected.emit(None if owner == FREE else owner)


def _news(state: RunState) -> dict[int, str]:
    """What the step at the playhead did with blocks, in a word or two each."""
    step = state.steps[-1] if state.steps else Step(number=0)
    news = {block_id: "freed" for block_id, _ in step.freed if state.block_owner[block_id] == FREE}
    news |= dict.fromkeys(step.evicted, "evicted") | dict.fromkeys(step.swapped_out, "swapped out")
    news |= dict.fromkeys(dict(step.shared), "shared") | dict.fromkeys(dict(step.allocated), "new")
    return news | dict.fromkeys(step.swapped_in, "swapped in") | {copy: "copied" for _, copy in step.copied}
