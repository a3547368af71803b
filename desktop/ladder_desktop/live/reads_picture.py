"""Which blocks each program of paged attention reads for one request: a row a program, a column a block.

A cell is filled as high as the program reads slots of the block. A block that programs of other requests read too has
the colour of shared KV and a notch. The rows stand for one KV head; the other heads read the same positions.
"""

from __future__ import annotations

from ladder_engine.tracing.kernel_trace import AttentionReads, ProgramReads
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.canvas import blend
from ladder_desktop.live.lens_words import program_words, slots_read
from ladder_desktop.theme import Theme

HEAD, SIDE, TEXT = 20, 88, 10  # room for the names of columns and rows, and their text, at 100 %
WIDEST, TALLEST, LEAST = 30, 24, 5  # of a cell


class ReadsPicture(QWidget):
    """Emits `described` with a sentence on the cell under the cursor, and `pointed` with its block id."""

    described = Signal(str)
    pointed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._head, self._side = round(HEAD * theme.scale), round(SIDE * theme.scale)
        self.programs: list[ProgramReads] = []
        self.cursor_cell: tuple[int, int] | None = None  # program, place in the block_table
        self.marked: int | None = None  # a block that another view points at
        self._reads: AttentionReads | None = None
        self._row, self._name, self._block_size = 0, "", 1
        self._shared: frozenset[int] = frozenset()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Blocks that each program of paged attention reads")

    def show_reads(self, reads: AttentionReads | None, row: int, name: str, block_size: int) -> None:
        """Draw what the launch reads for the sequence in this row; None empties the picture."""
        if (reads, row) == (self._reads, self._row):
            return
        self._reads, self._row, self._name, self._block_size = reads, row, name, block_size
        self.programs = [one for one in reads.programs if one.row == row] if reads else []
        others = (other.block_ids for at, other in enumerate(reads.rows) if at != row) if reads else ()
        self._shared = frozenset(block_id for ids in others for block_id in ids)
        if self.cursor_cell and not self._inside(*self.cursor_cell):
            self.cursor_cell = None
        self.setMinimumSize(self.minimumSizeHint())
        self.updateGeometry()
        self._describe()
        self.update()

    def mark(self, block_id: int | None) -> None:
        """Frame the column of a block; None frames none."""
        if block_id != self.marked:
            self.marked = block_id
            self.update()

    @property
    def block_ids(self) -> tuple[int, ...]:
        """The columns."""
        return self._reads.rows[self._row].block_ids if self._reads else ()

    def minimumSizeHint(self) -> QSize:
        """Qt: as small as cells can be."""
        return QSize(
            self._side + LEAST * len(self.block_ids), self._head + LEAST * max(1, len(self.programs))
        )

    def sizeHint(self) -> QSize:
        """Qt: all cells at their largest."""
        return QSize(
            self._side + WIDEST * len(self.block_ids), self._head + TALLEST * max(1, len(self.programs))
        )

    def cell_rect(self, program: int, place: int) -> QRectF:
        """Where a cell is drawn."""
        wide, tall = self._cell()
        return QRectF(self._side + place * wide, self._head + program * tall, wide - 1, tall - 1)

    def words(self, program: int, place: int) -> str:
        """What a cell says."""
        if self._reads is None:
            return ""
        one, (_, heads, splits) = self.programs[program], self._reads.grid
        said = program_words(one, self._reads.rows[self._row], self._name, heads, splits)
        slots = slots_read(one, place, self._block_size)
        block_id = self.block_ids[place]
        shared = ", read for others too" if block_id in self._shared else ""
        read = f"{slots} of {self._block_size} slots read" if slots else "not read"
        return f"Block {block_id}, block_table[{place}]{shared}: {read}; {said}"

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: names, cells, cursor."""
        painter = QPainter(self)
        self._paint_names(painter)
        wide, tall = self._cell()
        for number, program in enumerate(self.programs):
            for place, block_id in enumerate(self.block_ids):
                rect = self.cell_rect(number, place)
                painter.fillRect(rect, self.theme.colour("kv_free"))
                if slots := slots_read(program, place, self._block_size):
                    filled = rect.height() * slots / self._block_size
                    mark = self._colour(block_id)
                    painter.fillRect(rect, blend(mark, self.theme.colour("kv_free"), 0.25))
                    painter.fillRect(rect.adjusted(0, rect.height() - filled, 0, 0), mark)
                    if block_id in self._shared:
                        side = max(2.0, min(wide, tall) / 5)
                        notch = QRectF(rect.right() - side, rect.top(), side, side)
                        painter.fillRect(notch, self.theme.colour("text"))
        if self.marked in self.block_ids and self.programs:
            place = self.block_ids.index(self.marked)
            column = self.cell_rect(0, place).united(self.cell_rect(len(self.programs) - 1, place))
            painter.setPen(QPen(self.theme.colour("accent"), 1.5))
            painter.drawRect(column)
        if self.cursor_cell is not None:
            painter.setPen(QPen(self.theme.colour("text"), 2))
            painter.drawRect(self.cell_rect(*self.cursor_cell).adjusted(1, 1, -1, -1))

    def _paint_names(self, painter: QPainter) -> None:
        painter.setPen(self.theme.colour("muted"))
        font = painter.font()
        font.setPixelSize(round(TEXT * self.theme.scale))
        painter.setFont(font)
        wide, tall = self._cell()
        middle = Qt.AlignmentFlag.AlignCenter
        painter.drawText(
            QRectF(0, 0, self._side - 6, self._head), Qt.AlignmentFlag.AlignRight | middle, "program \\ block"
        )
        needed = painter.fontMetrics().horizontalAdvance("0000")
        every = max(1, -(-needed // int(wide)))
        for place in range(0, len(self.block_ids), every):
            rect = QRectF(self._side + place * wide, 0, wide * every, self._head)
            painter.drawText(
                rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, str(self.block_ids[place])
            )
        if tall < painter.fontMetrics().height() - 2:
            return
        splits = self._reads.grid[2] if self._reads else 1
        for number, program in enumerate(self.programs):
            name = f"{program.query_program}" + (f" split {program.split}" if splits > 1 else "")
            rect = QRectF(0, self._head + number * tall, self._side - 6, tall)
            painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)

    def _colour(self, block_id: int) -> QColor:
        if block_id in self._shared:
            return self.theme.colour("kv_shared")
        return self.theme.owner(self._reads.rows[self._row].seq_id if self._reads else 0)

    def _cell(self) -> tuple[float, float]:
        columns, rows = max(1, len(self.block_ids)), max(1, len(self.programs))
        wide = min(WIDEST, max(LEAST, (self.width() - self._side) / columns))
        return wide, min(TALLEST, max(LEAST, (self.height() - self._head) / rows))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt: describe the cell under the mouse."""
        wide, tall = self._cell()
        point = event.position()
        self._point(int((point.y() - self._head) // tall), int((point.x() - self._side) // wide))

    def leaveEvent(self, _event: QEvent) -> None:
        """Qt: describe nothing, unless the keyboard is at work here."""
        if not self.hasFocus():
            self._point(-1, -1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: arrows move over the cells."""
        moves = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        if event.key() not in moves or not self.programs:
            super().keyPressEvent(event)
            return
        down, right = moves[Qt.Key(event.key())]
        program, place = self.cursor_cell or (-down, -right)
        if self._inside(program + down, place + right):
            self._point(program + down, place + right)

    def _inside(self, program: int, place: int) -> bool:
        return 0 <= program < len(self.programs) and 0 <= place < len(self.block_ids)

    def _point(self, program: int, place: int) -> None:
        cell = (program, place) if self._inside(program, place) else None
        if cell != self.cursor_cell:
            self.cursor_cell = cell
            self._describe()
            self.update()

    def _describe(self) -> None:
        words = self.words(*self.cursor_cell) if self.cursor_cell else ""
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)
            if self.cursor_cell:
                self.pointed.emit(self.block_ids[self.cursor_cell[1]])
            self.described.emit(words)  # last, for whatever is pointed at describes itself
