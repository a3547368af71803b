"""A table of texts that changes many times a second: only what changed is drawn anew, the selection stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ladder_engine.tracing.lru import Lru
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter, QResizeEvent, QStaticText
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ladder_desktop.live.words import steady_font
from ladder_desktop.theme import Theme

Index = QModelIndex | QPersistentModelIndex
Rows = Sequence[tuple[str, ...]]
Hints = Mapping[int, Sequence[str]]
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


PADDING, SWATCH = 6, 14
LEAST = 90  # pixels of a column that takes what is left, at 100 %
TEXTS_KEPT = 4096


class Column:
    """A column's name, what it means, its width in pixels (0 takes what is left) and its side."""

    def __init__(self, name: str, hint: str, width: int, side: Qt.AlignmentFlag = RIGHT) -> None:
        self.name, self.hint, self.width, self.side = name, hint, width, side


class TextTableModel(QAbstractTableModel):
    """Rows of texts; `swatches` gives a sequence id for each row whose first cell shows an owner's colour."""

    def __init__(self, theme: Theme, columns: Sequence[Column], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.columns = tuple(columns)
        self.rows: Rows = []
        self.swatches: Sequence[int | None] = []
        self.hints: Hints = {}

    def show_rows(
        self, rows: Rows, swatches: Sequence[int | None], hints: Hints, seen: range | None = None
    ) -> None:
        """Take over the rows; `hints` gives, for a column, a longer text for each row.

        Rows that are there already are compared with what they were: those in `seen`, or all of them.
        """
        before, were = self.rows, self.swatches
        self.hints = hints
        grown = len(rows) - len(before)
        if grown < 0 or (grown and list(swatches[: len(before)]) != list(were)):
            self.beginResetModel()
            self.rows, self.swatches = rows, swatches
            self.endResetModel()
            return
        if grown:
            self.beginInsertRows(QModelIndex(), len(before), len(rows) - 1)
        self.rows, self.swatches = rows, swatches
        if grown:
            self.endInsertRows()
        changed: dict[int, list[int]] = {}
        for row in range(len(before)) if seen is None else seen:
            for column, (new, old) in enumerate(zip(rows[row], before[row], strict=True)):
                if new != old or (column == 0 and swatches[row] != were[row]):
                    changed.setdefault(column, []).append(row)
        for column, places in changed.items():
            self.dataChanged.emit(self.index(places[0], column), self.index(places[-1], column))

    def grow(self, rows: Rows, fresh: bool) -> None:
        """Take over more rows, which begin with those that are there already; with `fresh`, entirely other ones."""
        if fresh:
            self.beginResetModel()
        else:
            self.beginInsertRows(QModelIndex(), len(self.rows), len(rows) - 1)
        self.rows, self.swatches, self.hints = rows, [None] * len(rows), {}
        self.endResetModel() if fresh else self.endInsertRows()

    def rename(self, names: dict[int, str]) -> None:
        """Give some columns other names."""
        for section, name in names.items():
            old = self.columns[section]
            columns = list(self.columns)
            columns[section] = Column(name, old.hint, old.width, old.side)
            self.columns = tuple(columns)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, section, section)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Qt: see `rows`."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Qt: see `columns`."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Qt: the cell's text, its longer text, the swatch, the side."""
        row, column = index.row(), index.column()
        if not index.isValid() or row >= len(self.rows):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.rows[row][column]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole) and column in self.hints:
            return self.hints[column][row]
        if role == Qt.ItemDataRole.DecorationRole and column == 0:
            swatch = self.swatches[row]
            return None if swatch is None else self.theme.owner(swatch)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.columns[column].side
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Qt: the columns' names, meanings and sides."""
        if orientation == Qt.Orientation.Vertical:
            return None
        column = self.columns[section]
        values = {
            Qt.ItemDataRole.DisplayRole: column.name,
            Qt.ItemDataRole.ToolTipRole: column.hint,
            Qt.ItemDataRole.TextAlignmentRole: column.side,
        }
        return values.get(Qt.ItemDataRole(role))


