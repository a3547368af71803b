"""The table twin of a chart: the same figures for a screen reader, the keyboard and the clipboard."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFrame, QHeaderView, QTableView

from .figures import Figures, written

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT, MOST_ROWS = 28, 12
LEAST_READABLE = 220
EMPTY = Figures("", (), ())


class FigureModel(QAbstractTableModel):
    """Figures as Qt wants them."""

    def __init__(self) -> None:
        super().__init__()
        self.figures = EMPTY

    def show(self, figures: Figures) -> None:
        """Take over other figures."""
        self.beginResetModel()
        self.figures = figures
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Qt: how many rows."""
        return 0 if parent.isValid() else len(self.figures.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Qt: how many columns."""
        return 0 if parent.isValid() else len(self.figures.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Qt: a cell as a person reads it, numbers to the right; aloud with its column's name."""
        if not index.isValid() or index.row() >= len(self.figures.rows):
            return None
        column = self.figures.columns[index.column()]
        text = written(self.figures.rows[index.row()][index.column()], column.kind)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{column.name}: {text}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(column.kind)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Qt: the columns' names."""
        if orientation == Qt.Orientation.Vertical or section >= len(self.figures.columns):
            return None
        column = self.figures.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.name
        return _side(column.kind) if role == Qt.ItemDataRole.TextAlignmentRole else None


class FigureTable(QTableView):
    """Emits `opened` with the target of a row that Enter or a double click chose."""

    opened = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.figures = FigureModel()
        self.figures.setParent(self)
        self.setModel(self.figures)
        self.setAccessibleName(f"{name}, as a table")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(max(ROW_HEIGHT, round(1.6 * self.fontMetrics().height())))
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setResizeContentsPrecision(MOST_ROWS)
        self.activated.connect(self._open)

    def show_figures(self, figures: Figures) -> None:
        """Show other figures."""
        self.figures.show(figures)
        self.resizeColumnsToContents()
        self._share_room()
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: the first column takes what is left."""
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Give the first column what the others leave, and never less than it can be read in; then the table scrolls."""
        if not self.figures.columnCount():
            return
        others = sum(self.columnWidth(section) for section in range(1, self.figures.columnCount()))
        readable = min(self.sizeHintForColumn(0), LEAST_READABLE)
        self.setColumnWidth(0, max(readable, self.viewport().width() - others))

    def sizeHint(self) -> QSize:
        """Qt: as high as its rows, and from twelve on it scrolls."""
        rows = min(max(1, len(self.figures.figures.rows)), MOST_ROWS)
        return QSize(
            400,
            self.horizontalHeader().sizeHint().height()
            + rows * self.verticalHeader().defaultSectionSize()
            + 16,
        )

    def minimumSizeHint(self) -> QSize:
        """Qt: does not give up height."""
        return QSize(200, self.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the selected rows, cells separated by tabs."""
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
            columns = range(self.figures.columnCount())
            lines = [
                "\t".join(str(self.figures.index(row, column).data()) for column in columns) for row in rows
            ]
            QApplication.clipboard().setText("\n".join(lines))
            return
        super().keyPressEvent(event)

    def _open(self, index: QModelIndex) -> None:
        targets = self.figures.figures.targets
        if index.row() < len(targets) and targets[index.row()]:
            self.opened.emit(targets[index.row()])


def _side(kind: str) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if kind == "text" else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
