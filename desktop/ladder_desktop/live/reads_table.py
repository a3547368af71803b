"""The twin of the picture of reads: one row a program, with the blocks that it reads."""

from __future__ import annotations

from ladder_engine.tracing.kernel_trace import AttentionReads
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.lens_words import program_words
from ladder_desktop.live.text_table import LEFT, Column, TextTable
from ladder_desktop.theme import Theme

COLUMNS = (
    Column("Program", "Its place on the first axis of the grid, the same for every KV head", 62),
    Column("Split", "Its place on the third axis: the part of the KV length", 44),
    Column("Tokens", "Positions of the query tokens that it holds", 78),
    Column("Reads", "KV positions that it reads", 90),
    Column("Blocks", "The blocks that hold them, in the order of the block_table", 0, LEFT),
)


class ReadsTable(TextTable):
    """Emits `described` with a sentence on the program that a person picks."""

    described = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(
            theme, "Blocks that each program of paged attention reads, as a table", COLUMNS, parent
        )
        self._words: list[str] = []
        self.picked.connect(self._describe)

    def show_reads(self, reads: AttentionReads | None, row: int, name: str, block_size: int) -> None:
        """Draw what the launch reads for the sequence in this row; None empties the table."""
        rows: list[tuple[str, ...]] = []
        self._words = []
        for one in reads.programs if reads else ():
            if reads is None or one.row != row:
                continue
            of = reads.rows[row]
            first = of.context_len - of.query_len + one.first
            blocks = (
                of.block_ids[one.begin // block_size : -(-one.end // block_size)]
                if one.end > one.begin
                else ()
            )
            rows.append(
                (
                    str(one.query_program),
                    str(one.split),
                    f"{first}–{first + one.num_tokens - 1}",
                    f"{one.begin}–{one.end - 1}" if blocks else "nothing",
                    " ".join(map(str, blocks)),
                )
            )
            self._words.append(program_words(one, of, name, reads.grid[1], reads.grid[2]))
        self.show_rows(rows, [None] * len(rows), {4: [row[4] for row in rows], 0: self._words})

    def _describe(self, row: int) -> None:
        self.described.emit(self._words[row])
