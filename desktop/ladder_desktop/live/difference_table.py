"""What differs between two runs, as a table: a row a measure, those that differ first."""

from __future__ import annotations

from collections.abc import Sequence

from ladder_engine.lab.comparison import Difference
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.text_table import LEFT, Column, Rows, TextTable
from ladder_desktop.theme import Theme

COLUMNS = (
    Column("Measured", "What was measured, and in which unit", 0, LEFT),
    Column("Left", "The run on the left", 100),
    Column("Right", "The run on the right", 100),
    Column("Change", "The right one against the left one", 90),
    Column("", "Whether somebody would pay for the change", 70, LEFT),
)


class DifferenceTable(TextTable):
    """Shows differences; exact counts and times are told apart by their units."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Differences between the two runs", COLUMNS, parent)

    def show_differences(self, rows: Sequence[Difference]) -> None:
        """Show these; nothing while there are none."""
        told = [row for row in rows if row.left or row.right]
        told.sort(key=lambda row: not row.matters)
        cells: Rows = [
            (f"{row.measure.label}, {row.measure.unit}", *row.cells, row.change_words, _verdict(row))
            for row in told
        ]
        self.show_rows(cells, [None] * len(cells), {0: [row[0] for row in cells]})


def _verdict(row: Difference) -> str:
    return {True: "better", False: "worse", None: ""}[row.gain]
