"""A table of words to read: one selects lines, edits nothing, and leaves it with Tab."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem


class WordTable(QTableWidget):
    """`columns` are the words above the columns; how wide they are is for the owner to say."""

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        super().__init__(0, len(columns))
        self.setAccessibleName(name)
        self.setHorizontalHeaderLabels(list(columns))
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)

    def show_lines(self, lines: Sequence[Sequence[str]]) -> None:
        """Show these lines in place of any others; what is too long for its column is whole in its tip."""
        self.setRowCount(len(lines))
        for row, words in enumerate(lines):
            for column, text in enumerate(words):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.setItem(row, column, item)

    def cell(self, row: int, column: int) -> QTableWidgetItem:
        """Return the item of a line that is shown."""
        item = self.item(row, column)
        assert item is not None
        return item
