"""A small table that is as wide as its page and as high as its lines."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from ladder_desktop.word_table import WordTable

ROW_HEIGHT = 34


class LineTable(WordTable):
    """The first column takes the room.

    Where lines can be opened, `chosen` carries the number of one that was, by Enter or a double click.
    """

    chosen = Signal(int)

    def __init__(self, name: str, columns: Sequence[str], *, opens: bool = False) -> None:
        super().__init__(name, columns)
        self.verticalHeader().setDefaultSectionSize(max(ROW_HEIGHT, round(1.6 * self.fontMetrics().height())))
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.SingleSelection if opens else mode.NoSelection)
        self.setWordWrap(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.cellDoubleClicked.connect(self._choose)

    def show_lines(self, lines: Sequence[Sequence[str]]) -> None:
        """Show these lines in place of any others, the first one selected."""
        super().show_lines(lines)
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
