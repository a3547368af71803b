"""One block from near: its slots, with the token whose KV stands in each, and the block_table it is part of."""

from __future__ import annotations

from ladder_engine.tracing.state import FREE, RunState
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ladder_desktop.live.block_words import holder, visible
from ladder_desktop.live.canvas import blend
from ladder_desktop.live.words import readable_on, steady_font
from ladder_desktop.theme import Theme

HEAD, SLOT, LEAST, TEXT = (
    18,
    24,
    46,
    11,
)  # heights of the head and of a slot, least width of a slot, size of text
ROWS = 4  # at most
HINT = "Point at a block, or walk over the blocks with the arrows: its slots appear here."


class Slots(QWidget):
    """Emits `described` with a sentence on the slot under the mouse, and `changed` when other things stand in the block."""

    described = Signal(str)
    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._head_high, self._high, self._least, self._text = (
            round(size * theme.scale) for size in (HEAD, SLOT, LEAST, TEXT)
        )
        self.state = RunState()
        self.block_id: int | None = None
        self.texts: list[str] = []
        self._stored = 0
        self.first = 0
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Slots of the block under the cursor")

    def sizeHint(self) -> QSize:
        """Qt: the head, and as many rows as the slots take at this width."""
        return QSize(200, self._head_high + self._high * self._rows())

    def point(self, block_id: int | None) -> None:
        """Look into another block; None keeps the last one."""
        if block_id is not None:
            self.block_id = block_id
            if block_id < len(self.state.block_owner):
                self._read()

    def show_state(self, state: RunState) -> None:
        """Draw the block as it is in this state."""
        if self.block_id is not None and self.block_id >= len(state.block_owner):
            self.block_id = None
        size = self.state.config.block_size if self.state.config else 0
        self.state = state
        if state.config and state.config.block_size != size:
            self.updateGeometry()
        self._read()

    def slot_at(self, point: QPoint) -> int | None:
        """The slot under a point of the widget."""
        columns = self._columns()
        column, row = point.x() * columns // max(1, self.width()), (point.y() - self._head_high) // self._high
        slot = row * columns + column
        return (
            slot
            if point.y() >= self._head_high and 0 <= column < columns and slot < self.size_of_block
            else None
        )

    def slot_words(self, slot: int) -> str:
        """Say what stands in a slot."""
        if self.block_id is None or slot >= len(self.texts):
            return f"Slot {slot}: empty"
        what = f"token {self.first + slot} of the sequence, “{self.texts[slot]}”"
        return f"Slot {slot}: {what}" + (
            "" if slot < self._stored else f", whose KV is {self.kv_words(slot)}"
        )

    def kv_words(self, slot: int) -> str:
        """Say whether the KV of a slot's token stands there."""
        return "computed" if slot < self._stored else "not computed yet"

    def _read(self) -> None:
        """Find out what stands in the block."""
        held = None if self.block_id is None else holder(self.state, self.block_id)
        self.texts, self._stored, self.first = [], 0, 0
        if held is not None:
            sequence, position = held
            size = self.size_of_block
            self.first = position * size
            self.texts = sequence.token_texts(self.first, self.first + size)
            kept = self.block_id in self.state.cached
            self._stored = size if kept else sequence.tokens_in_block(position, size)
        self.setAccessibleDescription(self.head + ": " + visible("|".join(self.texts)))
        self.update()
        self.changed.emit()

    @property
    def head(self) -> str:
        """Whose block it is, and where in the block_table it stands."""
        if self.block_id is None:
            return HINT
        held = holder(self.state, self.block_id)
        if held is None:
            return f"Block {self.block_id}: free"
        sequence, position = held
        if self.state.block_owner[self.block_id] == FREE:
            return f"Block {self.block_id}: cached, was block_table[{position}] of {sequence.name}"
        table = [f"[{block}]" if block == self.block_id else str(block) for block in sequence.block_table]
        around = table[max(0, position - 4) : position + 5]
        dots = "… " * (position > 4), " …" * (position + 5 < len(table))
        return f"block_table of {sequence.name}: {dots[0]}{' '.join(around)}{dots[1]}"

    @property
    def size_of_block(self) -> int:
        """How many slots a block has."""
        return self.state.config.block_size if self.state.config else 16

    def _columns(self) -> int:
        """As many as fit, in full halves or quarters of the block where it can be cut so; at most ROWS rows."""
        size, fit = self.size_of_block, max(1, self.width() // self._least)
        even = next((size // parts for parts in (1, 2, 4) if size // parts <= fit and size % parts == 0), fit)
        return max(even, -(-size // ROWS))

    def _rows(self) -> int:
        return -(-self.size_of_block // self._columns())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: the head, then the slots."""
        painter = QPainter(self)
        font = steady_font(QFont(self.font()))
        font.setPixelSize(self._text)
        painter.setFont(font)
        painter.setPen(self.theme.colour("muted"))
        painter.drawText(QRect(0, 0, self.width(), self._head_high), Qt.AlignmentFlag.AlignVCenter, self.head)
        if self.block_id is not None:
            for slot in range(self.size_of_block):
                self._paint_slot(painter, slot)

    def _paint_slot(self, painter: QPainter, slot: int) -> None:
        columns, theme = self._columns(), self.theme
        row, column = divmod(slot, columns)
        left, right = column * self.width() // columns, (column + 1) * self.width() // columns
        box = QRect(left, self._head_high + row * self._high, right - left - 2, self._high - 2)
        owners = self.state.owners(self.block_id) if self.block_id is not None else ()
        role = "kv_shared" if len(owners) > 1 else "kv_cached"
        full = theme.owner(owners[0]) if len(owners) == 1 else theme.colour(role)
        known, stored = slot < len(self.texts), slot < self._stored
        ground = (
            full
            if stored
            else blend(full, theme.colour("surface"), 0.3)
            if owners
            else theme.colour("kv_free")
        )
        painter.fillRect(box, ground)
        if known:
            painter.setPen(readable_on(ground, theme))
            text = painter.fontMetrics().elidedText(
                visible(self.texts[slot]), Qt.TextElideMode.ElideRight, box.width() - 6
            )
            painter.drawText(box.adjusted(3, 0, -3, 0), Qt.AlignmentFlag.AlignVCenter, text)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt: say what stands in the slot."""
        slot = self.slot_at(event.position().toPoint())
        self.described.emit("" if slot is None or self.block_id is None else self.slot_words(slot))

    def leaveEvent(self, _event: QEvent) -> None:
        """Qt: say nothing."""
        self.described.emit("")
