"""Moves boxes on a grid to where fewer arrows cross, one at a time, for as long as that helps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Cell = tuple[int, int]  # lane (row), order (column)
Pair = tuple[str, str]

CROSSING, HIT = 12, 12  # what a crossing, and a box in the way, cost beside one step of length


def untangled(cells: Mapping[str, Cell], arrows: Sequence[Pair], rounds: int) -> dict[str, Cell]:
    """Return cells in which moving or swapping one box would help no more, or not for long."""
    grid = _Grid(dict(cells), [pair for pair in dict.fromkeys(arrows) if pair[0] != pair[1]])
    for _ in range(rounds):
        if not grid.improve():
            break
    return grid.cells


class _Grid:
    """Boxes on a grid and the straight lines between them."""

    def __init__(self, cells: dict[str, Cell], arrows: list[Pair]) -> None:
        self.cells = cells
        self._arrows = arrows
        self._at = {cell: name for name, cell in cells.items()}
        self._apart = {pair: [one for one in arrows if not set(pair) & set(one)] for pair in arrows}
        self._own = {name: [pair for pair in arrows if name in pair] for name in cells}
        self._height = max((lane for lane, _ in cells.values()), default=0) + 1
        self._width = max((order for _, order in cells.values()), default=0) + 1

    def improve(self) -> bool:
        """Move each box to its best cell, swapping it with the box there; tell whether any moved."""
        moved = False
        for name in list(self.cells):
            here = self.cells[name]
            gains = [(self._gain(name, cell), cell) for cell in self._all() if cell != here]
            gain, cell = max(gains, default=(0.0, here))
            if gain > 0:
                self._swap(name, cell)
                moved = True
        return moved

    def _all(self) -> list[Cell]:
        return [(lane, order) for lane in range(self._height) for order in range(self._width)]

    def _swap(self, name: str, cell: Cell) -> None:
        here, other = self.cells[name], self._at.pop(cell, None)
        del self._at[here]
        self.cells[name], self._at[cell] = cell, name
        if other is not None:
            self.cells[other], self._at[here] = here, other

    def _gain(self, name: str, cell: Cell) -> float:
        here, other = self.cells[name], self._at.get(cell)
        before = self._cost(name, other)
        self._swap(name, cell)
        after = self._cost(name, other)
        self._swap(name, here)
        return before - after

    def _cost(self, name: str, other: str | None) -> float:
        """Return what the lines of one box, or of two, cost; a crossing between two of them counts twice."""
        own = self._own[name] if other is None else self._own[name] + self._own[other]
        cost = sum(
            self._length(pair) + CROSSING * self._crossings(pair) + HIT * self._hits(pair) for pair in own
        )
        for moved in (name, other):
            if moved is not None:
                cell = self.cells[moved]
                cost += HIT * sum(self._on(cell, pair) for pair in self._arrows if moved not in pair)
        return cost

    def _length(self, pair: Pair) -> int:
        (y0, x0), (y1, x1) = self.cells[pair[0]], self.cells[pair[1]]
        return abs(x1 - x0) + abs(y1 - y0)

    def _crossings(self, pair: Pair) -> int:
        cells = self.cells
        a, b = cells[pair[0]], cells[pair[1]]
        return sum(_cross(a, b, cells[start], cells[end]) for start, end in self._apart[pair])

    def _hits(self, pair: Pair) -> int:
        return sum(self._on(cell, pair) for name, cell in self.cells.items() if name not in pair)

    def _on(self, cell: Cell, pair: Pair) -> bool:
        """Tell whether the straight line of an arrow passes through a cell between its ends."""
        a, b = self.cells[pair[0]], self.cells[pair[1]]
        return (a < cell < b or b < cell < a) and _side(a, b, cell) == 0


def _cross(a: Cell, b: Cell, c: Cell, d: Cell) -> bool:
    """Tell whether the straight lines from a to b and from c to d cross."""
    if _side(a, b, c) * _side(a, b, d) >= 0:
        return False
    return _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Cell, b: Cell, c: Cell) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
