"""Layout rules: whatever the map, boxes stand apart, labels stay off boxes and off each other, arrows keep to the
channels."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.lessons.geometry import Arrow, Drawing, Rect, Size
from ladder_desktop.lessons.layout import arrange

NAMES = "abcdefghijkl"


@st.composite
def maps(draw: st.DrawFn) -> tuple[dict[str, tuple[int, int]], dict[str, Size], list[Arrow]]:
    names = NAMES[: draw(st.integers(1, len(NAMES)))]
    cells = {name: (draw(st.integers(-1, 4)), draw(st.integers(0, 4))) for name in names}
    sizes = {name: Size(draw(st.integers(60, 240)), draw(st.integers(24, 160))) for name in names}
    ends = st.sampled_from(names)
    label = st.builds(Size, st.integers(0, 200), st.integers(0, 60))
    arrows = draw(st.lists(st.builds(Arrow, ends, ends, label), max_size=18))
    return cells, sizes, arrows


def segments(drawing: Drawing) -> list[Rect]:
    found = []
    for route in drawing.routes:
        for (x0, y0), (x1, y1) in pairwise(route.points):
            assert x0 == x1 or y0 == y1, "a line that is neither upright nor level"
            found.append(Rect(min(x0, x1), min(y0, y1), abs(x0 - x1), abs(y0 - y1)))
    return found


def on_border(point: tuple[float, float], box: Rect) -> bool:
    x, y = point
    across, down = box.x <= x <= box.right, box.y <= y <= box.bottom
    return (across and y in (box.y, box.bottom)) or (down and x in (box.x, box.right))


@given(maps())
def test_boxes_have_their_size_and_never_overlap(case):
    cells, sizes, arrows = case
    drawing = arrange(cells, sizes, arrows)
    assert set(drawing.boxes) == set(cells)
    for name, box in drawing.boxes.items():
        assert box.width >= sizes[name].width
        assert box.height >= sizes[name].height
    for one, other in combinations(drawing.boxes.values(), 2):
        assert not one.overlaps(other)


@given(maps())
def test_labels_cover_no_box_and_no_other_label(case):
    drawing = arrange(*case)
    labels = [route.label for route in drawing.routes]
    for label in labels:
        assert not any(label.overlaps(box) for box in drawing.boxes.values())
    for one, other in combinations(labels, 2):
        assert not one.overlaps(other)


@given(maps())
def test_labels_have_the_size_they_asked_for_and_lie_on_their_arrow(case):
    _, _, arrows = case
    drawing = arrange(*case)
    for arrow, route in zip(arrows, drawing.routes, strict=True):
        assert (route.label.width, route.label.height) == (arrow.label.width, arrow.label.height)
        x, y = route.label.centre
        near = (
            min(x0, x1) - 1e-6 <= x <= max(x0, x1) + 1e-6 and min(y0, y1) - 1e-6 <= y <= max(y0, y1) + 1e-6
            for (x0, y0), (x1, y1) in pairwise(route.points)
        )
        assert any(near)


@given(maps())
def test_arrows_join_their_boxes_and_cross_no_other(case):
    _, _, arrows = case
    drawing = arrange(*case)
    for arrow, route in zip(arrows, drawing.routes, strict=True):
        assert on_border(route.points[0], drawing.boxes[arrow.source])
        assert on_border(route.points[-1], drawing.boxes[arrow.target])
    for segment in segments(drawing):
        for box in drawing.boxes.values():
            inner = Rect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1)
            assert not segment.overlaps(inner)


@given(maps())
def test_everything_lies_within_the_bounds_and_the_layout_is_repeatable(case):
    drawing = arrange(*case)
    bounds = drawing.bounds
    for rect in [*drawing.boxes.values(), *(r.label for r in drawing.routes), *segments(drawing)]:
        assert bounds.x <= rect.x
        assert rect.right <= bounds.right
        assert bounds.y <= rect.y
        assert rect.bottom <= bounds.bottom
    assert arrange(*case) == drawing


def test_rows_follow_lanes_and_columns_follow_orders():
    cells = {"a": (0, 0), "b": (0, 5), "c": (7, 0)}
    boxes = arrange(cells, dict.fromkeys(cells, Size(100, 40)), []).boxes
    assert boxes["a"].y == boxes["b"].y < boxes["c"].y
    assert boxes["a"].x == boxes["c"].x < boxes["b"].x


def test_neighbours_in_a_row_are_joined_by_one_level_line_and_in_a_column_by_one_upright_line():
    cells = {"a": (0, 0), "b": (0, 1), "c": (1, 0)}
    arrows = [Arrow("a", "b", Size(60, 14)), Arrow("a", "c", Size(60, 14))]
    level, upright = arrange(cells, dict.fromkeys(cells, Size(100, 40)), arrows).routes
    assert len(level.points) == len(upright.points) == 2
    assert level.points[0][1] == level.points[1][1]
    assert upright.points[0][0] == upright.points[1][0]


def test_a_map_without_boxes_is_empty():
    drawing = arrange({}, {}, [])
    assert (drawing.boxes, drawing.routes) == ({}, ())
