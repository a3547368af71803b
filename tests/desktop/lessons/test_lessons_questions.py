"""The Q&A tab: an answer is seen when it is asked for, and not before."""

from __future__ import annotations

import pytest
from ladder_content.model import Expected, Option
from ladder_desktop.lessons.lesson_page import LessonPage
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.questions import QuestionsView
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt


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


KINDS = {
    "numeric": {"expected": Expected(value=131072, unit="B/token", tolerance=0.02)},
    "cloze": {"question": "A step reads {{all weights}} and `{{the KV}}` once <img src=x>."},
    "lever": {
        "options": (
            Option(text="Chunked prefill", why="It lets decode in between.", correct=True),
            Option(text="More ranks <b>", why="The queue stays."),
            Option(text="A larger batch", why="Longer steps."),
        )
    },
}
KEPT = {
    "numeric": ["131,072 B/token"],
    "cloze": ["all weights", "the KV"],
    "lever": ["✓ Chunked prefill", "It lets decode in between.", "✗ More ranks <b>"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_keeps_its_answer_until_it_is_asked_for(qtbot, pack, study, theme, kind):
    card = replace(study.cards[0], kind=kind, lab="long-prompts", **KINDS[kind])
    page = LessonPage(pack, replace(study, cards=(card,)), theme)
    qtbot.addWidget(page)
    page.show()
    page.show_questions()
    view = page.questions
    shown = view.reader.toPlainText()
    for text in KEPT[kind]:
        assert text not in shown + view.questions.item(0).text()
    if kind == "lever":
        assert "More ranks <b>" in shown
    assert "<img" not in view.reader.toHtml()
    view.toggle_answer()
    told = view.reader.toPlainText()
    for text in (*KEPT[kind], card.key_points[0], "Watch it run"):
        assert text in told
    if kind == "cloze":
        assert view.questions.item(0).text() == "1.  A step reads […] and […] once <img src=x>."
    with qtbot.waitSignal(page.go) as asked:
        page.follow("live:long-prompts", QPoint())
    assert asked.args == ["live:long-prompts"]
    assert 'href="live:long-prompts"' in view.reader.toHtml()


def test_the_column_stays_when_a_long_answer_gives_way_to_a_short_question(qtbot, view):
    view.resize(1000, 300)
    view.toggle_answer()
    qtbot.waitUntil(view.reader.verticalScrollBar().isVisible)
    view.questions.setCurrentRow(1)
    qtbot.waitUntil(lambda: not view.reader.verticalScrollBar().isVisible())
    margins = view.reader.document().begin().blockFormat().leftMargin()
    assert margins > 0
    view.reader.show_html("<p>again</p>")
    assert view.reader.document().begin().blockFormat().leftMargin() == margins
