"""The pack that comes with the product, as a reader meets it."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from ladder_content.loader import bundled_pack, load_pack
from ladder_content.model import Map
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
