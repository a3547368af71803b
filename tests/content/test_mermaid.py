"""Maps as Mermaid text, judged by Mermaid's own parser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ladder_content.loader import bundled_pack, load_pack
from ladder_content.mermaid import mermaid
from ladder_content.model import Edge, Map, Node

HOME = Path(__file__).parents[2] / ".cache" / "mermaid-12"
PACKAGES = ("mermaid@12", "jsdom@26")


def install(home: Path) -> None:
    """Put the parser into the cache folder, once; skip where that cannot be done."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("Mermaid's parser needs node and npm, and there are none here.")
    draft = home.with_name(f"{home.name}.{os.getpid()}")
    draft.mkdir(parents=True)
    try:
        command = [npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *PACKAGES]
        subprocess.run(command, cwd=draft, check=True, capture_output=True, timeout=240)
        draft.rename(home)
    except (OSError, subprocess.SubprocessError) as error:
        if not home.exists():
            pytest.skip(f"Mermaid's parser cannot be installed here: {error}")
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def parse(texts: list[str]) -> list[dict[str, Any]]:
    if not HOME.exists():
        install(HOME)
    command = ["node", str(Path(__file__).with_name("mermaid_parse.mjs")), str(HOME)]
    done = subprocess.run(
        command, input=json.dumps(texts), capture_output=True, text=True, timeout=120, check=True
    )
    parsed: list[dict[str, Any]] = json.loads(done.stdout)
    return parsed


def node(name: str, label: str) -> Node:
    return Node(id=name, label=label, why="because", lane=0, order=0)


def edge(source: str, target: str, label: str) -> Edge:
    return Edge(
        source=source, target=target, label=label, protocol="p", direction="d", effect="e", consequence="c"
    )


LABELS = [
    "KV cache (paged)",
    "K & V <T>",
    'say "no"',
    "end",
    "a|b",
    "/v1/chat",
    "x`y`",
    "#quot;",
    "A---oB",
    "50 % {n}",
    "é → 見",
]


def test_labels_that_trip_the_parser_come_through() -> None:
    names = ["end", *(f"node-{number}" for number in range(1, len(LABELS)))]
    hard = Map(
        id="hard",
        title="Hard",
        kind="architecture",
        summary="s",
        nodes=tuple(node(name, label) for name, label in zip(names, LABELS, strict=True)),
        edges=tuple(edge(a, b, label) for a, b, label in zip(names, names[1:], LABELS, strict=False)),
    )
    broken, parsed = parse(["flowchart LR\n    a[x(y)]\n", mermaid(hard)])
    assert "error" in broken  # the judge can say no
    assert "error" not in parsed, parsed
    assert len(parsed["vertices"]) == len(LABELS)
    assert [(start, end) for start, end, _, _ in parsed["edges"]] == [
        (f"n{number}", f"n{number + 1}") for number in range(1, len(LABELS))
    ]
    assert {kind for *_, kind in parsed["edges"]} == {"arrow_point"}


def test_every_bundled_map_says_the_same_in_mermaid() -> None:
    maps = [one for study in load_pack(bundled_pack()).studies for one in study.maps]
    for one, parsed in zip(maps, parse([mermaid(one) for one in maps]), strict=True):
        assert "error" not in parsed, (one.id, parsed)
        labels = dict(parsed["vertices"])
        assert list(labels.values()) == [node.label for node in one.nodes], one.id
        ids = {node.id: f"n{number}" for number, node in enumerate(one.nodes, start=1)}
        assert [tuple(edge[:2]) for edge in parsed["edges"]] == [
            (ids[e.source], ids[e.target]) for e in one.edges
        ]
