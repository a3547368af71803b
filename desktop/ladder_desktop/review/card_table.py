"""The cards of a pack as a table: question, study, state, when it is due, lapses and marks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTableView

from ladder_desktop.lessons.cloze_html import blanked
from ladder_desktop.review.marks_line import FLAG_ROLES, mark_words
from ladder_desktop.review.wording import when
from ladder_desktop.study import due_instant
from ladder_desktop.study.catalogue import Entry
from ladder_desktop.theme import Theme

Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("Question", "Study", "State", "Due", "Lapses", "Marks")
LETTERS = (30, 18, 11, 14, 10, 14)  # across each column; the first takes what is left, if it is more
MARKS = COLUMNS.index("Marks")
LAPSES = COLUMNS.index("Lapses")


class CardModel(QAbstractTableModel):
    """Entries of the catalogue as Qt wants them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.entries: list[Entry] = []
        self._rows: list[tuple[str, ...]] = []

    def show_entries(self, entries: Sequence[Entry], now: datetime, zone: tzinfo) -> None:
        """Take over other cards."""
        self.beginResetModel()
        self.entries = list(entries)
        self._rows = [_cells(entry, now, zone) for entry in entries]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Qt: how many rows."""
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Qt: how many columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Qt: a cell; aloud with its column's name."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = index.row(), index.column()
        text = self._rows[row][column]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{COLUMNS[column]}: {text or 'none'}"
        if role == Qt.ItemDataRole.ForegroundRole and column == MARKS:
            mark = self.entries[row].state.mark
            return self._theme.colour("bad" if mark.leech else FLAG_ROLES[mark.flag])
        if role == Qt.ItemDataRole.TextAlignmentRole and column == LAPSES:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Qt: the columns' names."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section] if section < len(COLUMNS) else None
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation == Qt.Orientation.Horizontal:
            side = Qt.AlignmentFlag.AlignRight if section == LAPSES else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


class CardTable(QTableView):
    """Several rows can be selected. `opened` is emitted for Enter and for a double click."""

    opened = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.cards = CardModel(theme)
        self.cards.setParent(self)
        self.setModel(self.cards)
        self.setAccessibleName("Cards")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(max(28, round(self.fontMetrics().height() * 1.6)))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        for column, letters in enumerate(LETTERS):
            self.setColumnWidth(column, letters * self.fontMetrics().averageCharWidth())
        self.doubleClicked.connect(self._open)

    def chosen(self) -> list[Entry]:
        """Return the selected cards, from top to bottom."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self.cards.entries[row] for row in rows]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the question what the other columns leave."""
        super().resizeEvent(event)
        others = sum(self.columnWidth(column) for column in range(1, len(LETTERS)))
        least = LETTERS[0] * self.fontMetrics().averageCharWidth()
        self.setColumnWidth(0, max(least, self.viewport().width() - others))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def _open(self, _index: QModelIndex) -> None:
        self.opened.emit()


def _cells(entry: Entry, now: datetime, zone: tzinfo) -> tuple[str, ...]:
    memory = entry.state.memory
    words = [word for word, _ in mark_words(entry.state.mark, entry.today)]
    if entry.note:
        words.append("✎ note")
    if entry.edited:
        words.append("✎ own words")
    return (
        " ".join(blanked(entry.card).split()),
        entry.study.title,
        memory.phase if memory else "new",
        when(due_instant(memory, zone), now, zone) if memory else "",
        str(memory.lapses) if memory else "",
        "  ".join(words),
    )
