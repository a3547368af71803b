"""The launches of a step as a table, each with a bar: how much of what its programs move had to be moved."""

from __future__ import annotations

from math import prod

from ladder_engine.tracing.events import KernelsRan
from ladder_engine.tracing.kernel_trace import KernelCalls, KernelLaunch
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ladder_desktop.live.canvas import blend
from ladder_desktop.live.lens_words import grid_words, launch_words, short_time, size_words
from ladder_desktop.live.text_table import LEFT, Column, TextTable
from ladder_desktop.theme import Theme

BAR = 7
COLUMNS = (
    Column("Kernel", "What is launched; of several kernels of one operation, in order", 184, LEFT),
    Column("On", "The shapes that the operation is called on", 0, LEFT),
    Column("Calls", "Equal calls in this step, most of them one a layer", 44),
    Column("Grid", "The launch grid", 84),
    Column("Programs", "How many programs that is", 72),
    Column("Moves", "Bytes that the programs of one call load and store, by their grid", 78),
    Column("Floor", "Bytes that one call must move, by the kernel's own formula", 78),
    Column("Floor : moves", "The whole bar is what moves, the filled part is the floor", 112, LEFT),
    Column("Time", "Measured, all calls together", 82),
)

Index = QModelIndex | QPersistentModelIndex


class LaunchTable(TextTable):
    """One row a launch. Emits `described` with a sentence on the row that a person picks."""

    described = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Kernel launches of the step", COLUMNS, parent)
        self.launches: list[tuple[KernelCalls, KernelLaunch, bool]] = []
        self.setItemDelegateForColumn(BAR, _Bar(theme, self))
        self.picked.connect(self._describe)

    def show_kernels(self, ran: KernelsRan | None) -> None:
        """Draw the launches of a step; None empties the table."""
        self.launches = [
            (calls, launch, place == 0)
            for calls in (ran.calls if ran else ())
            for place, launch in enumerate(calls.launches)
        ]
        words = [launch_words(*row) for row in self.launches]
        rows = [_cells(*row) for row in self.launches]
        self.show_rows(rows, [None] * len(rows), {0: words, 1: words, BAR: words})

    def _describe(self, row: int) -> None:
        self.described.emit(launch_words(*self.launches[row]))


def _cells(calls: KernelCalls, launch: KernelLaunch, first: bool) -> tuple[str, ...]:
    moved = launch.moved_bytes
    return (
        ("draft: " if calls.role == "draft" else "") + launch.kernel,
        calls.shape,
        str(calls.count),
        grid_words(launch.grid),
        f"{prod(launch.grid):,}" if launch.grid else "–",
        "?" if moved is None else size_words(moved),
        size_words(launch.floor_bytes),
        "" if moved is None else f"{launch.floor_bytes / max(1, moved):.0%}",
        short_time(calls.seconds) if first else "",
    )


class _Bar(QStyledItemDelegate):
    """Draws the share of the floor in what moved; hatched is what moved more than once."""

    def __init__(self, theme: Theme, table: LaunchTable) -> None:
        super().__init__(table)
        self._theme, self._table = theme, table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if index.row() >= len(self._table.launches):
            return
        launch = self._table.launches[index.row()][1]
        if launch.moved_bytes is None:
            return
        rect = QRectF(option.rect).adjusted(50, 5, -6, -5)
        share = min(1.0, launch.floor_bytes / max(1, launch.moved_bytes))
        filled = QRectF(rect.left(), rect.top(), rect.width() * share, rect.height())
        rest = QRectF(filled.right(), rect.top(), rect.width() - filled.width(), rect.height())
        colour, ground = self._theme.colour("kv_owned"), self._theme.colour("surface")
        painter.save()
        painter.fillRect(filled, colour)
        painter.fillRect(rest, blend(self._theme.colour("warn"), ground, 0.25))
        painter.setClipRect(rest)
        painter.setPen(QPen(self._theme.colour("warn"), 1))
        for x in range(int(rest.left()) - int(rest.height()), int(rest.right()) + 1, 5):
            painter.drawLine(x, int(rest.bottom()), x + int(rest.height()), int(rest.top()))
        painter.setClipping(False)
        painter.setPen(QPen(self._theme.colour("edge"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)
        painter.restore()