class CellPainter(QStyledItemDelegate):
    """Paints a cell by itself: through a style sheet it takes five times as long, and a table is painted with every step."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._laid_out: Lru[tuple[str, int], tuple[QStaticText, float, float]] = Lru(TEXTS_KEPT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Qt: the selection's ground, the swatch, the text."""
        model, row, column = index.model(), index.row(), index.column()
        assert isinstance(model, TextTableModel)
        rect: QRect = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, model.theme.colour("selection"))
        inner = rect.adjusted(PADDING, 0, -PADDING, 0)
        swatch = model.swatches[row] if column == 0 else None
        if swatch is not None:
            box = QRect(inner.left() + 4, rect.center().y() - SWATCH // 2 + 1, SWATCH, SWATCH)
            painter.fillRect(box, model.theme.owner(swatch))
            inner.setLeft(box.right() + 2)
        painter.setPen(model.theme.colour("text"))
        text, wide, tall = self._text(model.rows[row][column], inner.width(), option)
        free = inner.width() - wide if model.columns[column].side == RIGHT else 0
        painter.drawStaticText(QPointF(inner.left() + free, inner.top() + (inner.height() - tall) / 2), text)

    def _text(self, words: str, width: int, option: QStyleOptionViewItem) -> tuple[QStaticText, float, float]:
        """The words, laid out to fit, and how wide and tall they are; numbers and states come again and again."""
        laid_out = self._laid_out.get((words, width))
        if laid_out is None:
            text = _laid_out(words, option)
            if text.size().width() > width:
                text = _laid_out(
                    option.fontMetrics.elidedText(words, Qt.TextElideMode.ElideRight, width), option
                )
            laid_out = text, text.size().width(), text.size().height()
            self._laid_out.put((words, width), laid_out)
        return laid_out


def _laid_out(words: str, option: QStyleOptionViewItem) -> QStaticText:
    text = QStaticText(words)
    text.setTextFormat(Qt.TextFormat.PlainText)
    text.prepare(font=option.font)
    return text


class TextTable(QTableView):
    """Emits `picked` with a row when a person chooses one."""

    picked = Signal(int)

    def __init__(
        self, theme: Theme, name: str, columns: Sequence[Column], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.table = TextTableModel(theme, columns, self)
        self.setModel(self.table)
        self.setItemDelegate(CellPainter(self))
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        small = steady_font(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.92)
        self.setFont(small)
        self.setStyleSheet(
            f"QTableView {{ border: 2px solid transparent; selection-background-color: {theme.hex('selection')};"
            f" selection-color: {theme.hex('text')}; }}"
            f"QTableView:focus {{ border-color: {theme.hex('accent')}; }}"
            f"QHeaderView::section {{ padding: 2px 4px; font-size: {small.pointSizeF():.1f}pt; }}"
        )
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(max(20, self.fontMetrics().height() + 3))
        header = self.horizontalHeader()
        header.setMinimumSectionSize(40)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._scale = theme.scale
        self._fit()
        self.table.headerDataChanged.connect(self._fit)
        self._quiet = False
        self.selectionModel().selectionChanged.connect(self._selection_changed)

    def show_rows(self, rows: Rows, swatches: Sequence[int | None], hints: Hints) -> None:
        """Draw these rows; the selected row stays."""
        selected, before = self.selected_row(), len(self.table.rows)
        self.table.show_rows(rows, swatches, hints, self._in_sight())
        if len(rows) != before:
            self.light(selected)

    def _in_sight(self) -> range:
        """The rows that a person sees."""
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        return range(max(first, 0), (last if last >= 0 else len(self.table.rows) - 1) + 1)

    @property
    def least_width(self) -> int:
        """Pixels in which every column has its room."""
        return sum(map(self._least, self.table.columns)) + self.verticalScrollBar().sizeHint().width() + 4

    def height_of(self, rows: int) -> int:
        """Pixels in which so many rows are seen, beneath the header and above the bar that scrolls sideways."""
        header, bar = self.horizontalHeader().sizeHint(), self.horizontalScrollBar().sizeHint()
        frame = 4  # above and below, in the colour of the focus
        return header.height() + rows * self.verticalHeader().defaultSectionSize() + bar.height() + frame

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: the columns that take what is left take more or less of it."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give each column its width; where there is not enough room for all, the table scrolls."""
        widths = list(map(self._least, self.table.columns))
        taking = [section for section, column in enumerate(self.table.columns) if not column.width]
        free = max(0, self.viewport().width() - sum(widths))
        for nth, section in enumerate(taking):
            widths[section] += free * (nth + 1) // len(taking) - free * nth // len(taking)
        for section, width in enumerate(widths):
            self.horizontalHeader().resizeSection(section, width)

    def _least(self, column: Column) -> int:
        """As wide as its name, and as its texts are at this size of text."""
        name = max(map(self.fontMetrics().horizontalAdvance, column.name.split("\n")))
        return max(round((column.width or LEAST) * self._scale), name + 2 * PADDING + 4)

    def selected_row(self) -> int | None:
        """Return the row that is lit. A row that merely has the keyboard is not."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else None

    def light(self, row: int | None) -> None:
        """Select a row, or none, without saying so."""
        self._quiet = True
        if row is None or row >= len(self.table.rows):
            self.selectionModel().clear()
        elif self.selected_row() != row:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self.table.index(row, 0), flags)
        self._quiet = False

    def _selection_changed(self) -> None:
        row = self.selected_row()
        if not self._quiet and row is not None:
            self.picked.emit(row)
