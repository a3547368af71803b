"""Find in page: how many there are, the way through them, and back to the reading."""

from __future__ import annotations

import re

import pytest
from ladder_desktop.lessons.lesson_page import LessonPage
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(qtbot, pack, study, theme):
    page = LessonPage(pack, study, theme)
    qtbot.addWidget(page)
    page.resize(1080, 500)
    page.show()
    page.activate()
    qtbot.waitUntil(page.gist.reader.hasFocus)
    return page


def press(qtbot, page, key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.keyClick(page.window().focusWidget(), key, modifier)


def look_for(qtbot, page, text: str) -> None:
    press(qtbot, page, Qt.Key.Key_F, CTRL)
    assert page.find_bar.field.hasFocus()
    qtbot.keyClicks(page.find_bar.field, text)


def tinted(reader) -> list[str]:
    return [selection.cursor.selectedText() for selection in reader.extraSelections()]


def seen(reader) -> bool:
    return reader.viewport().rect().contains(reader.cursorRect(reader.textCursor()))


def test_every_match_in_the_text_is_counted_and_tinted(qtbot, page):
    look_for(qtbot, page, "Prefill")
    count = len(re.findall("prefill", page.gist.reader.toPlainText(), re.IGNORECASE))
    assert count == 3
    assert page.find_bar.label.text() == f"1 of {count}"
    assert len(tinted(page.gist.reader)) == count
    assert {text.lower() for text in tinted(page.gist.reader)} == {"prefill"}


@pytest.mark.parametrize("way", ["Enter", "F3", "button"])
def test_the_way_through_goes_round_and_each_match_comes_into_view(qtbot, page, way):
    look_for(qtbot, page, "the")
    reader = page.gist.reader
    total = len(tinted(reader))
    forward = next(b for b in page.find_bar.findChildren(QPushButton) if b.accessibleName() == "Next match")
    places = []
    for number in range(1, total + 1):
        assert page.find_bar.label.text() == f"{number} of {total}"
        assert seen(reader)
        places.append(reader.textCursor().position())
        if way == "button":
            qtbot.mouseClick(forward, Qt.MouseButton.LeftButton)
        else:
            press(qtbot, page, Qt.Key.Key_Return if way == "Enter" else Qt.Key.Key_F3)
    assert places == sorted(set(places))
    assert page.find_bar.label.text() == f"1 of {total}"
    press(qtbot, page, Qt.Key.Key_F3, SHIFT)
    assert page.find_bar.label.text() == f"{total} of {total}"


def test_the_search_begins_where_the_reading_stands(qtbot, page):
    page.show_section("elsewhere")
    look_for(qtbot, page, "t")
    reader = page.gist.reader
    assert reader.textCursor().position() >= reader.document().find("Deliberately").selectionStart()


def test_nothing_found_is_said(qtbot, page):
    look_for(qtbot, page, "zanzibar")
    assert page.find_bar.label.text() == "Not on this page"
    press(qtbot, page, Qt.Key.Key_Return)
    assert tinted(page.gist.reader) == []


def test_escape_takes_the_tints_away_and_gives_the_keyboard_back(qtbot, page):
    look_for(qtbot, page, "batch")
    press(qtbot, page, Qt.Key.Key_Escape)
    assert not page.find_bar.isVisible()
    assert page.gist.reader.hasFocus()
    assert tinted(page.gist.reader) == []
    press(qtbot, page, Qt.Key.Key_F3)
    assert page.find_bar.field.text() == "batch"
    assert tinted(page.gist.reader)


def test_a_question_is_found_by_its_answer_which_is_then_shown(qtbot, page):
    page.show_questions()
    look_for(qtbot, page, "bandwidth sets")
    assert page.find_bar.label.text() == "1 of 3"
    assert page.questions.revealed
    assert tinted(page.questions.reader) == ["bandwidth sets"]
    press(qtbot, page, Qt.Key.Key_F3)
    assert page.questions.current.id == "card-2"


def test_a_question_found_by_its_own_words_keeps_its_answer_hidden(qtbot, page):
    page.show_questions()
    look_for(qtbot, page, "relate to continuous")
    assert page.find_bar.label.text() == "1 of 1"
    assert page.questions.current.id == "card-2"
    assert not page.questions.revealed
    bold = [page.questions.questions.item(row).font().bold() for row in range(3)]
    assert bold == [False, True, False]


def test_all_maps_of_the_study_are_searched(qtbot, page, study):
    page.show_maps()
    look_for(qtbot, page, "all-reduce")
    wanted = [
        (chart.id, place)
        for chart in study.maps
        for place, text in (
            [(None, chart.title + chart.summary)]
            + [(node.id, node.label + node.why) for node in chart.nodes]
            + [(i, e.label + e.effect + e.consequence + e.protocol) for i, e in enumerate(chart.edges)]
        )
        if "all-reduce" in text.lower()
    ]
    assert len({chart for chart, _ in wanted}) == 2
    found = []
    for _ in wanted:
        found.append((page.maps.current.id, page.maps.canvas.place))
        marked = {item.place for item in page.maps.canvas.scene().items() if item.found}
        assert marked == {p for chart, p in wanted if chart == page.maps.current.id and p is not None}
        press(qtbot, page, Qt.Key.Key_F3)
    assert found == wanted
    assert page.find_bar.label.text() == f"1 of {len(wanted)}"


def test_a_program_is_found_by_its_code(qtbot, page):
    page.show_sandbox()
    look_for(qtbot, page, "def bound")
    assert page.sandbox.current.id == "classifier"
    assert page.sandbox.editor.textCursor().selectedText() == "def bound"


def test_the_search_goes_along_to_another_tab(qtbot, page):
    look_for(qtbot, page, "all-reduce")
    gist = page.find_bar.label.text()
    page.show_maps()
    assert page.find_bar.isVisible()
    assert page.find_bar.label.text() != gist
    assert tinted(page.gist.reader) == []


def test_the_number_of_matches_is_told_to_assistive_technology(qtbot, page):
    look_for(qtbot, page, "batching")
    assert page.find_bar.field.accessibleDescription().endswith(f"of {len(tinted(page.gist.reader))}")
