"""The lesson page as a whole: tabs, keys, names, colours, and what it leaves until later."""

from __future__ import annotations

import re
from pathlib import Path

import ladder_desktop.lessons as room
import msgspec
import pytest
from ladder_desktop.lessons.lesson_page import LessonPage
from ladder_desktop.theme import load_theme
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QPushButton, QWidget

ROOM = Path(room.__file__).parent


@pytest.fixture
def page(qtbot, pack, study, theme):
    page = LessonPage(pack, study, theme)
    qtbot.addWidget(page)
    page.resize(1080, 700)
    page.show()
    page.activate()
    qtbot.waitUntil(page.gist.reader.hasFocus)
    return page


def test_the_tabs_are_gist_maps_q_and_a_and_sandbox(page):
    labels = [page.tabs.tabText(i) for i in range(page.tabs.count())]
    assert labels == ["Gist", "Maps", "Q&&A", "Sandbox"]


def test_ctrl_and_a_digit_change_the_tab_and_give_it_the_keyboard(qtbot, page):
    for key, part, focused in (
        (Qt.Key.Key_2, page.maps, page.maps.canvas),
        (Qt.Key.Key_3, page.questions, page.questions.questions),
        (Qt.Key.Key_4, page.sandbox, page.sandbox.programs),
        (Qt.Key.Key_1, page.gist, page.gist.reader),
    ):
        qtbot.keyClick(page.window().focusWidget(), key, Qt.KeyboardModifier.ControlModifier)
        assert page.tabs.currentWidget() is part
        assert focused.hasFocus()


def test_nothing_is_rendered_before_it_is_seen(qtbot, pack, study, theme):
    page = LessonPage(pack, study, theme)
    qtbot.addWidget(page)
    assert page.gist.reader.toPlainText() == ""
    assert page.maps.canvas.scene().items() == []


def test_every_widget_that_takes_the_keyboard_has_a_name(page):
    page.follow("fact:F1.09", page.mapToGlobal(page.rect().center()))
    page.show_maps()
    page.show_questions()
    page.show_sandbox()
    focusable = [
        widget
        for widget in page.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not widget.objectName().startswith("qt_")
    ]
    assert len(focusable) > 12
    nameless = [widget for widget in focusable if not widget.accessibleName()]
    assert nameless == []


def test_every_action_has_a_name_and_a_key_of_its_own_for_this_page_only(page):
    actions = page.page_actions()
    assert len(actions) == 23
    keys = [key.toString() for action in actions for key in action.shortcuts()]
    assert len(keys) == len(set(keys)) >= len(actions)
    for action in actions:
        assert action.text()
        assert action.shortcutContext() == Qt.ShortcutContext.WidgetWithChildrenShortcut


def test_leaving_the_page_puts_the_fact_away(page):
    page.follow("fact:F1.09", page.mapToGlobal(page.rect().center()))
    page.deactivate()
    assert not page.fact_card.isVisible()


def test_a_section_a_map_and_a_card_are_found_from_outside(page):
    page.show_section("elsewhere")
    assert page.gist.current_section() == "elsewhere"
    page.show_map("wrong", "s3")
    assert page.maps.canvas.place == "s3"
    page.show_card("card-2")
    assert page.questions.current.id == "card-2"


@pytest.mark.parametrize("name", ["light", "dark"])
def test_an_empty_study_is_shown_without_complaint(qtbot, pack, study, name):
    empty = msgspec.structs.replace(study, sections=(), maps=(), cards=(), references=())
    page = LessonPage(pack, empty, load_theme(name))
    qtbot.addWidget(page)
    page.show()
    for show in (page.show_maps, page.show_questions, page.show_gist):
        show()
    page.maps.step(1)
    page.maps.table_action.trigger()
    page.questions.toggle_answer()
    page.show_section("nowhere")
    assert "no questions yet" in page.questions.reader.toPlainText()
    assert "no maps yet" in page.maps.pane.toPlainText()


def test_colours_come_from_the_theme_alone():
    literal = re.compile(r"#[0-9a-fA-F]{3,8}\b|QColor\(\s*[\"'0-9]|GlobalColor")
    offenders = [path.name for path in ROOM.glob("*.py") if literal.search(path.read_text("utf-8"))]
    assert offenders == []


def test_no_slot_is_a_lambda():
    assert [p.name for p in ROOM.glob("*.py") if re.search(r"connect\(\s*lambda", p.read_text("utf-8"))] == []


def test_the_page_fits_a_window_of_900_pixels_beside_its_rail(qtbot, page):
    for show in (page.show_gist, page.show_maps, page.show_questions, page.show_sandbox):
        show()
    assert page.minimumSizeHint().width() <= 900 - 236
    page.resize(664, 640)
    page.show_maps()
    page.maps.show_map("wrong")
    for widget in (page.maps.chooser, *page.maps.findChildren(QPushButton)):
        assert (
            page.rect().contains(QRect(widget.mapTo(page, QPoint(0, 0)), widget.size())) or widget.isHidden()
        )
