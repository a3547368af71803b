"""The few dialogs: a fault in one sentence, and the shortcut sheet. Dialogs never block the event loop."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QMessageBox,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.actions import keys_text, name_of


def show_fault(parent: QWidget | None, sentence: str) -> QMessageBox:
    """Say what went wrong and what to do, in one sentence. Returns the open box."""
    return _show(parent, QMessageBox.Icon.Warning, sentence)


def show_notice(parent: QWidget | None, sentence: str) -> QMessageBox:
    """Say that something was done. Returns the open box."""
    return _show(parent, QMessageBox.Icon.Information, sentence)


def _show(parent: QWidget | None, icon: QMessageBox.Icon, sentence: str) -> QMessageBox:
    box = QMessageBox(icon, "Runtime Ladder", sentence, QMessageBox.StandardButton.Ok, parent)
    box.setTextFormat(Qt.TextFormat.PlainText)  # the sentence may quote a file made by somebody else
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
    return box


class ShortcutSheet(QDialog):
    """Every action with its key, from the same actions that fill the menus."""

    def __init__(self, parent: QWidget, actions: Sequence[QAction]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rows = [(action, keys) for action in actions if (keys := keys_text(action))]
        table = QTableWidget(len(rows), 2)
        table.setAccessibleName("Keyboard shortcuts")
        table.setHorizontalHeaderLabels(["Action", "Keys"])
        table.verticalHeader().hide()
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        for row, (action, keys) in enumerate(rows):
            table.setItem(row, 0, QTableWidgetItem(name_of(action)))
            table.setItem(row, 1, QTableWidgetItem(keys))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(table)
        layout.addWidget(buttons)
        self.resize(520, 560)
