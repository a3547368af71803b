"""The registry: every action has an id, words and keys; keys can be changed, and no two actions fight over one."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from ladder_desktop.actions import (
    ActionRegistry,
    KeyTakenError,
    explain,
    make_action,
    name_of,
    overlap,
    why_not,
)
from ladder_desktop.app import Application
from ladder_desktop.key_table import key_table
from ladder_desktop.preferences import Preferences
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget
from pytestqt.qtbot import QtBot

ROOT = Path(__file__).resolve().parents[2]


class House:
    """A window with two pages, the first with two actions that take turns with Space."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.window = QMainWindow()
        qtbot.addWidget(self.window)
        self.stack = QStackedWidget()
        self.window.setCentralWidget(self.stack)
        self.one, self.two = QWidget(), QWidget()
        for page in (self.one, self.two):
            page.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self.stack.addWidget(page)
        self.done: list[str] = []
        self.preferences = Preferences.open(folder)
        self.registry = ActionRegistry(self.preferences)
        self.quit = self.make(self.window, "window.quit", "Ctrl+Q")
        self.show = self.make(self.one, "one.show", "Space", "Return")
        self.rate = self.make(self.one, "one.rate", "Space")
        self.undo = self.make(self.one, "one.undo", "Ctrl+Z")
        self.other = self.make(self.two, "two.undo", "Ctrl+Z")
        explain(self.rate, "Show the answer first.")
        self.registry.take([self.quit, self.show, self.rate, self.undo, self.other])
        self.window.show()
        self.one.setFocus()

    def make(self, parent: QWidget, action_id: str, *keys: str) -> QAction:
        return make_action(parent, action_id, f"&Do {action_id}", lambda: self.done.append(action_id), keys)


@pytest.fixture
def house(qtbot: QtBot, tmp_path: Path) -> House:
    return House(qtbot, tmp_path)


def test_a_key_reaches_the_action_of_the_page_in_sight(house: House, qtbot: QtBot) -> None:
    qtbot.keyClick(house.one, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(house.one, Qt.Key.Key_Space)
    house.stack.setCurrentWidget(house.two)
    house.two.setFocus()
    qtbot.keyClick(house.two, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert house.done == ["one.undo", "one.show", "two.undo"]


def test_an_action_says_why_it_cannot_be_used(house: House) -> None:
    assert why_not(house.show) == ""
    assert why_not(house.rate) == "Show the answer first."
    assert "another page" in why_not(house.other)
    explain(house.rate, "")
    assert why_not(house.rate) == ""


def test_a_key_that_was_changed_works_at_once_and_after_a_restart(house: House, qtbot: QtBot) -> None:
    house.registry.remap("one.undo", ["U"])
    qtbot.keyClick(house.one, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert house.done == []
    qtbot.keyClick(house.one, Qt.Key.Key_U)
    assert house.done == ["one.undo"]
    later = ActionRegistry(house.preferences)
    fresh = house.make(house.one, "one.undo", "Ctrl+Z")
    later.take([fresh])
    assert [keys.toString() for keys in fresh.shortcuts()] == ["U"]
    assert later.default_keys("one.undo") == ["Ctrl+Z"]
    later.reset("one.undo")
    assert [keys.toString() for keys in fresh.shortcuts()] == ["Ctrl+Z"]
    assert house.preferences.keys == {}


@pytest.mark.parametrize(
    ("action", "key", "holder"),
    [
        ("one.undo", "Ctrl+Q", "window.quit"),  # what works everywhere works here too
        ("window.quit", "Ctrl+Z", "one.undo"),
        ("one.undo", "Space", "one.show"),
        ("two.undo", "Space", None),  # another page's
        ("one.rate", "Return", None),  # they take turns
        ("one.undo", "Ctrl+Z", None),  # its own
        ("one.undo", "F7", None),
    ],
)
def test_a_key_that_is_taken_is_refused_by_name(
    house: House, action: str, key: str, holder: str | None
) -> None:
    found = house.registry.holder(key, action)
    assert (found.objectName() if found else None) == holder
    if holder is not None:
        before = house.registry.find(action).shortcuts()
        with pytest.raises(KeyTakenError, match=f"“Do {holder}”"):
            house.registry.remap(action, [key])
        assert house.registry.find(action).shortcuts() == before


def test_all_keys_can_be_set_back(house: House) -> None:
    house.registry.remap("one.undo", ["U"])
    house.registry.remap("one.show", [])
    assert house.show.shortcuts() == []
    house.registry.reset_all()
    assert [keys.toString() for keys in house.show.shortcuts()] == ["Space", "Return"]


def test_an_action_that_is_gone_is_forgotten(house: House, qtbot: QtBot) -> None:
    house.two.deleteLater()
    qtbot.waitUntil(lambda: "two.undo" not in {one.objectName() for one in house.registry.all()})
    with pytest.raises(KeyError):
        house.registry.find("two.undo")


def test_an_action_without_an_id_is_refused(house: House) -> None:
    with pytest.raises(ValueError, match="Nameless"):
        house.registry.take([QAction("Nameless", house.window)])


def test_an_ampersand_in_a_name_stays() -> None:
    assert name_of(QAction("Show &Q&&A…")) == "Show Q&A…"


def test_the_documentation_names_every_action_and_no_two_fight(application: Application) -> None:
    application.window.build_all()
    registry = application.registry
    assert (ROOT / "docs" / "keys.md").read_text("utf-8") == key_table(registry), "make keys"
    shared = {
        (one.objectName(), other.objectName())
        for one, other in combinations(registry.all(), 2)
        if overlap(one, other)
        and set(registry.default_keys(one.objectName())) & set(registry.default_keys(other.objectName()))
    }
    assert {pair for pair in shared if not takes_turns(*pair)} == set()


def takes_turns(one: str, other: str) -> bool:
    """Pairs that are never enabled together; the tests of their pages hold them to it."""
    page, first = one.split(".")
    second = other.split(".")[1]
    answers = {"again", "hard", "good", "easy", "accept", "edit", "fact"}
    if {one, other} == {"interview.begin", "interview.next"}:
        return True
    asks = {"reveal", "open", *(f"option-{letter}" for letter in "abcdefgh")}
    return other.startswith(f"{page}.") and bool({first, second} & answers and {first, second} & asks)
