"""The tickets of a pack in one list: what is due first, then what is new, then what is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder_content.model import Study, Ticket
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ladder_desktop.review.ticket_state import ORDER, TicketState
from ladder_desktop.theme import Theme

ROW_HEIGHT = 68
READINGS = 3
COLOURS = {"due": "warn", "learning": "warn", "new": "accent", "done": "good"}
WORDS = {"due": "Due", "learning": "Learning", "new": "New", "done": "Done"}
ENTRY = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class Entry:
    """One row."""

    item_id: str
    study: Study
    ticket: Ticket
    state: TicketState

    @property
    def line(self) -> str:
        """What stands under the title: the first readings. Tags would give the diagnosis away."""
        return "   ·   ".join(f"{metric.name} {metric.value}" for metric in self.ticket.metrics[:READINGS])

    @property
    def spoken(self) -> str:
        """The whole row, for a screen reader."""
        back = f", {self.back}" if self.back else ""
        return f"{self.ticket.title}, {WORDS[self.state.standing].lower()}{back}"

    @property
    def back(self) -> str:
        """When it comes back; empty for what is waiting now."""
        return f"back {self.state.next}" if self.state.standing in ("learning", "done") else ""


class TicketList(QListWidget):
    """Emits `opened` with an item id when a row is clicked or Enter is pressed on it."""

    opened = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("tickets")
        self.setAccessibleName("Tickets")
        self.setMouseTracking(True)
        self.setItemDelegate(TicketDelegate(theme))
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.itemClicked.connect(self._open)
        self.itemActivated.connect(self._open)

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show the rows in their order of urgency; the selection stays on its ticket, or goes to the first."""
        selected = self.current_id
        self.clear()
        for entry in sorted(entries, key=lambda entry: ORDER.index(entry.state.standing)):
            row = QListWidgetItem(entry.ticket.title)
            row.setData(ENTRY, entry)
            row.setData(Qt.ItemDataRole.AccessibleTextRole, entry.spoken)
            self.addItem(row)
            if entry.item_id == selected:
                self.setCurrentItem(row)
        if self.currentRow() < 0 and self.count():
            self.setCurrentRow(0)

    @property
    def entries(self) -> list[Entry]:
        """The rows as shown."""
        return [self.item(row).data(ENTRY) for row in range(self.count())]

    @property
    def current_id(self) -> str | None:
        """The item id of the selected row."""
        row = self.currentItem()
        return row.data(ENTRY).item_id if row else None

    def select_first(self) -> None:
        """Select the most urgent row."""
        self.setCurrentRow(0)

    def open_current(self) -> None:
        """Open the selected row."""
        if (item_id := self.current_id) is not None:
            self.opened.emit(item_id)

    def _open(self, row: QListWidgetItem) -> None:
        self.opened.emit(row.data(ENTRY).item_id)


class TicketDelegate(QStyledItemDelegate):
    """Paints a row: title over the first readings at the left, state over the next date at the right."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return one fixed row height."""
        return QSize(200, ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row."""
        entry: Entry = index.data(ENTRY)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = option.rect.adjusted(1, 4, -2, -4)
        self._paint_frame(painter, card, option.state)
        area = card.adjusted(18, 9, -18, -9)
        upper = QRect(area.left(), area.top(), area.width(), area.height() // 2)
        lower = upper.translated(0, area.height() // 2)
        right = 190
        left_part = -right - 12
        standing = entry.state.standing
        bold = QFont(option.font)
        bold.setWeight(QFont.Weight.DemiBold)
        small = QFont(option.font)
        small.setPointSizeF(option.font.pointSizeF() - 1)
        self._text(painter, upper.adjusted(0, 0, left_part, 0), entry.ticket.title, bold, "text")
        room = left_part if entry.back else 0
        self._text(painter, lower.adjusted(0, 0, room, 0), entry.line, small, "muted")
        self._text(painter, upper, WORDS[standing], bold, COLOURS[standing], right=True)
        self._text(painter, lower, entry.back, small, "muted", right=True)
        painter.restore()

    def _paint_frame(self, painter: QPainter, card: QRect, state: QStyle.StateFlag) -> None:
        selected = bool(state & QStyle.StateFlag.State_Selected)
        hover = bool(state & QStyle.StateFlag.State_MouseOver)
        painter.setBrush(self._theme.colour("surface"))
        painter.setPen(self._theme.colour("accent" if selected or hover else "line"))
        painter.drawRoundedRect(card, 9, 9)

    def _text(
        self, painter: QPainter, area: QRect, text: str, font: QFont, role: str, right: bool = False
    ) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.colour(role))
        elided = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, elided)
