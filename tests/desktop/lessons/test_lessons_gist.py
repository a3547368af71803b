"""The Gist: contents, facts and links, by mouse and by keyboard."""

from __future__ import annotations

import pytest
from ladder_desktop.lessons.gist import Gist
from ladder_desktop.lessons.lesson_page import LessonPage
from ladder_desktop.lessons.markdown import Markdown
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QDesktopServices


@pytest.fixture
def page(qtbot, pack, study, theme):
    page = LessonPage(pack, study, theme)
    qtbot.addWidget(page)
    page.resize(1080, 700)
    page.show()
    page.activate()
    qtbot.waitUntil(page.gist.reader.hasFocus)
    return page


@pytest.fixture
def opened(monkeypatch):
    addresses: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: addresses.append(url.toString()))
    return addresses


def link_centre(reader, words: str) -> QPoint:
    """Bring a link into view and return the point in the middle of it."""
    cursor = reader.document().find(words)
    assert not cursor.isNull(), words
    reader.setTextCursor(cursor)
    reader.ensureCursorVisible()
    cursor.setPosition(cursor.selectionStart() + 1)
    reader.setTextCursor(cursor)
    return reader.cursorRect(cursor).center() + QPoint(2, 0)


def click_link(qtbot, reader, words: str) -> None:
    qtbot.mouseClick(reader.viewport(), Qt.MouseButton.LeftButton, pos=link_centre(reader, words))


def test_the_text_has_every_section_and_ends_with_where_to_go_deeper(page, study):
    words = page.gist.reader.toPlainText()
    places = [words.index(section.title) for section in study.sections]
    assert places == sorted(places)
    assert words.index("Go deeper") > places[-1]
    assert study.references[0].reason in words


def test_a_click_in_the_contents_brings_the_section_to_the_top(qtbot, page):
    contents = page.gist.contents
    assert [contents.item(i).text() for i in range(contents.count())][-1] == "Go deeper"
    where = contents.visualItemRect(contents.item(1)).center()
    qtbot.mouseClick(contents.viewport(), Qt.MouseButton.LeftButton, pos=where)
    cursor = page.gist.reader.cursorForPosition(QPoint(300, 30))
    assert cursor.block().text() == "The ladder"
    assert page.gist.current_section() == "ladder"


def test_arrow_keys_in_the_contents_do_the_same_and_enter_goes_on_to_the_text(qtbot, page):
    page.gist.contents.setFocus()
    qtbot.keyClick(page.gist.contents, Qt.Key.Key_Down)
    assert page.gist.reader.verticalScrollBar().value() > 0
    qtbot.keyClick(page.gist.contents, Qt.Key.Key_Return)
    assert page.gist.reader.hasFocus()


def test_scrolling_marks_the_section_that_is_read(page, study):
    bar = page.gist.reader.verticalScrollBar()
    seen = []
    for value in range(0, bar.maximum() + 1, 10):
        bar.setValue(value)
        if page.gist.current_section() not in seen:
            seen.append(page.gist.current_section())
    bar.setValue(bar.maximum())
    assert seen == [*(section.id for section in study.sections), "go-deeper"][: len(seen)]
    assert page.gist.current_section() == "go-deeper"


def test_a_click_on_a_fact_opens_its_card_near_by_and_escape_returns_to_the_text(qtbot, page, pack):
    reader = page.gist.reader
    where = link_centre(reader, "F1.09")
    qtbot.mouseClick(reader.viewport(), Qt.MouseButton.LeftButton, pos=where)
    card, fact = page.fact_card, pack.fact("F1.09")
    assert card.isVisible()
    for told in (fact.id, fact.statement, fact.source, fact.as_of, "989e12 / 3.35e12 = 295.2 FLOP/B"):
        assert told in card.text
    line = reader.viewport().mapTo(page, where).y()
    assert 0 < card.y() - line < 40 or 0 < line - card.geometry().bottom() < 40
    assert page.rect().contains(card.geometry())
    qtbot.keyClick(page.window().focusWidget(), Qt.Key.Key_Escape)
    assert not card.isVisible()
    assert reader.hasFocus()


def test_a_fact_opens_by_keyboard(qtbot, page):
    reader = page.gist.reader
    qtbot.keyClick(reader, Qt.Key.Key_Tab)
    qtbot.keyClick(reader, Qt.Key.Key_Return)
    assert "F1.09" in page.fact_card.text
    assert page.fact_card.isVisible()


def test_the_card_closes_by_its_button_and_when_the_tab_changes(qtbot, page):
    click_link(qtbot, page.gist.reader, "F1.14")
    page.show_questions()
    assert not page.fact_card.isVisible()


def test_a_card_at_the_bottom_of_a_small_page_stays_within_it(page):
    page.resize(420, 300)
    page.follow("fact:F1.09", page.mapToGlobal(QPoint(400, 290)))
    assert page.rect().contains(page.fact_card.geometry())


def test_an_unknown_fact_opens_nothing(page):
    page.follow("fact:F9.99", QPoint(0, 0))
    assert not page.fact_card.isVisible()


def test_a_web_link_opens_in_the_browser_and_only_when_clicked(qtbot, page, opened):
    page.show_section("go-deeper")
    assert opened == []
    click_link(qtbot, page.gist.reader, "PagedAttention")
    assert opened == ["https://arxiv.org/abs/2309.06180"]


def test_pointing_at_a_web_link_says_where_it_leads(qtbot, page):
    reader = page.gist.reader
    where = link_centre(reader, "PagedAttention")
    qtbot.mouseMove(reader.viewport(), where)
    qtbot.waitUntil(lambda: reader.viewport().toolTip() == "https://arxiv.org/abs/2309.06180")


def test_a_reference_with_a_file_address_is_no_link(page):
    reader = page.gist.reader
    assert "Not a web address" in reader.toPlainText()
    assert "passwd" not in reader.toHtml()


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "javascript:alert(1)", "ftp://example.org", "", "fact", "map:"]
)
def test_an_address_of_another_kind_leads_nowhere(page, opened, address):
    page.follow(address, QPoint(0, 0))
    assert opened == []
    assert not page.fact_card.isVisible()


def test_a_link_to_a_map_opens_it_with_the_node_chosen(qtbot, page):
    cursor = page.gist.reader.document().find("see the ladder")
    words_end = page.gist.reader.cursorRect(cursor)
    qtbot.mouseClick(
        page.gist.reader.viewport(),
        Qt.MouseButton.LeftButton,
        pos=QPointF(words_end.center()).toPoint() - QPoint(6, 0),
    )
    assert page.tabs.currentWidget() is page.maps
    assert page.maps.current.id == "ladder"
    assert page.maps.canvas.place == "paging"


def test_a_narrow_gist_gives_the_contents_room_to_the_text(qtbot, study, theme):
    gist = Gist(study, Markdown(theme, ()), theme)
    qtbot.addWidget(gist)
    gist.resize(600, 700)
    gist.show()
    assert not gist.contents.isVisible()
    gist.resize(1080, 700)
    assert gist.contents.isVisible()
