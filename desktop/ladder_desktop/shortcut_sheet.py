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
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.actions import group_of, keys_text, name_of
from ladder_desktop.dialogs import give_room

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
        self.table.setAccessibleName("Keyboard shortcuts")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.line)
        layout.addWidget(self.table)
        layout.addWidget(buttons)
        give_room(self, 78, 36)


class ActionTable(QTableWidget):
    """Where, what and which keys, one row an action."""

    def __init__(self, actions: Sequence[QAction]) -> None:
        super().__init__(len(actions), len(COLUMNS))
        self.ids = [action.objectName() for action in actions]
        self._rows = [
            [QTableWidgetItem(text) for text in (group_of(action.objectName()), name_of(action), "")]
            for action in actions
        ]
        self.setHorizontalHeaderLabels(list(COLUMNS))
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        for row, items in enumerate(self._rows):
            for column, item in enumerate(items):
                self.setItem(row, column, item)
        self.show_keys(actions)

    def show_keys(self, actions: Sequence[QAction]) -> None:
        """Show the keys that the same actions have now."""
        for items, action in zip(self._rows, actions, strict=True):
            items[2].setText(keys_text(action))

    def narrow(self, text: str) -> None:
        """Hide the rows that do not hold every word of a text."""
        words = text.casefold().split()
        for row, items in enumerate(self._rows):
            whole = " ".join(item.text() for item in items).casefold()
            self.setRowHidden(row, not all(word in whole for word in words))
