"""A table of figures: what a chart shows, for the eyes, for a screen reader and for a spreadsheet. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ladder_desktop.exporting.csv_files import csv_table

Cell = str | int | float | None
Kind = Literal["text", "count", "share", "number", "time"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and what its cells are: a time is in milliseconds, a share from 0 to 1."""

    name: str
    kind: Kind = "count"


@dataclass(frozen=True, slots=True)
class Figures:
    """`name` is the stem of its CSV file; `targets`, where given, says for each row where it leads."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    targets: tuple[str, ...] = ()

    def csv(self) -> bytes:
        """Return the table for a spreadsheet: raw numbers, times in seconds."""
        heads = [f"{column.name} (s)" if column.kind == "time" else column.name for column in self.columns]
        return csv_table(heads, [self._raw(row) for row in self.rows])

    def _raw(self, row: Sequence[Cell]) -> list[Cell]:
        return [
            cell / 1000 if column.kind == "time" and isinstance(cell, int | float) else cell
            for column, cell in zip(self.columns, row, strict=True)
        ]


def written(cell: Cell, kind: Kind) -> str:
    """Return a cell as a person reads it."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if kind == "share":
        return percent(cell)
    if kind == "time":
        return duration(cell)
    return f"{cell:,.0f}".replace(",", " ") if kind == "count" else short(cell)


def percent(share: float) -> str:
    """Return a share as "92.4 %", without a fraction where it has none."""
    return f"{share * 100:.1f}".removesuffix(".0") + " %"


def duration(milliseconds: float) -> str:
    """Return a time as "8 s", "12 min" or "3 h 5 min"."""
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def short(number: float) -> str:
    """Return a number with as many digits as matter: 0.42, 7.3, 128."""
    if abs(number) >= 100:
        return f"{number:,.0f}".replace(",", " ")
    return f"{number:.2f}" if abs(number) < 1 else f"{number:.1f}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return "1 answer", "1 204 answers"."""
    noun = one if count == 1 else many or f"{one}s"
    return f"{written(count, 'count')} {noun}"
