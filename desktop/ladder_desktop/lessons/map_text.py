"""What stands beside a map: the reason for a box, the terms of an arrow, or the summary of the whole. Makes HTML."""

from __future__ import annotations

from html import escape

from ladder_content.model import Edge, Map, Node

from ladder_desktop.lessons.map_canvas import mechanism_name
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.walk import Place

HINT = "Click a box or an arrow. By keyboard, Tab walks through all of them and the arrow keys follow the arrows."


class MapText:
    """Tells about the places of one map. Its links `map:<map id>/<node id>` lead to other boxes."""

    def __init__(self, chart: Map, markdown: Markdown) -> None:
        self._chart = chart
        self._markdown = markdown
        self._nodes = {node.id: node for node in chart.nodes}

    def html(self, place: Place | None, *, wide: bool = False) -> str:
        """Return the text of a place, or of the map if none is chosen; wide text stands in two columns."""
        if place is None:
            parts = self._summary()
        elif isinstance(place, int):
            parts = self._edge(self._chart.edges[place])
        else:
            parts = self._node(self._nodes[place])
        if not wide:
            return "".join(parts)
        cells = "".join(f'<td width="50%">{part}</td>' for part in parts)
        return f'<table class="columns" width="100%"><tr>{cells}</tr></table>'

    def spoken(self, place: Place) -> str:
        """Return one sentence about a place, for assistive technology."""
        if isinstance(place, int):
            edge = self._chart.edges[place]
            ends = f"{self._nodes[edge.source].label} to {self._nodes[edge.target].label}"
            return (
                f"Arrow from {ends}: {self._markdown.plain(edge.label)}. {self._markdown.plain(edge.effect)}"
            )
        node = self._nodes[place]
        return f"Box {node.label}. {self._markdown.plain(node.why)}"

    def _summary(self) -> tuple[str, str]:
        chart = self._chart
        size = f"{len(chart.nodes)} boxes, {len(chart.edges)} arrows."
        return (
            f"<h3>{escape(chart.title)}</h3>{self._markdown.html(chart.summary)}",
            f'<p class="small">{size}</p><p class="small">{HINT}</p>',
        )

    def _node(self, node: Node) -> tuple[str, str]:
        kind = f'<p class="small">{escape(mechanism_name(node.mechanism))}</p>' if node.mechanism else ""
        out = [
            f"{self._link(e.target)}: {self._inline(e.label)}"
            for e in self._chart.edges
            if e.source == node.id
        ]
        into = [
            f"{self._link(e.source)}: {self._inline(e.label)}"
            for e in self._chart.edges
            if e.target == node.id
        ]
        return (
            f"<h3>{escape(node.label)}</h3>{kind}" + _part("WHY IT EXISTS", self._markdown.html(node.why)),
            _part("LEADS TO", _list(out)) + _part("COMES FROM", _list(into)),
        )

    def _edge(self, edge: Edge) -> tuple[str, str]:
        title = self._inline(edge.label) or "Arrow"
        return (
            f"<h3>{title}</h3><p>{self._link(edge.source)} → {self._link(edge.target)}</p>"
            + _part("PROTOCOL", self._markdown.html(edge.protocol))
            + _part("DIRECTION", self._markdown.html(edge.direction)),
            _part("EFFECT", self._markdown.html(edge.effect))
            + _part("CONSEQUENCE", self._markdown.html(edge.consequence)),
        )

    def _inline(self, text: str) -> str:
        return self._markdown.inline(text)

    def _link(self, node_id: str) -> str:
        return self._markdown.link(self._nodes[node_id].label, f"map:{self._chart.id}/{node_id}")


def _part(label: str, html: str) -> str:
    return f'<p class="label">{label}</p>{html}' if html else ""


def _list(items: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>" if items else ""
