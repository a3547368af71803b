"""The keys: every action with its keys, and a place to press another one. A key that is taken is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import (
    QHBoxLayout,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.actions import ActionRegistry, KeyTakenError, keys_text, name_of
from ladder_desktop.review.announce import announce
from ladder_desktop.shortcut_sheet import ActionTable


class KeysPanel(QWidget):
    """A table over the registry, and under it what can be done with the chosen action."""

    def __init__(self, registry: ActionRegistry) -> None:
        super().__init__()
        self._registry = registry
        self.line = QLineEdit()
        self.line.setPlaceholderText("Narrow the list")
        self.line.setAccessibleName("Narrow the list of actions")
        self.table = ActionTable(registry.all())
        self.line.textChanged.connect(self.table.narrow)
        self.table.setAccessibleName("Actions and their keys")
        self.table.setMinimumHeight(260)
        self.table.currentCellChanged.connect(self._chosen)
        self.name = QLabel()
        self.name.setProperty("role", "heading")
        self.press = QKeySequenceEdit()
        self.press.setMaximumSequenceLength(1)
        self.press.setAccessibleName("Press the new key")
        self.press.setClearButtonEnabled(True)
        self.use = _button("Use this key", self.use_key)
        self.add = _button("Add this key", self.add_key)
        self.none = _button("No key", self.take_keys)
        self.reset = _button("Reset", self.reset_keys)
        self.reset_all = _button("Reset all keys", self.reset_everything)
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setProperty("role", "muted")
        self._lay_out()
        self.table.setCurrentCell(0, 0)

    @property
    def action_id(self) -> str:
        """The id of the chosen action."""
        return self.table.ids[max(0, self.table.currentRow())]

    def choose(self, action_id: str) -> None:
        """Choose an action by its id."""
        self.table.setCurrentCell(self.table.ids.index(action_id), 0)

    def use_key(self) -> None:
        """Give the action the key that was pressed, and no other."""
        self._remap(self._pressed())

    def add_key(self) -> None:
        """Give the action the key that was pressed beside those it has."""
        present = [keys.toString() for keys in self._registry.find(self.action_id).shortcuts()]
        self._remap([*present, *(key for key in self._pressed() if key not in present)])

    def take_keys(self) -> None:
        """Leave the action without a key; menu and palette still reach it."""
        self._try(partial(self._registry.remap, self.action_id, []))

    def reset_keys(self) -> None:
        """Give the action the keys it comes with."""
        self._try(partial(self._registry.reset, self.action_id))

    def reset_everything(self) -> None:
        """Give every action the keys it comes with."""
        self._try(self._registry.reset_all)

    def _pressed(self) -> list[str]:
        return [text] if (text := self.press.keySequence().toString()) else []

    def _remap(self, keys: list[str]) -> None:
        if not self._pressed():
            self._say("Press a key in the field first.")
            return
        self._try(partial(self._registry.remap, self.action_id, keys))

    def _try(self, change: Callable[[], None]) -> None:
        try:
            change()
        except KeyTakenError as error:
            self._say(f"{error} Choose another, or take it from there first.")
            return
        self.press.clear()
        self.table.show_keys([self._registry.find(one) for one in self.table.ids])
        keys = keys_text(self._registry.find(self.action_id)) or "no key"
        self._say(f"{self.name.text()}: {keys}.")

    def _say(self, sentence: str) -> None:
        self.sentence.setText(sentence)
        announce(self, sentence)

    def _chosen(self) -> None:
        self.name.setText(name_of(self._registry.find(self.action_id)))
        self.press.clear()
        self.sentence.clear()

    def _lay_out(self) -> None:
        keys = QHBoxLayout()
        keys.addWidget(self.press, 1)
        for button in (self.use, self.add, self.none, self.reset):
            keys.addWidget(button)
        foot = QHBoxLayout()
        foot.addWidget(self.sentence, 1)
        foot.addWidget(self.reset_all)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.line)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.name)
        layout.addLayout(keys)
        layout.addLayout(foot)


def _button(text: str, slot: object) -> QPushButton:
    button = QPushButton(text)
    button.setAccessibleName(text)
    button.clicked.connect(slot)
    return button
