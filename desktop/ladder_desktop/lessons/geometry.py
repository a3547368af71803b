"""The few shapes that map layout talks in. No Qt: the rules of a drawing are tested without a window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Point = tuple[float, float]
Cell = tuple[int, int]  # row, column


@dataclass(frozen=True)
class Size:
    """Width and height in pixels."""

    width: float
    height: float


@dataclass(frozen=True)
class Rect:
    """An upright rectangle in pixels; y grows downwards."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of its right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of its lower side."""
        return self.y + self.height

    @property
    def centre(self) -> Point:
        """The point in its middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    def overlaps(self, other: Rect) -> bool:
        """Say whether the two share more than a border."""
        return (
            self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom
        )


@dataclass(frozen=True)
class Arrow:
    """An arrow to be drawn between two boxes, and the room its label needs."""

    source: str
    target: str
    label: Size


@dataclass(frozen=True)
class Route:
    """The way of one arrow: corners from the border of its source to the border of its target, and its label."""

    points: tuple[Point, ...]
    label: Rect


@dataclass(frozen=True)
class Drawing:
    """A finished layout; `routes` stand in the order of the arrows."""

    boxes: dict[str, Rect]
    routes: tuple[Route, ...]
    bounds: Rect


@dataclass(frozen=True)
class Grid:
    """Boxes in consecutive rows and columns, with the size of each row and column."""

    cell: dict[str, Cell]
    widths: list[float]
    heights: list[float]

    @staticmethod
    def of(cells: Mapping[str, Cell], sizes: Mapping[str, Size]) -> Grid:
        """Put boxes into the cells they ask for; of two that ask for one, the later moves to the right."""
        taken: dict[Cell, str] = {}
        for name, (row, column) in sorted(cells.items(), key=lambda item: item[1]):
            while (row, column) in taken:
                column += 1
            taken[row, column] = name
        rows = {row: i for i, row in enumerate(sorted({row for row, _ in taken}))}
        columns = {column: i for i, column in enumerate(sorted({column for _, column in taken}))}
        cell = {name: (rows[row], columns[column]) for (row, column), name in taken.items()}
        widths, heights = [0.0] * len(columns), [0.0] * len(rows)
        for name, (row, column) in cell.items():
            widths[column] = max(widths[column], sizes[name].width)
            heights[row] = max(heights[row], sizes[name].height)
        return Grid(cell, widths, heights)

    def between(self, row: int, left: int, right: int) -> bool:
        """Say whether a box stands in this row between two columns."""
        return any(r == row and left < c < right for r, c in self.cell.values())
