"""The block grid's twin for screen readers and for those who like lists: the same facts, one row a block."""

from __future__ import annotations

from ladder_engine.state import FREE, RunState, Step
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.text_table import LEFT, Column, TextTable
from ladder_desktop.live.words import block_words, owner_names
from ladder_desktop.theme import Theme

COLUMNS = (
    Column("Block", "Block id, with the owner's colour", 70),
    Column("Owner", "The sequences that own it", 0, LEFT),
    Column("Position", "Its place in the owner's block_table", 70),
    Column("Tokens", "Tokens whose KV stands in it", 70),
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
        step = state.steps[-1] if state.steps else Step(number=0)
        news = {block_id: "freed" for block_id, _ in step.freed if self._owners[block_id] == FREE}
        news |= dict.fromkeys(dict(step.shared), "shared") | dict.fromkeys(dict(step.allocated), "new")
        filled = state.tokens_in_blocks()
        rows = [
            (str(block_id), owner_names(state, block_id), "", str(tokens or ""), news.get(block_id, ""))
            for block_id, tokens in enumerate(filled)
        ]
        for sequence in (state.sequences[seq_id] for seq_id in state.running):
            for position, block_id in enumerate(sequence.block_table):
                cells = rows[block_id][1], str(position), str(filled[block_id]), news.get(block_id, "")
                rows[block_id] = (str(block_id), *cells)
        hints = {1: [block_words(state, block_id) for block_id in range(len(rows))]}
        self.show_rows(rows, [None if owner == FREE else owner for owner in self._owners], hints)

    def _pick(self, block_id: int) -> None:
        owner = self._owners[block_id]
        self.selected.emit(None if owner == FREE else owner)
