"""A card in a person's own words reads so everywhere: in the drill, in the lessons, and in what the search finds."""

from __future__ import annotations

from typing import cast

from ladder_desktop.app import Application
from ladder_desktop.lessons.lesson_page import LessonPage
from pytestqt.qtbot import QtBot


def test_own_words_are_shown_in_the_lesson_and_found(application: Application, qtbot: QtBot) -> None:
    study = application.pack.studies[0]
    card = study.cards[2]
    key = f"study:{study.id}"
    application.window.show_page(key)
    page = cast(LessonPage, application.window.page(key))
    page.show_card(card.id)
    page.questions.toggle_answer()
    assert not [hit for hit in application.find("quokka", 5) if card.id in hit.target]
    own = {"question": "What does the quokka measure?", "answer": "A quokka counts tokens."}
    application.desk.words.edit(
        f"{application.pack.id}/{card.id}", own, {"question": card.question, "answer": card.answer}
    )
    application.window.show_page("home")
    application.window.show_page(key)
    assert page.questions.current is not None
    assert page.questions.current.id == card.id
    assert page.questions.revealed
    shown = page.questions.reader.toPlainText()
    assert "What does the quokka measure?" in shown
    assert "A quokka counts tokens." in shown
    assert page.questions.questions.item(2).text() == "3.  What does the quokka measure?"
    assert page.questions.find_all("quokka") == 1
    assert [hit.target for hit in application.find("quokka", 5)] == [f"study:{study.id}/qa/{card.id}"]
    application.desk.undo()
    application.window.show_page("home")
    application.window.show_page(key)
    assert page.questions.current == card
    assert "quokka" not in page.questions.reader.toPlainText()
    assert application.find("quokka", 5) == []
