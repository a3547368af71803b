"""The block pool as a grid of cells, painted by block_picture.py. The place of a block never changes."""

from __future__ import annotations

import numpy as np
from ladder_engine.tracing.state import FREE, RunState
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ladder_desktop.live.block_picture import NUMBERED_FROM, BlockPicture, Cells
from ladder_desktop.live.block_words import block_words
from ladder_desktop.theme import Theme

ROUND = 8  # rows of a round number of blocks are easy to count
MAX_HEIGHT, WIDEST = 56, 1.7  # of a cell, in logical pixels, and its width as a multiple of that


class BlockGrid(QWidget):
    """One cell a block. Emits `selected` with a sequence id, or None; for the block under the cursor `pointed` with its id,
    or None, and `described` with a sentence; `zoomed` when a person wants to see its slots.
    """

    selected = Signal(object)
    described = Signal(str)
    pointed = Signal(object)
    zoomed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.state = RunState()
        self.selection: int | None = None
        self.cursor_block: int | None = None
        self._picture: BlockPicture | None = None
        self._cells = Cells(ROUND, 2, 2, 1, 1.0)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("KV blocks")

    def sizeHint(self) -> QSize:
        """Qt: room for a few hundred blocks."""
        return QSize(480, 360)

    def minimumSizeHint(self) -> QSize:
        """Qt: still legible."""
        return QSize(200, 120)

    def show_state(self, state: RunState) -> None:
        """Draw this state; a hovered block is described anew."""
        if state is self.state:
            return
        if len(state.block_owner) != len(self.state.block_owner):
            self.cursor_block = None
            self.state = state
            self._arrange()
        self.state = state
        self.update()
        self._describe()

    def select(self, seq_id: int | None) -> None:
        """Light the blocks of one sequence; None lights all."""
        if seq_id != self.selection:
            self.selection = seq_id
            self.update()

    def point(self, block_id: int | None) -> None:
        """Put the cursor on a block; None takes it away."""
        if block_id != self.cursor_block:
            self.cursor_block = block_id
            self._describe()
            self.update()
            self.pointed.emit(block_id)

    def block_at(self, point: QPointF) -> int | None:
        """Return the block under a point of the widget."""
        cell = self._cell
        column, row = int(point.x() // cell.width()), int(point.y() // cell.height())
        block_id = row * self._cells.columns + column
        inside = 0 <= column < self._cells.columns and row >= 0 and block_id < len(self.state.block_owner)
        return block_id if inside else None

    def cell_rect(self, block_id: int) -> QRectF:
        """Return where a block is drawn, in logical pixels, without its gap."""
        return self._cells.rect(block_id)

    @property
    def _cell(self) -> QSizeF:
        return QSizeF(self._cells.width, self._cells.height) / self._cells.ratio

    def _arrange(self) -> None:
        """Choose the number of columns that gives the largest cells; places depend on the widget's size alone."""
        ratio = self.devicePixelRatioF()
        count = max(1, len(self.state.block_owner))
        width, height = int(self.width() * ratio), int(self.height() * ratio)
        columns = np.arange(ROUND, max(count, ROUND) + ROUND, ROUND)
        heights = np.minimum(height // -(-count // columns), round(MAX_HEIGHT * ratio))
        widths = np.minimum(width // columns, np.rint(heights * WIDEST).astype(int))
        best = np.argmax(np.minimum(widths, heights))
        tall, wide = max(int(heights[best]), 2), max(int(widths[best]), 2)
        gap = max(1, round((3 if tall >= NUMBERED_FROM * ratio else 1) * ratio))
        self._cells = Cells(int(columns[best]), tall, wide, gap, ratio)
        self._picture = None

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: bring the picture up to date, and copy it."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.colour("surface"))
        if not self.state.block_owner:
            painter.setPen(self.theme.colour("faint"))
            painter.drawText(
                self.rect(),
                Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
                "Run the scenario: its KV blocks appear here.",
            )
            if self.hasFocus():
                painter.setPen(self.theme.colour("accent"))
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            return
        if self._cells.ratio != self.devicePixelRatioF():  # moved to another screen
            self._arrange()
        if self._picture is None:
            self._picture = BlockPicture(self.theme, self._cells, self.font())
        painter.drawImage(0, 0, self._picture.show(self.state, self.selection))
        if self.cursor_block is not None:
            focus = "accent" if self.hasFocus() else "text"
            painter.setPen(QPen(self.theme.colour(focus), 2))
            painter.drawRect(self.cell_rect(self.cursor_block).adjusted(1, 1, -1, -1))

    def changeEvent(self, event: QEvent) -> None:
        """Qt: the numbers are written in the widget's font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._picture = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: choose the cell size anew."""
        super().resizeEvent(event)
        self._arrange()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt: describe the block under the mouse."""
        self.point(self.block_at(event.position()))

    def leaveEvent(self, _event: QEvent) -> None:
        """Qt: describe nothing, unless the keyboard is at work here."""
        if not self.hasFocus():
            self.point(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: select the owner of the block."""
        block_id = self.block_at(event.position())
        self.point(block_id)
        self._select_owner(block_id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Qt: look into the block; the first of the two clicks has selected its owner."""
        self.point(self.block_at(event.position()))
        if self.cursor_block is not None:
            self.zoomed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: arrows move over the blocks, Enter selects the owner."""
        moves = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self._cells.columns,
            Qt.Key.Key_Down: self._cells.columns,
        }
        if event.key() in moves and self.state.block_owner:
            at = -1 if self.cursor_block is None else self.cursor_block
            target = at + moves[Qt.Key(event.key())] if at >= 0 else 0
            if 0 <= target < len(self.state.block_owner):
                self.point(target)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._select_owner(self.cursor_block)
        else:
            super().keyPressEvent(event)

    def _select_owner(self, block_id: int | None) -> None:
        owner = FREE if block_id is None else self.state.block_owner[block_id]
        self.selected.emit(None if owner in (FREE, self.selection) else owner)

    def _describe(self) -> None:
        words = "" if self.cursor_block is None else block_words(self.state, self.cursor_block)
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)
            self.described.emit(words)
