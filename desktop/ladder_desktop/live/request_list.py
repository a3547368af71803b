"""The requests of a run as a table: who they are, where they stand, what they hold, how long they took to answer."""

from __future__ import annotations

from ladder_engine.state import RunState, SequenceState
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from ladder_desktop.live.words import seconds, status_words
from ladder_desktop.theme import Theme

Index = QModelIndex | QPersistentModelIndex

HEADERS = ("#", "Request", "State", "Prompt", "Answer", "Blocks", "TTFT", "TPOT")
WIDTHS = (52, 130, 0, 62, 62, 58, 68, 68)  # 0 takes what is left
HINTS = (
    "Number and colour, the same in all views",
    "Name of the request",
    "Where it stands, and why it waits",
    "Prompt tokens",
    "Tokens answered so far",
    "KV blocks it holds",
    "Time to first token, measured from its arrival",
    "Time per output token after the first, measured",
)
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RequestModel(QAbstractTableModel):
    """One row a sequence, in order of arrival: row = sequence id."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._rows: list[tuple[str, ...]] = []

    def show_state(self, state: RunState) -> None:
        """Take over a state; tell the view about the rows that changed, and no others."""
        rows = [_cells(sequence) for sequence in state.sequences.values()]
        if len(rows) != len(self._rows):
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        changed = [i for i, row in enumerate(rows) if row != self._rows[i]]
        self._rows = rows
        if changed:
            self.dataChanged.emit(self.index(changed[0], 2), self.index(changed[-1], len(HEADERS) - 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Qt: as many as have arrived."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Qt: see HEADERS."""
        return 0 if parent.isValid() else len(HEADERS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Qt: the cell's text, the swatch, the alignment."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._rows[row][column]
        if role == Qt.ItemDataRole.ToolTipRole and column in (1, 2):
            return self._rows[row][column]
        if role == Qt.ItemDataRole.DecorationRole and column == 0:
            return self.theme.owner(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in (0, 3, 4, 5, 6, 7) else LEFT
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Qt: the names of the columns, and what they mean."""
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return HINTS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section >= 3 else LEFT
        return None


class RequestList(QTableView):
    """Emits `selected` with a sequence id when a person picks a row."""

    selected = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = RequestModel(theme, self)
        self.setModel(self._model)
        self.setAccessibleName("Requests")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(22)
        header = self.horizontalHeader()
        header.setMinimumSectionSize(40)
        header.setHighlightSections(False)
        for column, width in enumerate(WIDTHS):
            mode = QHeaderView.ResizeMode.Fixed if width else QHeaderView.ResizeMode.Stretch
            header.setSectionResizeMode(column, mode)
            if width:
                header.resizeSection(column, width)
        self._quiet = False
        self.selectionModel().currentRowChanged.connect(self._picked)

    def show_state(self, state: RunState) -> None:
        """Draw this state; the selection stays."""
        row = self.currentIndex().row()
        before = self._model.rowCount()
        self._model.show_state(state)
        if self._model.rowCount() != before:
            self.select(row if 0 <= row < self._model.rowCount() else None)

    def select(self, seq_id: int | None) -> None:
        """Light one row without saying so."""
        self._quiet = True
        if seq_id is None or seq_id >= self._model.rowCount():
            self.selectionModel().clear()
        elif self.currentIndex().row() != seq_id or not self.selectionModel().hasSelection():
            index = self._model.index(seq_id, 0)
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(index, flags)
        self._quiet = False

    def _picked(self, current: QModelIndex) -> None:
        if not self._quiet and current.isValid():
            self.selected.emit(current.row())


def _cells(sequence: SequenceState) -> tuple[str, ...]:
    return (
        str(sequence.seq_id + 1),
        sequence.name,
        status_words(sequence),
        str(sequence.num_prompt_tokens),
        f"{sequence.num_output_tokens}/{sequence.max_tokens}",
        str(len(sequence.block_table)),
        seconds(sequence.ttft),
        seconds(sequence.tpot),
    )
