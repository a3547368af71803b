"""Maps without places: each box gets one of its own, the same each time, and a built pack keeps it."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ladder_content.authoring import build_pack, new_pack
from ladder_content.check import check_pack
from ladder_content.faults import PackError
from ladder_content.loader import load_pack
from ladder_content.model import Edge, Map, MapKind, Node
from ladder_content.placing import cells, work_out

NAMES = "abcdefghijklmno"
MAPS = "studies/01-first/maps.yaml"
LAYOUT = "studies/01-first/layout.yaml"


def a_map(names: str, arrows: list[tuple[str, str]], kind: MapKind = "architecture") -> Map:
    told = {"label": "l", "protocol": "p", "direction": "d", "effect": "e", "consequence": "c"}
    return Map(
        id="m",
        title="M",
        kind=kind,
        summary="s",
        nodes=tuple(Node(id=name, label=name, why="w") for name in names),
        edges=tuple(Edge(source=a, target=b, **told) for a, b in arrows),
    )


@st.composite
def maps(draw: st.DrawFn) -> Map:
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    ends = st.sampled_from(names)
    arrows = draw(st.lists(st.tuples(ends, ends).filter(lambda pair: pair[0] != pair[1]), max_size=24))
    return a_map(names, arrows, draw(st.sampled_from(["architecture", "flow"])))


@settings(max_examples=60)
@given(maps())
def test_every_box_gets_a_cell_of_its_own_and_always_the_same(one: Map) -> None:
    found = work_out(one)
    assert set(found) == {node.id for node in one.nodes}
    assert len(set(found.values())) == len(found)
    assert all(lane >= 0 and order >= 0 for lane, order in found.values())
    assert work_out(one) == found


def test_a_chain_goes_to_and_fro() -> None:
    chain = a_map("abcdefgh", list(zip("abcdefg", "bcdefgh", strict=True)), "flow")
    rows = [[name for name, cell in work_out(chain).items() if cell[0] == lane] for lane in (0, 1)]
    assert rows == [list("abcd"), list("efgh")]
    assert [work_out(chain)[name][1] for name in "efgh"] == [3, 2, 1, 0]


def test_an_author_s_places_are_kept(tmp_path: Path) -> None:
    new_pack(tmp_path / "mine")
    (one,) = load_pack(tmp_path / "mine").studies[0].maps
    assert cells(one) == {"read": (0, 0), "sample": (0, 1)}


def test_a_tree_has_no_crossing_wherever_its_boxes_are_listed() -> None:
    tree = a_map("gfedcba", [("a", "b"), ("a", "c"), ("b", "d"), ("b", "e"), ("c", "f"), ("c", "g")])
    assert crossings(tree) == 0


def crossings(one: Map) -> int:
    """Count the pairs of straight lines that cross, by their parameters; no line of the product is used."""
    places = work_out(one)
    lines = [(places[e.source], places[e.target]) for e in one.edges]
    count = 0
    for number, (a, b) in enumerate(lines):
        for c, d in lines[number + 1 :]:
            if {a, b} & {c, d}:
                continue
            r, s = (b[0] - a[0], b[1] - a[1]), (d[0] - c[0], d[1] - c[1])
            cross = r[0] * s[1] - r[1] * s[0]
            if cross:
                t = ((c[0] - a[0]) * s[1] - (c[1] - a[1]) * s[0]) / cross
                u = ((c[0] - a[0]) * r[1] - (c[1] - a[1]) * r[0]) / cross
                count += 0 < t < 1 and 0 < u < 1
    return count


def test_a_stranger_s_monster_is_placed_without_delay() -> None:
    names = [f"n{i}" for i in range(400)]
    nodes = tuple(Node(id=name, label="x", why="w") for name in names)
    edges = a_map("ab", [("a", "b")]).edges[0]
    told = {"label": "l", "protocol": "p", "direction": "d", "effect": "e", "consequence": "c"}
    many = tuple(Edge(source=a, target=b, **told) for a in names[:60] for b in names[60:120])
    found = work_out(
        Map(id="m", title="M", kind="architecture", summary="s", nodes=nodes, edges=(edges, *many))
    )
    assert len(set(found.values())) == 400
    assert max(order for _, order in found.values()) == 19  # rows, and no untangling that would take hours


def without_places(folder: Path) -> None:
    new_pack(folder)
    path = folder / MAPS
    path.write_text(re.sub(r",? (lane|order): \d", "", path.read_text("utf-8")), "utf-8")


def test_a_pack_without_places_is_sound_and_its_maps_have_them_once_loaded(tmp_path: Path) -> None:
    without_places(tmp_path / "mine")
    assert check_pack(tmp_path / "mine") == []
    (one,) = load_pack(tmp_path / "mine").studies[0].maps
    assert [(node.lane, node.order) for node in one.nodes] == [(0, 0), (0, 1)]


def test_a_built_pack_stores_the_places_and_keeps_stored_ones(tmp_path: Path) -> None:
    without_places(tmp_path / "mine")
    build_pack(tmp_path / "mine", tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        text = archive.read(LAYOUT).decode()
    assert text == '- map: "one-step"\n  rows:\n    - ["read", "sample"]\n'
    moved = '- map: "one-step"\n  rows:\n    - [".", "read"]\n    - ["sample", "."]\n'
    (tmp_path / "mine" / LAYOUT).write_text(moved, "utf-8")
    build_pack(tmp_path / "mine", tmp_path / "b.zip")
    for path in (tmp_path / "mine", tmp_path / "b.zip"):
        (one,) = load_pack(path).studies[0].maps
        assert cells(one) == {"read": (0, 1), "sample": (1, 0)}


def test_a_pack_whose_maps_have_places_gets_no_layout(tmp_path: Path) -> None:
    new_pack(tmp_path / "mine")
    build_pack(tmp_path / "mine", tmp_path / "a.zip")
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert LAYOUT not in archive.namelist()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('- map: "elsewhere"\n  rows: []\n', "names no map of this study"),
        ('- map: "one-step"\n  rows:\n    - ["read"]\n', "does not hold each box of its map once"),
        ('- map: "one-step"\n  rows:\n    - ["read", "read", "sample"]\n', "does not hold each box"),
        ('- map: "one-step"\n  rows:\n    - ["read", "x"]\n', "does not hold each box"),
    ],
)
def test_a_layout_that_does_not_fit_is_a_fault(tmp_path: Path, text: str, said: str) -> None:
    without_places(tmp_path / "mine")
    (tmp_path / "mine" / LAYOUT).write_text(text, "utf-8")
    with pytest.raises(PackError, match=said):
        load_pack(tmp_path / "mine")


def test_places_for_some_boxes_only_are_a_fault(tmp_path: Path) -> None:
    new_pack(tmp_path / "mine")
    path = tmp_path / "mine" / MAPS
    path.write_text(path.read_text("utf-8").replace(", lane: 0, order: 1", ""), "utf-8")
    with pytest.raises(PackError, match="give it to all boxes of the map or to none"):
        load_pack(tmp_path / "mine")
