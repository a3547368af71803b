"""A map as Mermaid text, so that it can live in a README, a wiki or a slide.

Node ids are `n1`, `n2` and so on, and every text stands in quotes: a node called `end`, parentheses, slashes and
unquoted bars are what Mermaid's parser trips over.
"""

from __future__ import annotations

from ladder_content.model import Map

_ENTITIES = {"#": "#35;", '"': "#quot;", "|": "#124;", "<": "#lt;", ">": "#gt;", "`": "#96;", "\\": "#92;"}


def mermaid(one: Map) -> str:
    """Return the map as a Mermaid flowchart: its boxes in order, then its arrows with their labels."""
    names = {node.id: f"n{number}" for number, node in enumerate(one.nodes, start=1)}
    lines = ["flowchart LR"]
    lines += [f'    {names[node.id]}["{_quoted(node.label)}"]' for node in one.nodes]
    lines += [
        f'    {names[edge.source]} -->|"{_quoted(edge.label)}"| {names[edge.target]}' for edge in one.edges
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "".join(_ENTITIES.get(character, character) for character in " ".join(text.split()))
