"""The rail: the pages of the window, each study with a ring of how much is learned, and what waits at the right.

In a narrow window it folds to a column of rings and letters; the names are then in the tips.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

WIDE, WIDEST, FOLDED = 244, 310, 62
LETTERS = 30
ROW, GAP = 38, 14
RING = 24
KEY = Qt.ItemDataRole.UserRole
MARK = Qt.ItemDataRole.UserRole + 1


class Mark(msgspec.Struct, frozen=True):
    """What a line of the rail shows. `short` stands in the ring or alone when the rail is folded."""

    label: str
    short: str
    first: bool = False
    """Whether a gap stands before the line."""
    share: float | None = None
    """How much is learned, 0 to 1; None for a page without a ring."""
    due: int = 0
    spoken: str = ""
    """What a screen reader says beside the label."""


class Rail(QListWidget):
    """The list of pages. A row's key is `key_of`; `show_mark` changes what it shows."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setAccessibleName("Pages")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(RailPainter(self))
        self.folded = False
        self.fold(False)

    def fill(self, lines: Sequence[tuple[str, Mark]]) -> None:
        """Show these lines instead: each a key and a mark. No signal is sent."""
        self.blockSignals(True)
        self.clear()
        for key, mark in lines:
            item = QListWidgetItem()
            item.setData(KEY, key)
            self.addItem(item)
            self._dress(item, mark)
        self.blockSignals(False)

    def fold(self, folded: bool) -> None:
        """Fold to a column of rings, or show the names again."""
        self.folded = folded
        never, as_needed = Qt.ScrollBarPolicy.ScrollBarAlwaysOff, Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(never if folded else as_needed)
        wide = max(WIDE, round(LETTERS * self.fontMetrics().averageCharWidth()))
        self.setFixedWidth(FOLDED if folded else min(wide, WIDEST))  # another width paints every line anew

    def key_of(self, item: QListWidgetItem) -> str:
        """Return the key of the page a line leads to."""
        return str(item.data(KEY))

    def choose(self, key: str) -> None:
        """Mark the line of a page without going there."""
        self.blockSignals(True)
        self.setCurrentItem(self._find(key))
        self.blockSignals(False)

    def mark(self, key: str) -> Mark:
        """Return what the line of a page shows."""
        found: Mark = self._find(key).data(MARK)
        return found

    def show_due(self, key: str, due: int) -> None:
        """Say how much waits on a page."""
        self._dress(
            self._find(key),
            msgspec.structs.replace(self.mark(key), due=due, spoken=f"{due} waiting" if due else ""),
        )

    def show_progress(self, key: str, learned: int, total: int, due: int) -> None:
        """Say how much of a study is learned, and how much of it is due."""
        share = learned / total if total else 0.0
        spoken = f"{learned} of {total} learned, {due} due"
        self._dress(
            self._find(key), msgspec.structs.replace(self.mark(key), share=share, due=due, spoken=spoken)
        )

    def _find(self, key: str) -> QListWidgetItem:
        return next(item for row in range(self.count()) if (item := self.item(row)).data(KEY) == key)

    def _dress(self, item: QListWidgetItem, mark: Mark) -> None:
        said = f"{mark.label}, {mark.spoken}" if mark.spoken else mark.label
        item.setData(MARK, mark)
        item.setToolTip(said)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
        item.setSizeHint(QSize(0, ROW + (GAP if mark.first else 0)))


class RailPainter(QStyledItemDelegate):
    """Paints a Mark: ring, label, and what waits."""

    def __init__(self, rail: Rail) -> None:
        super().__init__(rail)
        self._rail = rail

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one line in the colours of the list's palette."""
        mark: Mark = index.data(MARK)
        area = option.rect.adjusted(0, GAP if mark.first else 0, 0, 0).adjusted(2, 1, -2, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _ground(painter, area, option)
        lead = QRect(area.left() + (area.width() - RING) // 2, 0, RING, RING)
        if not self._rail.folded:
            lead.moveLeft(area.left() + 10)
        lead.moveTop(area.top() + (area.height() - RING) // 2)
        if mark.share is not None:
            _ring(painter, lead, mark.share, option.palette)
        if mark.share is not None or self._rail.folded:
            _text(painter, lead.adjusted(-6, 0, 6, 0), mark.short, option, Qt.AlignmentFlag.AlignCenter, 0.85)
        if not self._rail.folded:
            _label(painter, area, mark, option)
        elif mark.due:
            _dot(painter, lead, option.palette)
        painter.restore()


def _ground(painter: QPainter, area: QRect, option: QStyleOptionViewItem) -> None:
    state = option.state
    chosen = bool(state & QStyle.StateFlag.State_Selected)
    if chosen or state & QStyle.StateFlag.State_MouseOver:
        painter.setPen(Qt.PenStyle.NoPen)
        role = QPalette.ColorRole.Midlight if chosen else QPalette.ColorRole.Window
        painter.setBrush(option.palette.color(role))
        painter.drawRoundedRect(area, 7, 7)
    if chosen and state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(QPen(option.palette.color(QPalette.ColorRole.Link), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(area).adjusted(1, 1, -1, -1), 7, 7)


def _ring(painter: QPainter, place: QRect, share: float, palette: QPalette) -> None:
    """A thin circle, and over it from the top, clockwise, a thick arc for what is learned."""
    circle = QRectF(place).adjusted(1.5, 1.5, -1.5, -1.5)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1.5))
    painter.drawEllipse(circle)
    painter.setPen(QPen(palette.color(QPalette.ColorRole.Link), 3))
    painter.drawArc(circle, 90 * 16, -round(share * 360 * 16))


def _label(painter: QPainter, area: QRect, mark: Mark, option: QStyleOptionViewItem) -> None:
    left = area.left() + (10 if mark.share is None else 10 + RING + 9)
    waits = f"{mark.due}" if mark.due else ""
    width = option.fontMetrics.horizontalAdvance(waits)
    room = QRect(left, area.top(), area.right() - 12 - left, area.height())
    if waits:
        _text(painter, room, waits, option, Qt.AlignmentFlag.AlignRight, 0.95, faint=True)
        room.setRight(room.right() - width - 10)
    _text(painter, room, mark.label, option, Qt.AlignmentFlag.AlignLeft, 1.0)


def _dot(painter: QPainter, lead: QRect, palette: QPalette) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(palette.color(QPalette.ColorRole.Link))
    painter.drawEllipse(QRect(lead.right() - 1, lead.top() - 3, 7, 7))


def _text(
    painter: QPainter,
    room: QRect,
    text: str,
    option: QStyleOptionViewItem,
    side: Qt.AlignmentFlag,
    size: float,
    *,
    faint: bool = False,
) -> None:
    font = QFont(option.font)
    font.setPointSizeF(font.pointSizeF() * size)
    painter.setFont(font)
    role = QPalette.ColorRole.PlaceholderText if faint else QPalette.ColorRole.Text
    painter.setPen(option.palette.color(role))
    short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, short)
