"""How a line of the palette looks: its kind, its title, its keys at the right, and under it where it is or why not."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ladder_desktop.palette.lines import Line

LINE_ROLE = Qt.ItemDataRole.UserRole
MARGIN = 12
KIND_SHARE = 6.5  # width of the first column, in heights of the font


class LinePainter(QStyledItemDelegate):
    """Paints the Line of an item in the colours of the list's palette."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Two rows of text where there is something to say under the title, otherwise one."""
        rows = 2 if _under(index.data(LINE_ROLE)) else 1
        return QSize(0, rows * option.fontMetrics.height() + 12)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one line."""
        line: Line = index.data(LINE_ROLE)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        text, faint = _colours(option.palette, bool(line.why_not))
        painter.save()
        if chosen:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(option.palette.color(QPalette.ColorRole.Midlight))
            painter.drawRoundedRect(option.rect.adjusted(2, 1, -2, -1), 6, 6)
        height = option.fontMetrics.height()
        row = QRect(
            option.rect.left() + MARGIN, option.rect.top() + 6, option.rect.width() - 2 * MARGIN, height
        )
        column = round(KIND_SHARE * height)
        kind, rest = QRect(row), row.adjusted(column, 0, 0, 0)
        kind.setWidth(column)
        _write(painter, kind, line.kind, faint, option.font)
        keys_width = option.fontMetrics.horizontalAdvance(line.keys)
        if line.keys:
            _write(painter, rest, line.keys, faint, option.font, Qt.AlignmentFlag.AlignRight)
            rest.setRight(rest.right() - keys_width - MARGIN)
        _write(painter, rest, line.title, text, option.font)
        under = row.adjusted(column, height, 0, height)
        _write(painter, under, _under(line), faint, option.font)
        painter.restore()


def _under(line: Line) -> str:
    return line.why_not or line.detail


def _colours(palette: QPalette, disabled: bool) -> tuple[QColor, QColor]:
    faint = palette.color(QPalette.ColorRole.PlaceholderText)
    return (faint if disabled else palette.color(QPalette.ColorRole.Text)), faint


def _write(
    painter: QPainter,
    room: QRect,
    text: str,
    colour: QColor,
    font: QFont,
    side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, short)
