"""One of two runs side by side: its batch over its blocks, each as a picture or as a table."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from ladder_desktop.live.block_grid import BlockGrid
from ladder_desktop.live.block_list import BlockList
from ladder_desktop.live.duet import Side
from ladder_desktop.live.figures import pace_figures, pool_figures, queue_figures
from ladder_desktop.live.labels import Elided
from ladder_desktop.live.step_table import BatchTable
from ladder_desktop.live.still import Still
from ladder_desktop.live.timeline import Timeline
from ladder_desktop.live.words import steady_font
from ladder_desktop.theme import Theme

LEAST_ROWS = 6  # of a batch, so that there is something to compare


class SideView(QWidget):
    """Emits `selected` (a sequence id or None), `sought` (a step of this run) and `described` (a sentence)."""

    selected = Signal(object)
    sought = Signal(int)
    described = Signal(str)

    def __init__(self, theme: Theme, side: Side, which: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._side = side
        self.head, self.figures = Elided(), Elided()
        self.head.setProperty("role", "heading")
        self.figures.setFont(steady_font(self.figures.font()))
        self.grid, self.block_list = BlockGrid(theme), BlockList(theme)
        self.timeline, self.batch_table = Timeline(theme, side, LEAST_ROWS), BatchTable(theme, side)
        self.blocks, self.batch = QStackedWidget(), QStackedWidget()
        names = "KV blocks", "KV blocks as a table", "Batch timeline", "Batch as a table"
        views = self.grid, self.block_list, self.timeline, self.batch_table
        homes = self.blocks, self.blocks, self.batch, self.batch
        for name, view, home in zip(names, views, homes, strict=True):
            view.setAccessibleName(f"{name}, {which}")
            home.addWidget(view)
        for selecting in (self.grid, self.block_list, self.timeline):
            selecting.selected.connect(self.selected)
        for seeking in (self.timeline, self.batch_table):
            seeking.sought.connect(self.sought)
        for describing in (self.grid, self.timeline):
            describing.described.connect(self.described)
        self._lay_out()

    def take(self, side: Side) -> None:
        """Watch another run."""
        self._side = self.timeline.player = self.batch_table.player = side
        self.timeline.clear()

    def refresh(self) -> None:
        """Draw its state at the playhead."""
        state = self._side.state
        first = filter(None, (pool_figures(state), queue_figures(state)))
        self.figures.setText(f"{';  '.join(first)}\n{pace_figures(state)}")
        self.grid.show_state(state)
        if self.block_list.isVisible():
            self.block_list.show_state(state)
        self.timeline.refresh()
        if self.batch_table.isVisible():
            self.batch_table.refresh()

    def select(self, seq_id: int | None) -> None:
        """Light a request."""
        self.grid.select(seq_id)
        self.timeline.select(seq_id)

    def turn_table(self) -> None:
        """Show the blocks as a table, or as a picture again."""
        self.blocks.setCurrentIndex(1 - self.blocks.currentIndex())
        self.refresh()

    def turn_batch(self) -> None:
        """Show the batch as a table, or as a picture again."""
        self.batch.setCurrentIndex(1 - self.batch.currentIndex())
        self.refresh()

    def _lay_out(self) -> None:
        views = QSplitter(Qt.Orientation.Vertical)
        views.addWidget(self.batch)
        views.addWidget(self.blocks)
        views.setSizes((220, 110))
        views.setChildrenCollapsible(False)
        views.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(4)
        layout.addWidget(self.head)
        layout.addWidget(Still(self.figures, lines=2))
        layout.addWidget(views, 1)
