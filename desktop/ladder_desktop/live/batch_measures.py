"""How large things are in the batch timeline, in logical pixels; all of it grows with the size of text."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class BatchMeasures:
    """The width of the names and of a column, the heights of the ruler, of a row and of the budget beneath.

    In the names: where the number and the name begin, and a `gap` before the first and after the last.
    """

    names: int = 148
    column: int = 8
    ruler: int = 18
    row: int = 16
    budget: int = 42
    number: int = 20
    name: int = 46
    gap: int = 8
    text: int = 11

    def scaled(self, scale: float) -> BatchMeasures:
        """Return the same for text that is so much larger."""
        return replace(self, **{name: round(size * scale) for name, size in vars(self).items()})
