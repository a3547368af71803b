"""The batch timeline: one row a request, one column a step, the token budget of each step beneath.

Prefill is a bar as tall as its share of the token budget, decode a dot, waiting a thin line; a preemption is a cross, the
end of an answer an upright stroke. Of a draft, what was accepted stands upon the dot, and what was rejected hangs from it.
What lies after the playhead is pale.
"""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QLine, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPolygon,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from ladder_desktop.live.batch_measures import BatchMeasures
from ladder_desktop.live.batch_names import BatchNames
from ladder_desktop.live.batch_picture import BatchPicture
from ladder_desktop.live.batch_strip import BatchStrip, Rows
from ladder_desktop.live.duet import Side
from ladder_desktop.live.player import Player
from ladder_desktop.live.words import step_words
from ladder_desktop.theme import Theme

AHEAD = 6  # columns kept free to the right of a playhead that is followed


class Timeline(QAbstractScrollArea):
    """Emits `selected` (a sequence id or None), `sought` (a step) and `described` (a sentence on the cell under the mouse)."""

    selected = Signal(object)
    sought = Signal(int)
    described = Signal(str)

    def __init__(
        self, theme: Theme, player: Player | Side, least_rows: int = 2, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.theme = theme
        self.player: Player | Side = player
        self.sizes = BatchMeasures().scaled(theme.scale)
        self.num_steps = 0
        self._strip = BatchStrip()
        self._picture: BatchPicture | None = None  # the same as long as it may be, for it keeps its shapes
        self._names: tuple[BatchNames, Rows, int, QImage] | None = None
        self.selection: int | None = None
        self.marks: Collection[int] = ()
        self.following = True
        self._ring = False
        self._num_rows = 0
        self._budget = 1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.horizontalScrollBar().setSingleStep(1)
        self.horizontalScrollBar().actionTriggered.connect(self._stop_following)
        for bar, name in ((self.horizontalScrollBar(), "Steps"), (self.verticalScrollBar(), "Requests")):
            bar.setAccessibleName(f"{name} of the timeline")
            bar.valueChanged.connect(self.viewport().update)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Batch timeline")
        bar_height = self.horizontalScrollBar().sizeHint().height()
        self.setMinimumHeight(self.sizes.ruler + least_rows * self.sizes.row + self.sizes.budget + bar_height)

    def sizeHint(self) -> QSize:
        """Qt: a dozen rows and a hundred steps."""
        return QSize(900, self.sizes.ruler + 12 * self.sizes.row + self.sizes.budget + 12)

    def refresh(self) -> None:
        """Draw the player's run and playhead; only what has changed is made anew."""
        edge = self.player.edge
        self.num_steps, self._num_rows = len(edge.steps), len(edge.sequences)
        self._budget = edge.config.max_num_batched_tokens if edge.config else 1
        self._set_ranges()
        if self.following:
            first = self.horizontalScrollBar().value()
            target = self.player.position - self._visible_columns() + AHEAD
            if first < target or first >= self.player.position:
                self.horizontalScrollBar().setValue(max(0, target))
        self.viewport().update()

    def clear(self) -> None:
        """Forget the run."""
        self.num_steps = 0
        self._strip, self._names = BatchStrip(), None
        self._num_rows = 0
        self.following = True
        self.viewport().update()

    def select(self, seq_id: int | None) -> None:
        """Light one row."""
        self.selection = seq_id
        self.viewport().update()

    def follow(self) -> None:
        """Keep the playhead in sight from now on."""
        self.following = True
        self.refresh()

    def cell_at(self, point: QPoint) -> tuple[int | None, int | None]:
        """Return the sequence and the step under a point of the viewport, each None where there is none."""
        row = (point.y() - self.sizes.ruler) // self.sizes.row + self.verticalScrollBar().value()
        in_rows = self.sizes.ruler <= point.y() < self._budget_top() and row < self._num_rows
        step = (point.x() - self.sizes.names) // self.sizes.column + self.horizontalScrollBar().value() + 1
        in_steps = point.x() >= self.sizes.names and 1 <= step <= self.num_steps
        return (row if in_rows else None), (step if in_steps else None)

    def _visible_columns(self) -> int:
        return max(1, (self.viewport().width() - self.sizes.names) // self.sizes.column)

    def _visible_rows(self) -> int:
        return max(1, (self._budget_top() - self.sizes.ruler) // self.sizes.row)

    def _budget_top(self) -> int:
        return self.viewport().height() - self.sizes.budget

    def _set_ranges(self) -> None:
        steps = max(0, self.num_steps + AHEAD - self._visible_columns())
        self.horizontalScrollBar().setRange(0, steps)
        self.horizontalScrollBar().setPageStep(self._visible_columns())
        self.verticalScrollBar().setRange(0, max(0, self._num_rows - self._visible_rows()))
        self.verticalScrollBar().setPageStep(self._visible_rows())

    def _stop_following(self) -> None:
        self.following = False

    def _rows(self) -> Rows:
        first = self.verticalScrollBar().value()
        return Rows(first, self._visible_rows(), self.selection, self._budget)

    def _paint_pictures(self, painter: QPainter, rows: Rows) -> None:
        """The cells of the steps in sight, and the bars of the budget beneath."""
        ratio = self.devicePixelRatioF()
        width, height, bar_height = (
            round(size * ratio)
            for size in (self.sizes.column, self.sizes.row, self.sizes.budget - self.sizes.gap)
        )
        picture = BatchPicture(self.theme, width, height, bar_height, max(1, round(ratio)))
        if picture != self._picture:
            self._picture = picture
        first, count = self.horizontalScrollBar().value(), self._visible_columns()
        canvases = self._strip.show(self._picture, rows, self.player.edge.steps, first, count)
        left, columns = (first - self._strip.origin) * width, min(count, self.num_steps - first)
        for canvas, top in zip(
            canvases, (self.sizes.ruler, self._budget_top() + self.sizes.gap), strict=True
        ):
            image = canvas.image(ratio)
            painter.drawImage(
                QPointF(self.sizes.names, top), image, QRectF(left, 0, columns * width, image.height())
            )

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: bring the pictures up to date and copy them; then ruler and playhead over them."""
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), self.theme.colour("surface"))
        if not self._num_rows:
            painter.setPen(self.theme.colour("faint"))
            painter.drawText(
                self.viewport().rect(),
                Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
                "Run the scenario: its requests appear here, one row each, and its steps, one column each.",
            )
            self._paint_ring(painter)
            return
        font = QFont(self.font())
        font.setPixelSize(self.sizes.text)
        painter.setFont(font)
        rows = self._rows()
        self._paint_names(painter, rows)
        self._paint_pictures(painter, rows)
        self._paint_ruler(painter)
        self._paint_marks(painter)
        self._paint_playhead(painter)
        self._paint_ring(painter)

    def _paint_ring(self, painter: QPainter) -> None:
        if self._ring:
            painter.setPen(self.theme.colour("accent"))
            painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))

    def _paint_names(self, painter: QPainter, rows: Rows) -> None:
        size, ratio = QSize(self.sizes.names, self.viewport().height()), self.devicePixelRatioF()
        names = BatchNames(
            self.theme, painter.font(), size, ratio, self.sizes, self._budget_top() + self.sizes.gap
        )
        count = min(rows.count, self._num_rows - rows.first)
        if self._names is None or self._names[:3] != (names, rows, count):
            sequences = self.player.edge.sequences
            known = [sequences[seq_id] for seq_id in range(rows.first, rows.first + count)]
            self._names = names, rows, count, names.paint(rows, known)
        painter.drawImage(0, 0, self._names[3])

    def _paint_ruler(self, painter: QPainter) -> None:
        first, metrics = self.horizontalScrollBar().value(), painter.fontMetrics()
        steps = [step for step in range(first + 1, first + self._visible_columns() + 1) if step % 10 == 0]
        xs = [self.sizes.names + (step - first) * self.sizes.column - 1 for step in steps]
        painter.setPen(self.theme.colour("line"))
        painter.drawLines([QLine(x, self.sizes.ruler - 4, x, self.sizes.ruler - 1) for x in xs])
        painter.setPen(self.theme.colour("faint"))
        for x, words in zip(xs, map(str, steps), strict=True):
            painter.drawText(
                x + 4 - metrics.horizontalAdvance(words), self.sizes.ruler - 4 - metrics.descent(), words
            )

    def _paint_marks(self, painter: QPainter) -> None:
        """A flag in the ruler at each step that is marked."""
        first = self.horizontalScrollBar().value()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour("warn"))
        for step in self.marks:
            x = self.sizes.names + (step - first) * self.sizes.column
            if self.sizes.names < x <= self.viewport().width():
                painter.drawPolygon(QPolygon([QPoint(x, 0), QPoint(x - self.sizes.column, 4), QPoint(x, 8)]))
                painter.fillRect(x - 1, 0, 1, self.sizes.ruler, self.theme.colour("warn"))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_playhead(self, painter: QPainter) -> None:
        first = self.horizontalScrollBar().value()
        x = self.sizes.names + (self.player.position - first) * self.sizes.column
        if x < self.sizes.names:
            x = self.sizes.names
        veil = QColor(self.theme.colour("surface"))
        veil.setAlphaF(0.66)
        end = min(self.sizes.names + (self.num_steps - first) * self.sizes.column, self.viewport().width())
        painter.fillRect(
            QRect(x, self.sizes.ruler, max(0, end - x), self.viewport().height() - self.sizes.ruler), veil
        )
        if self.player.position >= first:
            painter.fillRect(
                x - 1,
                self.sizes.ruler - 4,
                2,
                self.viewport().height() - self.sizes.ruler + 4,
                self.theme.colour("accent"),
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: more or fewer columns."""
        super().resizeEvent(event)
        self._set_ranges()
        self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt: who came by keyboard sees where the keyboard is."""
        super().focusInEvent(event)
        self._ring = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Qt: no ring without the keyboard."""
        super().focusOutEvent(event)
        self._ring = False
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: a name or a row selects its request, the ruler and the budget seek."""
        seq_id, step = self.cell_at(event.position().toPoint())
        if seq_id is not None:
            self.selected.emit(None if seq_id == self.selection else seq_id)
        elif step is not None:
            self.sought.emit(step)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: it is ours, as the press was."""
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt: describe the cell; with the button held on the ruler, scrub."""
        seq_id, step = self.cell_at(event.position().toPoint())
        if event.buttons() & Qt.MouseButton.LeftButton and seq_id is None and step is not None:
            self.sought.emit(step)
        self.described.emit("" if step is None else step_words(self.player.edge, step, seq_id))

    def leaveEvent(self, _event: QEvent) -> None:
        """Qt: describe nothing."""
        self.described.emit("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: up and down select the next request, left and right move the playhead, Home and End go to its ends."""
        last = self._num_rows - 1
        at = self.selection
        places = {
            Qt.Key.Key_Left: self.player.position - 1,
            Qt.Key.Key_Right: self.player.position + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self.player.last,
        }
        if event.key() in places:
            self.sought.emit(places[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_Down and last >= 0:
            self.selected.emit(0 if at is None else min(at + 1, last))
        elif event.key() == Qt.Key.Key_Up and last >= 0:
            self.selected.emit(last if at is None else max(at - 1, 0))
        else:
            super().keyPressEvent(event)
