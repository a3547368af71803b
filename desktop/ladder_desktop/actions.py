"""Actions, and the one registry of them behind menus, palette, shortcut sheet, key settings, documentation and tests.

An action is a QAction whose object name is its stable id, `<page>.<verb>`, such as `drill.bury`. Pages make theirs with
`make_action`; the window takes them into the registry, which gives them the keys a person has chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import shiboken6
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QWidget

from ladder_desktop.preferences import Preferences

Key = str | QKeySequence | QKeySequence.StandardKey

_DEFAULT = "defaultKeys"
_WHY = "whyNot"
_NATIVE = QKeySequence.SequenceFormat.NativeText
_PORTABLE = QKeySequence.SequenceFormat.PortableText
_GROUPS = {"window": "Everywhere", "lesson": "Lessons", "maps": "Maps of a lesson", "live": "Live lab"}


def make_action(
    parent: QObject,
    action_id: str,
    text: str,
    slot: Callable[..., object],
    keys: Sequence[Key] = (),
    *,
    repeats: bool = True,
) -> QAction:
    """Return an action with its id, words and keys.

    In a widget its keys work wherever the focus is inside that widget, otherwise in the whole window. With `repeats`
    off a key held down counts once.
    """
    action = QAction(text, parent)
    action.setObjectName(action_id)
    action.setShortcuts([QKeySequence(key) for key in keys])
    action.setAutoRepeat(repeats)
    action.triggered.connect(slot)
    if isinstance(parent, QWidget):
        if not isinstance(parent, QMainWindow):
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        parent.addAction(action)
    return action


def explain(action: QAction, sentence: str) -> None:
    """Enable an action, or with a sentence disable it: the palette and its tip then say why."""
    action.setEnabled(not sentence)
    action.setProperty(_WHY, sentence)


def why_not(action: QAction) -> str:
    """Return why an action cannot be used now, in one sentence; empty if it can."""
    if not is_in_sight(action):
        return "It belongs to another page or tab."
    if not action.isEnabled():
        return str(action.property(_WHY) or "There is nothing to use it on now.")
    return ""


def is_in_sight(action: QAction) -> bool:
    """Whether the part of the window an action belongs to is on screen: its page, and its tab."""
    where = action.parent()
    return not isinstance(where, QWidget) or where.isVisibleTo(where.window())


def name_of(action: QAction) -> str:
    """Return the words of an action without the mark of its mnemonic."""
    return action.text().replace("&&", "\0").replace("&", "").replace("\0", "&")


def keys_text(action: QAction) -> str:
    """Return the keys of an action as a person reads them: `Ctrl+Z`, `Space, Enter`."""
    return ", ".join(keys.toString(_NATIVE) for keys in action.shortcuts())


def group_of(action_id: str) -> str:
    """Return the heading under which an action stands in the sheet, the settings and the documentation."""
    prefix = action_id.partition(".")[0]
    return _GROUPS.get(prefix, prefix.capitalize())


class KeyTakenError(Exception):
    """The key belongs to another action; the message says to which."""


class ActionRegistry(QObject):
    """Every action the window and its pages have shown so far. A page that comes more than once shares its ids."""

    def __init__(self, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._actions: dict[str, list[QAction]] = {}

    def take(self, actions: Iterable[QAction]) -> None:
        """Take actions in and give them their keys; ValueError for one without an id."""
        for action in actions:
            if "." not in action.objectName():
                raise ValueError(f"the action {action.text()} has no id such as page.verb")
            same = self._living(action.objectName())
            if action not in same:
                action.setProperty(_DEFAULT, [keys.toString(_PORTABLE) for keys in action.shortcuts()])
                self._actions[action.objectName()] = [*same, action]
                self._dress(action)

    def all(self) -> list[QAction]:
        """Return one action for each id, in the order in which they were taken in."""
        return [same[-1] for action_id in self._actions if (same := self._living(action_id))]

    def find(self, action_id: str) -> QAction:
        """Return the action of this id, the one on screen if the page comes more than once; KeyError if there is none."""
        same = self._living(action_id)
        if not same:
            raise KeyError(action_id)
        return next((action for action in same if not why_not(action)), same[-1])

    def default_keys(self, action_id: str) -> list[str]:
        """Return the keys an action comes with, in portable text."""
        return list(self.find(action_id).property(_DEFAULT) or [])

    def remap(self, action_id: str, keys: Sequence[str]) -> None:
        """Give an action these keys instead, at once and from now on; KeyTakenError if one of them belongs to another."""
        for key in keys:
            if (other := self.holder(key, action_id)) is not None:
                raise KeyTakenError(f"{QKeySequence(key).toString(_NATIVE)} belongs to “{name_of(other)}”.")
        chosen = dict(self._preferences.keys)
        if list(keys) == self.default_keys(action_id):
            chosen.pop(action_id, None)
        else:
            chosen[action_id] = list(keys)
        self._store(chosen)

    def reset(self, action_id: str) -> None:
        """Give an action the keys it comes with; KeyTakenError if another has got one of them meanwhile."""
        self.remap(action_id, self.default_keys(action_id))

    def reset_all(self) -> None:
        """Give every action the keys it comes with."""
        self._store({})

    def holder(self, key: str, action_id: str) -> QAction | None:
        """Return the action that has this key where `action_id` would use it too; None if the key is free.

        Actions that come with the same key take turns, as showing an answer and rating it do, and do not collide.
        """
        wanted = QKeySequence(key)
        for other_id in self._actions:
            if other_id == action_id or set(self.default_keys(other_id)) & set(self.default_keys(action_id)):
                continue
            for other in self._living(other_id):
                if wanted in other.shortcuts() and any(
                    overlap(other, mine) for mine in self._living(action_id)
                ):
                    return other
        return None

    def _store(self, chosen: dict[str, list[str]]) -> None:
        self._preferences.keys = chosen
        for action_id in self._actions:
            for action in self._living(action_id):
                self._dress(action)

    def _dress(self, action: QAction) -> None:
        chosen = self._preferences.keys.get(action.objectName(), action.property(_DEFAULT) or [])
        action.setShortcuts([QKeySequence(key) for key in chosen])

    def _living(self, action_id: str) -> list[QAction]:
        return [action for action in self._actions.get(action_id, []) if shiboken6.isValid(action)]


def overlap(one: QAction, other: QAction) -> bool:
    """Whether there is a place where the keys of both would work."""
    here, there = one.parent(), other.parent()
    if not (_is_local(one) and _is_local(other)):
        return True
    if not (isinstance(here, QWidget) and isinstance(there, QWidget)):
        return True
    return here is there or here.isAncestorOf(there) or there.isAncestorOf(here)


def _is_local(action: QAction) -> bool:
    return action.shortcutContext() == Qt.ShortcutContext.WidgetWithChildrenShortcut
