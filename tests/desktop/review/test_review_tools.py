"""What can be done with a card besides rating it, by key and by mouse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ladder_content.model import Option, Pack
from ladder_desktop.review.card_editor import CardEditor
from ladder_desktop.review.card_history import CardHistory
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.session_words import session_name
from ladder_desktop.study import Desk, Hidden, Mark, Rating
from msgspec import structs
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot

from .conftest import TravelClock, click, press

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
FIRST = "demo/bandwidth"


def current(drill: DrillPage) -> str:
    return drill.item.item_id.removeprefix("demo/") if drill.item else ""


def entries(menu: QMenu) -> list[QAction]:
    """Every action that the mouse reaches in a menu and its submenus."""
    found = []
    for action in menu.actions():
        submenu = action.menu()
        found += entries(submenu) if isinstance(submenu, QMenu) else [action]
    return found


def choose(drill: DrillPage, action_id: str) -> None:
    """Choose an entry of the Card menu, as the mouse does."""
    (action,) = [entry for entry in entries(drill.tools.button.menu()) if entry.objectName() == action_id]
    assert action.isEnabled(), action_id
    action.trigger()


def by_key(drill: DrillPage, action_id: str) -> None:
    keys: dict[str, tuple[Qt.Key, Qt.KeyboardModifier]] = {
        "drill.bury": (Qt.Key.Key_Minus, Qt.KeyboardModifier.NoModifier),
        "drill.suspend": (Qt.Key.Key_At, Qt.KeyboardModifier.NoModifier),
        "drill.flag-orange": (Qt.Key.Key_2, CTRL),
        "drill.undo": (Qt.Key.Key_Z, CTRL),
        "drill.redo": (Qt.Key.Key_Z, CTRL | SHIFT),
        "drill.edit": (Qt.Key.Key_E, Qt.KeyboardModifier.NoModifier),
        "drill.history": (Qt.Key.Key_I, Qt.KeyboardModifier.NoModifier),
        "drill.queue": (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier),
    }
    press(*keys[action_id])


way = pytest.mark.parametrize("act", [by_key, choose], ids=["keys", "mouse"])
Act = Callable[[DrillPage, str], None]


@way
def test_a_buried_card_makes_room_and_comes_back_by_undo(drill: DrillPage, desk: Desk, act: Act) -> None:
    act(drill, "drill.bury")
    assert current(drill) != "bandwidth"
    assert drill.toast.text == "Buried until tomorrow"
    assert desk.marks.hidden() == Hidden(1, 0)
    assert drill.marks_line.words == "1 buried"
    assert drill.undo_action.text() == "Undo Bury bandwidth"
    act(drill, "drill.undo")
    assert (current(drill), drill.toast.text) == ("bandwidth", "Undid Bury bandwidth")
    assert drill.redo_action.text() == "Redo Bury bandwidth"
    act(drill, "drill.redo")
    assert desk.marks.hidden() == Hidden(1, 0)
    assert current(drill) != "bandwidth"
    choose(drill, "drill.unbury")
    assert desk.marks.hidden() == Hidden(0, 0)


@way
def test_a_suspended_card_leaves_until_it_is_taken_back(drill: DrillPage, desk: Desk, act: Act) -> None:
    act(drill, "drill.suspend")
    assert desk.marks.of(FIRST).suspended
    assert current(drill) != "bandwidth"
    drill.show_card("bandwidth")
    assert "suspended" in drill.marks_line.words
    assert drill.tools.suspend.text() == "Unsuspend"
    act(drill, "drill.suspend")
    assert desk.marks.of(FIRST) == Mark()
    assert current(drill) == "bandwidth"


@way
def test_a_flag_is_set_seen_and_taken_away(drill: DrillPage, desk: Desk, act: Act) -> None:
    act(drill, "drill.flag-orange")
    assert desk.marks.of(FIRST) == Mark(flag=2)
    assert drill.marks_line.words == "⚑ orange"
    assert [flag.isChecked() for flag in drill.tools.flags] == [False, True, False, False]
    act(drill, "drill.flag-orange")
    assert desk.marks.of(FIRST) == Mark()
    assert drill.marks_line.words == ""


def test_an_answer_can_be_undone_and_redone_by_key(drill: DrillPage, desk: Desk) -> None:
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_4)
    press(Qt.Key.Key_Z, CTRL)
    assert (current(drill), desk.history.reviews()) == ("bandwidth", [])
    press(Qt.Key.Key_Z, CTRL | SHIFT)
    assert drill.toast.text == "Redid Easy on bandwidth"
    assert [review.rating for review in desk.history.reviews()] == [Rating.EASY]
    assert current(drill) != "bandwidth"


def test_a_leech_is_said_and_can_be_forgiven(drill: DrillPage, desk: Desk, clock: TravelClock) -> None:
    for _ in range(8):
        desk.answer(FIRST, Rating.EASY, clock.now() - clock.now())
        clock.pass_by(days=40)
        drill.show_card("bandwidth")
        drill.reveal()
        drill.rate(Rating.AGAIN)
        clock.pass_by(days=1)
    assert "leech" in drill.toast.text
    assert desk.marks.of(FIRST) == Mark(suspended=True, leech=True)
    drill.show_card("bandwidth")
    assert "leech" in drill.marks_line.words
    choose(drill, "drill.not-a-leech")
    assert desk.marks.of(FIRST) == Mark(suspended=True)


# Own words


@way
def test_a_card_is_reworded_in_place(drill: DrillPage, desk: Desk, act: Act, qtbot: QtBot) -> None:
    press(Qt.Key.Key_Space)
    act(drill, "drill.edit")
    editor = drill.tools.dialog
    assert isinstance(editor, CardEditor)
    qtbot.waitUntil(editor.isVisible)
    editor.fields["question"].setPlainText("Why, in my words?")
    editor.fields["note"].setPlainText("Ask Ada.")
    qtbot.waitUntil(editor.isActiveWindow)
    press(Qt.Key.Key_Return, CTRL)
    assert editor.isHidden()
    assert drill.card_view.accessibleName() == "Question: Why, in my words?"
    assert drill.card_view.revealed
    assert drill.card_view._note.text() == "Ask Ada."
    assert desk.undo_label() == "Note on bandwidth"
    drill.activateWindow()
    qtbot.waitUntil(drill.isActiveWindow)
    drill.focus_target().setFocus()
    press(Qt.Key.Key_Z, CTRL)
    press(Qt.Key.Key_Z, CTRL)
    assert "bandwidth-bound" in drill.card_view.accessibleName()
    assert desk.words.edits(FIRST) == []


def test_what_the_pack_says_now_stands_beside_own_words(
    desk: Desk, pack: Pack, drill: DrillPage, qtbot: QtBot
) -> None:
    desk.words.edit(FIRST, {"question": "Mine?"}, {"question": "What the pack said once?"})
    drill.show_card("bandwidth")
    drill.tools.edit_card()
    editor = drill.tools.dialog
    assert isinstance(editor, CardEditor)
    said = " ".join(label.text() for label in editor.findChildren(QLabel))
    assert "The pack has changed since. It says now: Why is decode often" in said
    editor.fields["question"].clear()
    editor.accept()
    assert editor.fault == "A card needs a question."
    click(editor.restore_button)
    editor.accept()
    assert desk.words.edits(FIRST) == []


@way
def test_the_history_says_what_was_answered(
    drill: DrillPage, desk: Desk, clock: TravelClock, act: Act, qtbot: QtBot
) -> None:
    for rating in (Rating.EASY, Rating.HARD):
        desk.answer(FIRST, rating, clock.now() - clock.now())
        clock.pass_by(days=12)
    drill.show_card("bandwidth")
    act(drill, "drill.history")
    history = drill.tools.dialog
    assert isinstance(history, CardHistory)
    qtbot.waitUntil(history.isVisible)
    rows = [
        [history.table.item(row, column).text() for column in range(3)]
        for row in range(history.table.rowCount())
    ]
    assert [row[1] for row in rows] == ["Hard", "Easy"]
    assert rows[1][2] == "new"
    assert 80 <= int(rows[0][2].rstrip("%")) < 100
    assert "2 reviews, 0 lapses" in history.summary.text()
    history.reject()


def test_a_fact_opens_its_card_as_in_the_lessons(drill: DrillPage) -> None:
    assert not drill.tools.fact.isEnabled()
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_F)
    assert drill.fact_card.isVisible()
    assert "The ridge of an H100" in drill.fact_card.text
    press(Qt.Key.Key_Escape)
    assert not drill.fact_card.isVisible()
    drill.card_view._answer.linkActivated.emit("fact:F1.09")
    assert drill.fact_card.isVisible()


# Sessions


@way
def test_cramming_leaves_the_schedule_alone(drill: DrillPage, desk: Desk, act: Act) -> None:
    choose(drill, "drill.cram-runtime-ladder")
    assert drill.session_bar.text == "Cram: The runtime ladder  ·  3 cards left"
    seen = [current(drill)]
    press(Qt.Key.Key_Space)
    assert drill.rating_bar.buttons[Rating.GOOD].interval == "done"
    press(Qt.Key.Key_1)
    for _ in range(2):
        seen.append(current(drill))
        press(Qt.Key.Key_Space)
        press(Qt.Key.Key_3)
    assert sorted(seen) == ["bandwidth", "baseline", "paging"]
    assert current(drill) == seen[0]  # it was not known
    assert desk.history.reviews() == []
    press(Qt.Key.Key_Z, CTRL)
    assert (current(drill), drill.session_bar.text[-12:]) == (seen[2], "2 cards left")
    act(drill, "drill.queue")
    assert drill.session_bar.text == ""
    assert current(drill) == "bandwidth"


def test_a_session_may_count(drill: DrillPage, desk: Desk) -> None:
    drill.cram("tag:decode")
    click(drill.session_bar.count_box)
    first = current(drill)
    drill.reveal()
    drill.rate(Rating.EASY)
    assert [review.item_id for review in desk.history.reviews()] == [f"demo/{first}"]
    drill.undo()
    assert (current(drill), desk.history.reviews()) == (first, [])
    assert drill.session
    assert drill.session.left == 3


def test_reviewing_ahead_counts(drill: DrillPage, desk: Desk, clock: TravelClock) -> None:
    desk.answer(FIRST, Rating.EASY, clock.now() - clock.now())
    clock.pass_by(days=6)
    choose(drill, "drill.ahead-7")
    assert (current(drill), drill.session_bar.text) == (
        "bandwidth",
        "Ahead: due within 7 days  ·  1 card left",
    )
    drill.reveal()
    drill.rate(Rating.GOOD)
    assert len(desk.history.reviews()) == 2
    assert drill.session is None


def test_what_is_not_there_is_a_lookup_error(drill: DrillPage) -> None:
    for query in ("tag:nothing", "is:lost", "search:zebra"):
        with pytest.raises(LookupError):
            drill.cram(query)
    with pytest.raises(LookupError):
        drill.show_card("nothing")
    assert drill.session is None


def test_more_new_cards_can_be_had_today(drill: DrillPage, desk: Desk) -> None:
    choose(drill, "drill.more-new")
    assert desk.undo_label() == "10 more new cards today"


def test_every_tool_is_in_the_menu(drill: DrillPage) -> None:
    inside = {action.objectName() for action in entries(drill.tools.button.menu())}
    rating = {"drill.reveal", "drill.accept", *(f"drill.{rating.name.lower()}" for rating in Rating)}
    outside = {action.objectName() for action in drill.page_actions()} - inside
    assert {name for name in outside if "option" not in name} == rating


def test_where_e_is_an_option_it_does_not_edit(drill: DrillPage) -> None:
    study, plain = drill._cards[FIRST]
    options = tuple(Option(text=f"Lever {place}", why="So.", correct=place == 0) for place in range(5))
    drill._cards[FIRST] = study, structs.replace(plain, kind="lever", options=options)
    drill.show_card("bandwidth")
    assert not drill.tools.edit.isEnabled()
    press(Qt.Key.Key_E)
    assert drill.card_view.revealed
    assert drill.tools.edit.isEnabled()


def test_reviewing_ahead_with_nothing_to_come_is_a_sentence(drill: DrillPage) -> None:
    before = current(drill)
    choose(drill, "drill.ahead-1")
    assert drill.session is None
    assert current(drill) == before
    assert "Nothing falls due by then." in [label.text() for label in drill.toast.findChildren(QLabel)]


def test_an_action_says_by_itself_that_it_crams_or_goes_ahead(drill: DrillPage) -> None:
    """The palette and the shortcut sheet show it without the menu around it."""
    for action in entries(drill.tools.button.menu()):
        name = action.objectName()
        assert action.text().startswith("Cram: ") == name.startswith("drill.cram-")
        assert action.text().startswith("Ahead: ") == name.startswith("drill.ahead-")


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("study:runtime-ladder", "Cram: The runtime ladder"),
        ("tag:decode", "Cram: tag decode"),
        ("is:new", "Cram: cards that are new"),
        ("ahead:1", "Ahead: due tomorrow"),
        ("search:paged cache", "Cram: paged cache"),
        ("tag:decode -is:new", "Cram: tag:decode -is:new"),
    ],
)
def test_a_session_is_named_in_words(pack: Pack, query: str, name: str) -> None:
    assert session_name(query, pack) == name
