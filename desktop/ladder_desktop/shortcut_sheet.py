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
        self.line.textChanged.connect(self._narrow)
        self.table = action_table([action for action in actions if action.shortcuts()])
        self.table.setAccessibleName("Keyboard shortcuts")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.line)
        layout.addWidget(self.table)
        layout.addWidget(buttons)
        self.resize(620, 600)

    def _narrow(self, text: str) -> None:
        narrow(self.table, text)


def action_table(actions: Sequence[QAction]) -> QTableWidget:
    """Return a table of where, what and which keys; column 0 of a row holds the action's id as user data."""
    table = QTableWidget(len(actions), len(COLUMNS))
    table.setHorizontalHeaderLabels(list(COLUMNS))
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
    table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
    header = table.horizontalHeader()
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
    header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
    header.setHighlightSections(False)
    for row, action in enumerate(actions):
        texts = (group_of(action.objectName()), name_of(action), keys_text(action))
        for column, text in enumerate(texts):
            table.setItem(row, column, QTableWidgetItem(text))
        table.item(row, 0).setData(Qt.ItemDataRole.UserRole, action.objectName())
    return table


def narrow(table: QTableWidget, text: str) -> None:
    """Hide the rows that do not hold every word of a text."""
    words = text.casefold().split()
    for row in range(table.rowCount()):
        whole = " ".join(table.item(row, column).text() for column in range(len(COLUMNS))).casefold()
        table.setRowHidden(row, not all(word in whole for word in words))
