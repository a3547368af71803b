"""Walking a map by keyboard, without a window."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_content.model import Edge, Map, Node
from ladder_desktop.lessons.walk import Walk


def chart(cells: dict[str, tuple[int, int]], ends: list[tuple[str, str]], kind: str = "architecture") -> Map:
    nodes = tuple(Node(id=n, label=n, why="", lane=row, order=column) for n, (row, column) in cells.items())
    edges = tuple(
        Edge(source=s, target=t, label="", protocol="", direction="", effect="", consequence="")
        for s, t in ends
    )
    return Map(id="m", title="", kind=kind, summary="", nodes=nodes, edges=edges)


CELLS = {"d": (1, 1), "a": (0, 0), "b": (0, 1), "c": (1, 0)}
ENDS = [("a", "b"), ("a", "c"), ("d", "b")]
CENTRES = {name: (column * 100.0, row * 100.0) for name, (row, column) in CELLS.items()}
RIGHT, LEFT, DOWN, UP = (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)


@pytest.fixture
def walk():
    return Walk(chart(CELLS, ENDS), CENTRES)


def test_tab_reads_boxes_by_rows_and_each_with_the_arrows_that_leave_it(walk):
    assert walk.sequence == ("a", 0, 1, "b", "c", "d", 2)


def test_a_flow_is_read_in_its_own_order():
    assert Walk(chart(CELLS, ENDS, "flow"), CENTRES).sequence[0] == "d"


def test_an_arrow_key_steps_onto_the_arrow_and_then_to_its_end(walk):
    assert walk.toward("a", RIGHT) == 0
    assert walk.toward(0, RIGHT) == "b"
    assert walk.toward(0, LEFT) == "a"
    assert walk.toward("a", DOWN) == 1


def test_arrows_can_be_walked_against_their_direction(walk):
    assert walk.toward("b", DOWN) == 2
    assert walk.toward(2, DOWN) == "d"


def test_where_no_arrow_leads_the_nearest_box_is_reached(walk):
    assert walk.toward("c", RIGHT) == "d"
    assert walk.toward("a", UP) is None


@given(st.data())
def test_every_place_of_every_map_is_reached_by_tab_exactly_once_both_ways(data):
    names = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True))
    cells = {n: (data.draw(st.integers(0, 3)), data.draw(st.integers(0, 3))) for n in names}
    ends = data.draw(st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=8))
    walk = Walk(chart(cells, ends), {n: (c * 10.0, r * 10.0) for n, (r, c) in cells.items()})
    for step in (1, -1):
        seen, place = [], walk.after(None, step)
        while place is not None:
            seen.append(place)
            place = walk.after(place, step)
        assert sorted(map(str, seen)) == sorted([*names, *map(str, range(len(ends)))])
    for place in walk.sequence:
        for direction in (RIGHT, LEFT, UP, DOWN):
            assert walk.toward(place, direction) in {*walk.sequence, None}
