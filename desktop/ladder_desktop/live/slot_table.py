"""The slots of a block as a table, a row a slot: the twin of the picture in slots.py."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ladder_desktop.live.block_words import visible
from ladder_desktop.live.slots import Slots
from ladder_desktop.live.text_table import LEFT, Column, TextTable
from ladder_desktop.theme import Theme

COLUMNS = (
    Column("Slot", "Its place in the block", 60),
    Column("Token", "The token's place in the sequence", 70),
    Column("Text", "The token, with a dot for a space", 0, LEFT),
    Column("KV", "Whether the KV of the token is computed and stands here", 110, LEFT),
)


class SlotTable(TextTable):
    """One row a slot of the block that the picture is pointed at."""

    def __init__(self, theme: Theme, slots: Slots, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Slots of a block as a table", COLUMNS, parent)
        self._slots = slots
        self.refresh()
        slots.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Draw the block."""
        slots = self._slots
        self.setAccessibleDescription(slots.head)
        rows = [
            (str(slot), str(slots.first + slot), visible(slots.texts[slot]), slots.kv_words(slot))
            if slot < len(slots.texts)
            else (str(slot), "", "", "empty")
            for slot in range(slots.size_of_block)
        ]
        self.show_rows(rows, [None] * len(rows), {})
