"""A small table to read: lines and columns of words, as wide as its page and as high as its lines."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

ROW_HEIGHT = 34


class WordTable(QTableWidget):
    """The first column takes the room.

    Where lines can be opened, `chosen` carries the number of one that was, by Enter or a double click.
    """

    chosen = Signal(int)

    def __init__(self, name: str, columns: Sequence[str], *, opens: bool = False) -> None:
        super().__init__(0, len(columns))
        self.setAccessibleName(name)
        self.setHorizontalHeaderLabels(list(columns))
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(max(ROW_HEIGHT, round(1.6 * self.fontMetrics().height())))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.SingleSelection if opens else mode.NoSelection)
        self.setWordWrap(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.cellDoubleClicked.connect(self._choose)

    def show_lines(self, lines: Sequence[Sequence[str]]) -> None:
        """Show these lines in place of any others, the first one selected."""
        self.setRowCount(len(lines))
        for row, words in enumerate(lines):
            for column, text in enumerate(words):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.setItem(row, column, item)
        self.setFixedHeight(
            self.horizontalHeader().sizeHint().height()
            + self.verticalHeader().defaultSectionSize() * len(lines)
            + 4
        )
        if lines:
            self.setCurrentCell(0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the selected line."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentRow() >= 0:
            self.chosen.emit(self.currentRow())
        else:
            super().keyPressEvent(event)

    def _choose(self, row: int) -> None:
        self.chosen.emit(row)
