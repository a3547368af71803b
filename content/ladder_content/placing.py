"""Where the boxes of a map stand if its author did not say: rows and columns with few crossings.

A flow that is one chain goes to and fro in two rows or more. Any other map is layered: arrows that close a circle are
turned round for the while, each box stands one row below the lowest that leads to it, each row is ordered by what its
boxes are joined to in the rows beside it, and boxes move into the columns of their neighbours.

The same map always gets the same places. `build_pack` stores them, so that a later version does not move the boxes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec

from ladder_content.model import Edge, Map
from ladder_content.untangling import untangled

Cell = tuple[int, int]  # lane (row), order (column)
Row = list[str]
Joined = Mapping[str, set[str]]

LONGEST_ROW = 5  # boxes of a chain; more and their labels shrink
SWEEPS = 8
ROUNDS = 6
MOST_NODES, MOST_EDGES = 40, 80


def is_placed(one: Map) -> bool:
    """Tell whether every node of a map has its place."""
    return all(node.lane is not None and node.order is not None for node in one.nodes)


def placed(one: Map, cells: Mapping[str, Cell] | None = None) -> Map:
    """Return a map whose every node has a place: its own, or one of these, or one worked out here in little time."""
    if is_placed(one):
        return one
    cells = cells or work_out(one, rounds=1)
    nodes = (
        msgspec.structs.replace(node, lane=cells[node.id][0], order=cells[node.id][1]) for node in one.nodes
    )
    return msgspec.structs.replace(one, nodes=tuple(nodes))


def cells(one: Map) -> dict[str, Cell]:
    """Return the cell of each node of a map that is placed, as every loaded one is; work out those of another."""
    return {node.id: (node.lane or 0, node.order or 0) for node in placed(one).nodes}


def work_out(one: Map, rounds: int = ROUNDS) -> dict[str, Cell]:
    """Return a cell for each node, whatever places the map gives them itself. More rounds: fewer crossings, more time."""
    ids = [node.id for node in one.nodes]
    pairs = [(edge.source, edge.target) for edge in one.edges]
    if one.kind == "flow" and pairs == list(pairwise(ids)):
        return _to_and_fro(ids, min(LONGEST_ROW, -(-len(ids) // 2)) if len(ids) > 4 else len(ids))
    if len(ids) > MOST_NODES or len(pairs) > MOST_EDGES:  # more than anybody can read, and slow to untangle
        return _to_and_fro(ids, math.isqrt(len(ids)))
    layered = _columns(_rows(ids, one.edges), _joined(one.edges))
    return untangled(_lying(layered), pairs, rounds)


def _lying(cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """Lay layers out from left to right, since a screen is wide; more than fit are pressed together."""
    layers = max((lane for lane, _ in cells.values()), default=0) + 1
    width = min(layers, LONGEST_ROW + 1)
    lying: dict[str, Cell] = {}
    for name, (lane, order) in sorted(cells.items(), key=lambda item: item[1]):
        column = lane * width // layers
        while (order, column) in lying.values():
            order += 1
        lying[name] = order, column
    return {name: lying[name] for name in cells}


def _to_and_fro(ids: Sequence[str], length: int) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for index, name in enumerate(ids):
        lane, order = divmod(index, length)
        cells[name] = (lane, length - 1 - order if lane % 2 else order)
    return cells


def _joined(edges: Sequence[Edge]) -> dict[str, set[str]]:
    joined: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        joined[edge.source].add(edge.target)
        joined[edge.target].add(edge.source)
    return joined


def _rows(ids: Sequence[str], edges: Sequence[Edge]) -> list[Row]:
    """Return the boxes row by row, each row in its order."""
    falling = _falling(ids, edges)
    layer = _layers(ids, falling)
    rows: list[Row] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for name in ids:
        rows[layer[name]].append(name)
    above: dict[str, set[str]] = defaultdict(set)
    below: dict[str, set[str]] = defaultdict(set)
    for number, (start, end) in enumerate(
        falling
    ):  # a long arrow passes each row between as a box of its own
        before = start
        for row in range(layer[start] + 1, layer[end]):
            passing = f"#{number}.{row}"
            rows[row].append(passing)
            below[before].add(passing)
            above[passing].add(before)
            before = passing
        below[before].add(end)
        above[end].add(before)
    return [[name for name in row if not name.startswith("#")] for row in _ordered(rows, above, below)]


def _falling(ids: Sequence[str], edges: Sequence[Edge]) -> list[tuple[str, str]]:
    """Return the arrows without circles: one that leads back to where it came from is turned round."""
    leaving: dict[str, list[str]] = {name: [] for name in ids}
    for edge in edges:
        leaving[edge.source].append(edge.target)
    falling: list[tuple[str, str]] = []
    done: set[str] = set()
    path: dict[
        str, int
    ] = {}  # the boxes on the way from the first one, and how many of their arrows are seen to
    for first in ids:
        stack = [] if first in done else [first]
        while stack:
            name = stack[-1]
            seen = path.setdefault(name, 0)
            if seen == len(leaving[name]):
                stack.pop()
                done.add(name)
                del path[name]
                continue
            path[name] = seen + 1
            target = leaving[name][seen]
            falling.append((target, name) if target in path else (name, target))
            if target not in done and target not in path:
                stack.append(target)
    return falling


def _layers(ids: Sequence[str], falling: Sequence[tuple[str, str]]) -> dict[str, int]:
    layer = dict.fromkeys(ids, 0)
    for _ in ids:  # the longest way has fewer steps than there are boxes
        for start, end in falling:
            layer[end] = max(layer[end], layer[start] + 1)
    return layer


def _ordered(rows: list[Row], above: Joined, below: Joined) -> list[Row]:
    """Sweep down and up, moving each box to the middle of those it is joined to; keep the best order met."""
    best, fewest = [list(row) for row in rows], _crossings(rows, below)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        numbers = range(1, len(rows)) if down else range(len(rows) - 2, -1, -1)
        for number in numbers:
            beside = rows[number - 1 if down else number + 1]
            _sort(rows[number], beside, above if down else below)
        _swap_neighbours(rows, above, below)
        crossings = _crossings(rows, below)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _sort(row: Row, beside: Row, joined: Joined) -> None:
    position = {name: place for place, name in enumerate(beside)}
    here = {name: place * len(beside) / len(row) for place, name in enumerate(row)}

    def middle(name: str) -> float:
        places = [position[other] for other in joined.get(name, ()) if other in position]
        return sum(places) / len(places) if places else here[name]

    row.sort(key=middle)


def _swap_neighbours(rows: list[Row], above: Joined, below: Joined) -> None:
    """Swap two boxes side by side wherever that leaves fewer crossings, until it helps no more."""
    for number, row in enumerate(rows):
        beside = [
            (rows[number + by], joined)
            for by, joined in ((-1, above), (1, below))
            if 0 <= number + by < len(rows)
        ]
        improved = True
        while improved:
            improved = False
            for place in range(len(row) - 1):
                pair, swapped = row[place : place + 2], row[place : place + 2][::-1]
                now = sum(_between(pair, other, joined) for other, joined in beside)
                if sum(_between(swapped, other, joined) for other, joined in beside) < now:
                    row[place : place + 2] = swapped
                    improved = True


def _crossings(rows: Sequence[Row], below: Joined) -> int:
    return sum(_between(upper, lower, below) for upper, lower in pairwise(rows))


def _between(row: Sequence[str], beside: Sequence[str], joined: Joined) -> int:
    """Count the crossings of straight lines between a row and the one beside it."""
    position = {name: place for place, name in enumerate(beside)}
    ends = [sorted(position[other] for other in joined.get(name, ()) if other in position) for name in row]
    flat = [place for places in ends for place in places]
    return sum(left > right for index, left in enumerate(flat) for right in flat[index + 1 :])


def _columns(rows: Sequence[Row], joined: Joined) -> dict[str, Cell]:
    """Give each box a column near those of the boxes it is joined to, in the order of its row."""
    column: dict[str, int] = {name: place for row in rows for place, name in enumerate(row)}
    for _ in range(SWEEPS):
        for row in rows:
            taken = -1
            for place, name in enumerate(row):
                others = [column[other] for other in joined.get(name, ())]
                wish = round(sum(others) / len(others)) if others else column[name]
                room = max(len(one) for one in rows) - len(row) + place  # leave columns for those after it
                column[name] = taken = max(taken + 1, min(wish, room))
    return {name: (lane, column[name]) for lane, row in enumerate(rows) for name in row}
