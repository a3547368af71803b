"""The card browser: filter, select, and do something with what is selected, by key and by mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from ladder_content.model import Pack
from ladder_desktop.review.card_editor import CardEditor
from ladder_desktop.review.card_history import CardHistory
from ladder_desktop.review.card_list_page import CardListPage
from ladder_desktop.study import Desk, Hidden, Mark, Rating
from ladder_desktop.theme import Theme
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from .conftest import TravelClock, click, press

CTRL = Qt.KeyboardModifier.ControlModifier
PLAIN = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def cards(
    desk: Desk, pack: Pack, theme: Theme, clock: TravelClock, on_screen: Callable[[QWidget], None]
) -> Iterator[CardListPage]:
    page = CardListPage(desk, pack, theme, clock)
    on_screen(page)
    yield page
    page.deactivate()


def shown(cards: CardListPage) -> list[str]:
    return [entry.card.id for entry in cards.table.cards.entries]


def select(cards: CardListPage, *rows: int) -> None:
    """Click rows of the table, with Ctrl from the second on."""
    for number, row in enumerate(rows):
        place = cards.table.visualRect(cards.table.cards.index(row, 0)).center()
        QTest.mouseClick(cards.table.viewport(), Qt.MouseButton.LeftButton, CTRL if number else PLAIN, place)


def test_the_list_says_what_is_known_of_each_card(
    cards: CardListPage, desk: Desk, clock: TravelClock
) -> None:
    desk.answer("demo/paging", Rating.EASY, clock.now() - clock.now())
    desk.marks.flag(["demo/paging"], 1)
    desk.words.write_note("demo/paging", "Ask Ada.")
    cards.reload()
    assert shown(cards) == ["bandwidth", "paging", "baseline"]
    model = cards.table.cards
    row = [model.data(model.index(1, column)) for column in range(model.columnCount())]
    assert row[0] == "How does paging relate to continuous batching?"
    assert row[1:3] == ["The runtime ladder", "review"]
    assert row[4:] == ["0", "⚑ red  ✎ note"]
    assert model.data(model.index(1, 2), Qt.ItemDataRole.AccessibleTextRole) == "State: review"
    assert cards.count.text() == "3 cards"


def test_typing_filters_and_a_wrong_term_is_said(cards: CardListPage, qtbot: QtBot) -> None:
    for letter in "paging":
        press(getattr(Qt.Key, f"Key_{letter.upper()}"))
    qtbot.waitUntil(lambda: shown(cards) == ["paging"])
    assert cards.count.text() == "1 card"
    cards.filter.setText("is:lost")
    cards.refilter()
    assert "is:lost is no state" in cards.count.text()
    assert shown(cards) == ["paging"]


def test_the_choices_narrow_the_list(cards: CardListPage, desk: Desk) -> None:
    desk.marks.suspend(["demo/baseline"])
    cards.reload()
    cards.states.setCurrentText("suspended")
    assert shown(cards) == ["baseline"]
    cards.states.setCurrentIndex(0)
    cards.tags.setCurrentText("decode")
    cards.studies.setCurrentText("The runtime ladder")
    assert shown(cards) == ["bandwidth", "paging", "baseline"]
    assert cards.query == '"study:runtime-ladder" "tag:decode"'


@pytest.mark.parametrize("mouse", [False, True])
def test_several_cards_are_suspended_and_taken_back(cards: CardListPage, desk: Desk, mouse: bool) -> None:
    def act() -> None:
        if mouse:
            click(cards.suspend_button)
        else:
            press(Qt.Key.Key_At)

    assert not cards.suspend_action.isEnabled()
    select(cards, 0, 2)
    assert cards.count.text() == "3 cards, 2 selected"
    act()
    assert desk.marks.hidden() == Hidden(0, 2)
    assert desk.undo_label() == "Suspend 2 cards"
    assert cards.suspend_button.text() == "Unsuspend"
    assert len(cards.table.chosen()) == 2
    act()
    assert desk.marks.hidden() == Hidden(0, 0)
    press(Qt.Key.Key_Z, CTRL)
    assert cards.count.text() == "Undid Unsuspend 2 cards"
    assert desk.marks.hidden() == Hidden(0, 2)
    press(Qt.Key.Key_Z, CTRL | Qt.KeyboardModifier.ShiftModifier)
    assert desk.marks.hidden() == Hidden(0, 0)


def test_bury_and_flag_by_key(cards: CardListPage, desk: Desk) -> None:
    select(cards, 1)
    press(Qt.Key.Key_Minus)
    press(Qt.Key.Key_4, CTRL)
    assert desk.marks.of("demo/paging").flag == 4
    assert desk.marks.hidden() == Hidden(1, 0)
    press(Qt.Key.Key_4, CTRL)
    press(Qt.Key.Key_Minus)
    assert desk.marks.of("demo/paging") == Mark()


def test_a_card_opens_in_the_drill_by_enter_and_by_double_click(cards: CardListPage, qtbot: QtBot) -> None:
    select(cards, 2)
    with qtbot.waitSignal(cards.go) as gone:
        press(Qt.Key.Key_Return)
    assert gone.args == ["card:baseline"]
    with qtbot.waitSignal(cards.go) as gone:
        click(next(button for button, action in cards._buttons.items() if action is cards.open_action))
    assert gone.args == ["card:baseline"]


def test_what_is_selected_or_shown_can_be_crammed(cards: CardListPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(cards.crammed) as asked:
        press(Qt.Key.Key_Return, CTRL | Qt.KeyboardModifier.ShiftModifier)
    assert asked.args == [["demo/bandwidth", "demo/paging", "demo/baseline"], "all cards"]
    select(cards, 0, 1)
    with qtbot.waitSignal(cards.crammed) as asked:
        cards.cram_action.trigger()
    assert asked.args
    assert asked.args[0] == ["demo/bandwidth", "demo/paging"]


def test_a_card_is_edited_and_its_history_shown(cards: CardListPage, desk: Desk, qtbot: QtBot) -> None:
    select(cards, 0)
    press(Qt.Key.Key_E)
    editor = cards.dialog
    assert isinstance(editor, CardEditor)
    editor.fields["question"].setPlainText("Mine?")
    editor.accept()
    assert cards.table.cards.data(cards.table.cards.index(0, 0)) == "Mine?"
    cards.show_history()
    assert isinstance(cards.dialog, CardHistory)
    assert cards.dialog.summary.text() == "New: not answered yet."
    cards.dialog.reject()
