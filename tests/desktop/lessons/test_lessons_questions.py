"""The Q&A tab: an answer is seen when it is asked for, and not before."""

from __future__ import annotations

import pytest
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.questions import QuestionsView
from PySide6.QtCore import Qt


@pytest.fixture
def view(qtbot, pack, study, theme):
    view = QuestionsView(study, Markdown(theme, {fact.id for fact in pack.facts}), theme)
    qtbot.addWidget(view)
    view.resize(1000, 700)
    view.show()
    view.setFocus()
    qtbot.waitUntil(view.questions.hasFocus)
    return view


def test_every_question_is_listed_and_no_answer_is_shown(view, study):
    assert view.questions.count() == len(study.cards)
    for row, card in enumerate(study.cards):
        assert card.question in view.questions.item(row).text()
        view.questions.setCurrentRow(row)
        assert card.question in view.reader.toPlainText()
        assert card.key_points[0] not in view.reader.toPlainText()


@pytest.mark.parametrize("way", ["space", "enter", "button", "action"])
def test_the_answer_is_shown_and_hidden_again_by_every_way(qtbot, view, study, way):
    def ask():
        if way == "button":
            qtbot.mouseClick(view.reveal, Qt.MouseButton.LeftButton)
        elif way == "action":
            view.reveal_action.trigger()
        else:
            qtbot.keyClick(view.questions, Qt.Key.Key_Space if way == "space" else Qt.Key.Key_Return)

    card = study.cards[0]
    ask()
    told = view.reader.toPlainText()
    assert "A decode step reads every weight once" in told
    for text in (*card.key_points, card.follow_up, *card.tags, "standard", "F1.09"):
        assert text in told
    ask()
    assert card.key_points[0] not in view.reader.toPlainText()


def test_space_works_from_the_text_too(qtbot, view):
    view.reader.setFocus()
    qtbot.keyClick(view.reader, Qt.Key.Key_Space)
    assert view.revealed


def test_the_next_question_hides_its_answer(qtbot, view, study):
    view.toggle_answer()
    qtbot.keyClick(view.questions, Qt.Key.Key_Down)
    assert view.current == study.cards[1]
    assert not view.revealed
    assert study.cards[1].key_points[0] not in view.reader.toPlainText()


def test_a_question_is_found_by_its_id(view, study):
    view.show_card("card-3")
    assert view.current == study.cards[2]
    view.show_card("nowhere")
    assert view.current == study.cards[2]


def test_a_long_question_is_seen_whole_in_the_list(view):
    item = view.questions.item(2)
    width = view.questions.viewport().width()
    lines = view.questions.fontMetrics().boundingRect(
        0, 0, width - 26, 9999, Qt.TextFlag.TextWordWrap, item.text()
    )
    assert view.questions.visualItemRect(item).height() >= lines.height()
    assert view.questions.visualItemRect(item).width() <= width
