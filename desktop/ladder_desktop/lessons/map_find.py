"""Finds words on all maps of a study: in boxes, on arrows, and in what is told about either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from ladder_content.model import Map

from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.walk import Place

Found = tuple[int, Place | None]  # the number of a map, and the place on it; None is its title and summary


class MapFinder:
    """Knows the words of every place; capitals do not matter."""

    def __init__(self, maps: Sequence[Map], markdown: Markdown) -> None:
        self._maps = maps
        self._plain = markdown.plain

    def find(self, text: str) -> list[Found]:
        """Return every place that holds a text, map by map; an empty text is held by none."""
        wanted = text.casefold()
        return [found for found, words in self._words if wanted and wanted in words]

    @cached_property
    def _words(self) -> list[tuple[Found, str]]:
        return [
            ((number, place), "\n".join(map(self._plain, texts)).casefold())
            for number, chart in enumerate(self._maps)
            for place, texts in _texts(chart)
        ]


def _texts(chart: Map) -> Iterator[tuple[Place | None, tuple[str, ...]]]:
    yield None, (chart.title, chart.summary)
    for node in chart.nodes:
        yield node.id, (node.label, node.why)
    for number, edge in enumerate(chart.edges):
        yield number, (edge.label, edge.protocol, edge.direction, edge.effect, edge.consequence)
