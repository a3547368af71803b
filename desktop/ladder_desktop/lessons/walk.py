"""Walking a map by keyboard: which box or arrow comes next. No Qt.

A place on a map is a box, named by its node's id, or an arrow, named by its number in the map's list of edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

from ladder_content.model import Map

from ladder_desktop.lessons.geometry import Point

Place = str | int
CONE = 0.5  # an arrow key reaches what lies within 60 degrees of its direction


class Walk:
    """The ways through one map whose boxes have the given centres."""

    def __init__(self, chart: Map, centres: Mapping[str, Point]) -> None:
        self._chart = chart
        self._centres = centres
        self.sequence = self._sequence()

    def after(self, place: Place | None, step: int) -> Place | None:
        """Return the next place in reading order, or None past either end. From nowhere, start at that end."""
        if not self.sequence:
            return None
        if place is None:
            return self.sequence[0 if step > 0 else -1]
        index = self.sequence.index(place) + step
        return self.sequence[index] if 0 <= index < len(self.sequence) else None

    def toward(self, place: Place, direction: Point) -> Place | None:
        """Return where a step in this direction leads.

        From a box: the arrow that leads that way, or the nearest box there if no arrow does. From an arrow: the box
        at the end that lies that way. None if nothing lies there.
        """
        if isinstance(place, int):
            edge = self._chart.edges[place]
            along = self._vector(edge.source, edge.target)
            forward = along[0] * direction[0] + along[1] * direction[1] >= 0
            return edge.target if forward else edge.source
        arrows: dict[Place, str] = {i: self._other(i, place) for i in self._attached(place)}
        boxes: dict[Place, str] = {name: name for name in self._centres if name != place}
        best = self._best(place, direction, arrows)
        return best if best is not None else self._best(place, direction, boxes)

    def _sequence(self) -> tuple[Place, ...]:
        """Return every box in reading order (a flow: in its own), each followed by the arrows that leave it."""
        nodes = [node.id for node in self._chart.nodes]
        if self._chart.kind != "flow":
            nodes.sort(key=lambda name: (self._centres[name][1], self._centres[name][0]))
        leaving: dict[str, list[Place]] = {name: [] for name in nodes}
        for index, edge in enumerate(self._chart.edges):
            leaving[edge.source].append(index)
        return tuple(place for name in nodes for place in (name, *leaving[name]))

    def _attached(self, name: str) -> list[int]:
        return [
            i
            for i, e in enumerate(self._chart.edges)
            if name in (e.source, e.target) and e.source != e.target
        ]

    def _other(self, index: int, name: str) -> str:
        edge = self._chart.edges[index]
        return edge.target if edge.source == name else edge.source

    def _best(self, origin: str, direction: Point, ends: Mapping[Place, str]) -> Place | None:
        reached: list[tuple[float, Place]] = []
        for place, name in ends.items():
            dx, dy = self._vector(origin, name)
            distance = hypot(dx, dy)
            cosine = (dx * direction[0] + dy * direction[1]) / distance if distance else 0.0
            if cosine > CONE:
                reached.append((distance * (2.0 - cosine), place))
        return min(reached, key=lambda item: item[0])[1] if reached else None

    def _vector(self, start: str, end: str) -> Point:
        (x0, y0), (x1, y1) = self._centres[start], self._centres[end]
        return x1 - x0, y1 - y0
