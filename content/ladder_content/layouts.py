"""layout.yaml of a study: the places of boxes whose author gave none, as `content build` worked them out.

    - map: ladder
      rows:
        - ["core", "cache", "."]
        - ["paging", ".", "batching"]

A row names its boxes from left to right; a dot is an empty place. The file is written by `content build` and read by
the loader; nobody has to know it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from ladder_content.document import Document
from ladder_content.faults import Faults, shown
from ladder_content.model import Map, Record
from ladder_content.placing import Cell, is_placed, work_out

LAYOUT = "layout.yaml"
_EMPTY = "."


class Layout(Record, frozen=True):
    """The rows of one map."""

    map: str
    rows: tuple[tuple[str, ...], ...]


def cells_of(
    layouts: Mapping[str, Layout], maps: Iterable[Map], document: Document, faults: Faults
) -> dict[str, dict[str, Cell]]:
    """Return the stored cells by map and node; a layout that does not fit its map is a fault."""
    nodes = {one.id: {node.id for node in one.nodes} for one in maps}
    found: dict[str, dict[str, Cell]] = {}
    for path, layout in layouts.items():
        names = sorted(name for name in chain(*layout.rows) if name != _EMPTY)
        if layout.map not in nodes:
            message = f"names no map of this study: {shown(layout.map)}"
            faults.add(document.name, document.lines[path], f"{path}.map", message)
        elif names != sorted(nodes[layout.map]):
            message = "does not hold each box of its map once; delete this file and build the pack again"
            faults.add(document.name, document.lines[path], f"{path}.rows", message)
        else:
            found[layout.map] = {
                name: (lane, order)
                for lane, row in enumerate(layout.rows)
                for order, name in enumerate(row)
                if name != _EMPTY
            }
    return found


def layout_text(maps: Iterable[Map], stored: Mapping[str, Mapping[str, Cell]]) -> str:
    """Return the file for the maps whose authors gave no places; empty if there are none."""
    lines: list[str] = []
    for one in maps:
        if not is_placed(one):
            lines += [f'- map: "{one.id}"', "  rows:"]
            lines += [f"    - [{row}]" for row in _rows(stored.get(one.id) or work_out(one))]
    return "\n".join(lines) + "\n" if lines else ""


def _rows(cells: Mapping[str, Cell]) -> list[str]:
    names = {cell: name for name, cell in cells.items()}
    height = max((lane for lane, _ in names), default=-1) + 1
    width = max((order for _, order in names), default=-1) + 1
    return [
        ", ".join(f'"{names.get((lane, order), _EMPTY)}"' for order in range(width)) for lane in range(height)
    ]
