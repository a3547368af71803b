"""A delegate for lists and tables whose texts wrap, since Qt's own measures them without their padding and cuts them."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QListWidget, QStyle, QStyledItemDelegate, QStyleOptionViewItem

ACROSS, DOWN = 10, 7  # the padding of an item, as the style sheet sets it


class WrappedItem(QStyledItemDelegate):
    """Gives every item the height that its whole text needs."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Leave out the frame around the current item: the selection shows where one is."""
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the room of the wrapped text within the width of the list, or of the table's column."""
        view = option.widget
        width = view.viewport().width() if isinstance(view, QListWidget) else option.rect.width()
        inner = width - 2 * ACROSS - 6  # the style keeps a focus margin of three pixels on each side
        metrics = QFontMetrics(index.data(Qt.ItemDataRole.FontRole) or option.font)
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        needed = metrics.boundingRect(QRect(0, 0, inner, 100_000), int(Qt.TextFlag.TextWordWrap), text)
        return QSize(width, needed.height() + 2 * DOWN + 2)


def wrap_items(view: QListWidget) -> None:
    """Let a list wrap its texts and lay itself out again when its width changes."""
    view.setWordWrap(True)
    view.setTextElideMode(Qt.TextElideMode.ElideNone)
    view.setResizeMode(QListWidget.ResizeMode.Adjust)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
    view.setItemDelegate(WrappedItem(view))
