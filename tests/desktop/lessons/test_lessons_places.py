"""Places of a lesson by name, and coming back to where one was."""

from __future__ import annotations

import msgspec
import pytest
from ladder_desktop.lessons.lesson_page import LessonPage
from ladder_desktop.lessons.memory import ShortMemory
from ladder_desktop.search.entry import entries_of
from ladder_desktop.theme import load_theme
from PySide6.QtCore import QPoint

LONG = "\n\n".join(
    f"Paragraph {n}. The scheduler admits what the pool can hold and defers the rest." for n in range(60)
)


@pytest.fixture
def memory():
    return ShortMemory()


@pytest.fixture
def make(qtbot, pack, theme, memory):
    pages = []  # the window too holds its pages until it takes them down

    def made(study, width=1080):
        page = LessonPage(pack, study, theme, memory)
        pages.append(page)
        qtbot.addWidget(page)
        page.resize(width, 700)
        page.show()
        page.activate()
        return page

    yield made
    for page in pages:
        page.shutdown()


@pytest.fixture
def page(make, study):
    return make(study)


def top_line(page) -> str:
    return page.gist.reader.cursorForPosition(QPoint(400, 20)).block().text()


def test_a_section_stands_at_the_top_of_its_tab(page):
    page.show_place("gist", "ladder")
    assert page.tabs.currentWidget() is page.gist
    assert top_line(page) == "The ladder"


def test_a_fact_opens_beside_the_place_that_cites_it(page, pack):
    page.show_place("gist", "ladder/F1.14")
    assert pack.fact("F1.14").statement in page.fact_card.text
    assert page.fact_card.isVisible()
    reader = page.gist.reader
    link = reader.cursorRect(reader.textCursor())
    below = page.mapFromGlobal(reader.viewport().mapToGlobal(link.bottomLeft()))
    assert reader.textCursor().charFormat().anchorHref() == "fact:F1.14"
    assert abs(page.fact_card.y() - below.y()) < 40 or page.fact_card.geometry().bottom() < below.y()


def test_a_card_with_a_fact_shows_its_answer_and_the_fact(page):
    page.show_place("qa", "card-2/F1.09")
    assert page.questions.current.id == "card-2"
    assert page.questions.revealed
    assert "F1.09" in page.fact_card.text


@pytest.mark.parametrize(
    ("element", "map_id", "place"),
    [("wrong", "wrong", None), ("wrong/s3", "wrong", "s3"), ("ladder/#4", "ladder", 4)],
)
def test_a_map_a_box_and_an_arrow(page, element, map_id, place):
    page.show_place("maps", element)
    assert page.maps.current.id == map_id
    assert page.maps.canvas.place == place


def test_a_program_and_a_reference(page):
    page.show_place("sandbox", "classifier")
    assert page.sandbox.current.id == "classifier"
    assert "def bound" in page.sandbox.editor.toPlainText()
    page.show_place("gist", "go-deeper/bad")
    assert page.gist.current_section() == "go-deeper"


def test_a_tab_alone(page):
    page.show_place("qa")
    assert page.tabs.currentWidget() is page.questions


@pytest.mark.parametrize(
    ("tab", "element"),
    [
        ("gist", "nowhere"),
        ("gist", "nowhere/F1.09"),
        ("maps", "ladder/nothing"),
        ("maps", "ladder/#99"),
        ("maps", "ladder/#-1"),
        ("maps", "ladder/#²"),
        ("maps", "nowhere"),
        ("qa", "card-99"),
        ("sandbox", "none"),
        ("attic", None),
    ],
)
def test_what_there_is_not_is_a_lookup_error(page, tab, element):
    with pytest.raises(LookupError):
        page.show_place(tab, element)


def test_a_study_without_programs_has_no_such_tab(make, study):
    page = make(msgspec.structs.replace(study, snippets=()))
    with pytest.raises(LookupError):
        page.show_place("sandbox", "classifier")


def test_every_place_that_search_finds_can_be_shown(page, pack):
    targets = [entry.target for entry in entries_of(pack)]
    assert len(targets) > 40
    for target in targets:
        _, _, place = target.partition("/")
        tab, _, element = place.partition("/")
        page.show_place(tab, element)


def test_the_tab_and_the_places_are_the_same_the_next_time(make, study):
    first = make(study)
    first.show_place("maps", "wrong/s3")
    first.show_place("qa", "card-2")
    first.show_place("sandbox", "classifier")
    first.show_place("maps")
    first.deactivate()
    again = make(study)
    assert again.tabs.currentWidget() is again.maps
    assert (again.maps.current.id, again.maps.canvas.place) == ("wrong", "s3")
    assert again.questions.current.id == "card-2"
    again.show_sandbox()
    assert again.sandbox.current.id == "classifier"


def test_tabs_that_were_not_visited_keep_the_place_of_the_time_before(make, study):
    first = make(study)
    first.show_place("sandbox", "classifier")
    first.show_place("maps", "wrong/s2")
    first.show_gist()
    first.deactivate()
    make(study).deactivate()
    third = make(study)
    third.show_maps()
    third.show_sandbox()
    assert third.maps.canvas.place == "s2"
    assert third.sandbox.current.id == "classifier"


@pytest.fixture
def long_study(study):
    longer = msgspec.structs.replace(study.sections[1], body=LONG)
    return msgspec.structs.replace(study, sections=(study.sections[0], longer, study.sections[2]))


@pytest.mark.parametrize("width", [1080, 700])
def test_the_text_goes_on_where_the_reading_stood_at_any_width(make, long_study, width):
    first = make(long_study)
    first.gist.reader.go_to(first.gist.reader.document().find("Paragraph 31").selectionStart())
    assert top_line(first).startswith("Paragraph 31")
    first.deactivate()
    again = make(long_study, width)
    assert top_line(again).startswith("Paragraph 31")


def test_the_place_holds_while_the_window_changes_its_width(make, long_study):
    page = make(long_study)
    page.gist.reader.go_to(page.gist.reader.document().find("Paragraph 40").selectionStart())
    for width in (600, 900, 480, 1300, 1080):
        page.resize(width, 700)
        assert top_line(page).startswith("Paragraph 40"), width


@pytest.mark.parametrize("place", ["gone:3", "ladder:x", "ladder", ":", "ladder:99999999999999999999"])
def test_a_senseless_memory_does_no_harm(make, memory, study, pack, place):
    memory.remember(f"lesson/{pack.id}.{study.id}/gist", place)
    memory.remember(f"lesson/{pack.id}.{study.id}/tab", place)
    memory.remember(f"lesson/{pack.id}.{study.id}/maps", place)
    page = make(study)
    page.show_maps()
    assert page.maps.current.id == "ladder"
    assert page.gist.reader.toPlainText()


def test_two_studies_do_not_share_their_places(make, study):
    first = make(study)
    first.show_questions()
    first.deactivate()
    other = make(msgspec.structs.replace(study, id="other"))
    assert other.tabs.currentWidget() is other.gist


@pytest.mark.parametrize("name", ["light", "dark"])
def test_every_theme_dresses_the_bar(qtbot, pack, study, name):
    page = LessonPage(pack, study, load_theme(name))
    qtbot.addWidget(page)
    page.show()
    page.find_here()
    assert page.find_bar.isVisible()
