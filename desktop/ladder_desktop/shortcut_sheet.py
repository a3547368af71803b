"""The shortcut sheet: every action that concerns a person where they are, with its keys; a few letters narrow it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.actions import group_of, keys_text, name_of
from ladder_desktop.dialogs import give_room
from ladder_desktop.word_table import WordTable

COLUMNS = ("Where", "Action", "Keys")


class ShortcutSheet(QDialog):
    """A table of actions that have keys, in the order given, from the same actions that fill the menus."""

    def __init__(self, parent: QWidget, actions: Sequence[QAction]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.line = QLineEdit()
        self.line.setPlaceholderText("Narrow the list")
        self.line.setAccessibleName("Narrow the list of shortcuts")
        self.table = ActionTable([action for action in actions if action.shortcuts()])
        self.line.textChanged.connect(self.table.narrow)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.line)
        layout.addWidget(self.table)
        layout.addWidget(buttons)
        give_room(self, 78, 36)


class ActionTable(WordTable):
    """Where, what and which keys, one row an action."""

    def __init__(self, actions: Sequence[QAction]) -> None:
        super().__init__("Keyboard shortcuts", COLUMNS)
        self.ids = [action.objectName() for action in actions]
        self.show_lines(
            [(group_of(action.objectName()), name_of(action), keys_text(action)) for action in actions]
        )
        self.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)

    def show_keys(self, actions: Sequence[QAction]) -> None:
        """Show the keys that the same actions have now."""
        for row, action in enumerate(actions):
            self.cell(row, 2).setText(keys_text(action))

    def narrow(self, text: str) -> None:
        """Hide the rows that do not hold every word of a text."""
        words = text.casefold().split()
        for row in range(self.rowCount()):
            whole = " ".join(self.cell(row, column).text() for column in range(len(COLUMNS))).casefold()
            self.setRowHidden(row, not all(word in whole for word in words))
