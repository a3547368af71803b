"""The pack that comes with the product, as a reader meets it."""

from __future__ import annotations

import math
import re
from itertools import combinations, pairwise

import msgspec
import pytest
from ladder_content.loader import bundled_pack, load_pack
from ladder_content.model import Map
from ladder_content.placing import work_out
from ladder_desktop.lessons.geometry import Drawing
from ladder_desktop.lessons.lesson_page import LessonPage
from ladder_desktop.lessons.map_canvas import LEGIBLE, MapCanvas
from PySide6.QtCore import QPoint

PACK = load_pack(bundled_pack())
MAPS = [chart for study in PACK.studies for chart in study.maps]


@pytest.mark.parametrize("study", PACK.studies, ids=lambda study: study.id)
def test_every_section_and_every_fact_of_the_text_can_be_reached(qtbot, theme, study):
    page = LessonPage(PACK, study, theme)
    qtbot.addWidget(page)
    page.resize(1080, 800)
    page.show()
    words = page.gist.reader.toPlainText()
    assert not re.search(r"\[F\d", words)
    assert all(section.title in words for section in study.sections)
    links = set(re.findall(r'href="fact:([^"]+)"', page.gist.reader.toHtml()))
    assert links
    for fact_id in links:
        page.follow(f"fact:{fact_id}", page.mapToGlobal(QPoint(500, 300)))
        assert PACK.fact(fact_id).as_of in page.fact_card.text
    assert page.gist.reader.document().size().width() <= page.gist.reader.viewport().width() + 2


@pytest.mark.parametrize("chart", MAPS, ids=lambda chart: chart.id)
def test_every_map_is_legible(qtbot, theme, chart: Map):
    canvas = MapCanvas(theme)
    qtbot.addWidget(canvas)
    canvas.resize(1064, 420)
    canvas.show()
    drawing = canvas.show_map(chart)
    assert canvas.scale_factor >= LEGIBLE
    labels = [route.label for route in drawing.routes]
    assert not any(label.overlaps(box) for label in labels for box in drawing.boxes.values())
    assert not any(one.overlaps(other) for one, other in combinations(labels, 2))
    seen = canvas.mapToScene(canvas.viewport().rect()).boundingRect()
    assert seen.adjusted(-2, -2, 2, 2).contains(canvas.sceneRect())  # a view ends at whole pixels


def crossings(drawing: Drawing) -> int:
    """Count where two arrows cross, by the corners they are drawn with."""
    lines = [
        (number, start, end)
        for number, route in enumerate(drawing.routes)
        for start, end in pairwise(route.points)
    ]
    level = [(n, min(a[0], b[0]), max(a[0], b[0]), a[1]) for n, a, b in lines if a[1] == b[1]]
    upright = [(n, min(a[1], b[1]), max(a[1], b[1]), a[0]) for n, a, b in lines if a[0] == b[0]]
    return sum(
        one != other and left < x < right and top < y < bottom
        for one, left, right, y in level
        for other, top, bottom, x in upright
    )


def moved(chart: Map, cells: dict[str, tuple[int, int]]) -> Map:
    nodes = (msgspec.structs.replace(n, lane=cells[n.id][0], order=cells[n.id][1]) for n in chart.nodes)
    return msgspec.structs.replace(chart, nodes=tuple(nodes))


def test_the_stored_places_and_the_computed_ones_leave_few_crossings(qtbot, theme):
    canvas = MapCanvas(theme)
    qtbot.addWidget(canvas)
    stored = computed = listed = 0
    for chart in (chart for chart in MAPS if chart.kind == "architecture"):
        side = math.isqrt(len(chart.nodes) - 1) + 1
        in_rows = {node.id: divmod(i, side) for i, node in enumerate(chart.nodes)}
        stored += crossings(canvas.show_map(chart))
        computed += crossings(canvas.show_map(moved(chart, work_out(chart, rounds=1))))
        listed += crossings(canvas.show_map(moved(chart, in_rows)))
    assert stored <= 2
    assert listed > 40
    assert computed <= listed / 4
