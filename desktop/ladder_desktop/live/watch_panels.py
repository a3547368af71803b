"""The views of one run: block grid, requests, answer and engine, batch timeline. They draw what they are given."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from ladder_desktop.live.answer_pane import AnswerPane
from ladder_desktop.live.block_grid import BlockGrid
from ladder_desktop.live.block_list import BlockList
from ladder_desktop.live.figures import pace_figures, pool_figures, queue_figures
from ladder_desktop.live.labels import Elided
from ladder_desktop.live.legend import BATCH, BLOCKS, Legend
from ladder_desktop.live.lens import Lens
from ladder_desktop.live.live_run import Sights
from ladder_desktop.live.mark_list import MarkList
from ladder_desktop.live.panel import Panel
from ladder_desktop.live.player import Player
from ladder_desktop.live.plot_board import PlotBoard
from ladder_desktop.live.request_list import RequestList
from ladder_desktop.live.slot_table import SlotTable
from ladder_desktop.live.slots import Slots
from ladder_desktop.live.step_table import BatchTable
from ladder_desktop.live.text_table import TextTable
from ladder_desktop.live.timeline import Timeline
from ladder_desktop.live.touch_panel import TouchPanel
from ladder_desktop.theme import Theme

NARROW = 960  # pixels, at 100 %: in less the requests stand among the tabs


class WatchPanels(QWidget):
    """Emits `selected` (a sequence id or None), `sought` (a step), `described` (a sentence)
    `turned` (to the plots?) and `lens_turned` (open?)."""

    selected = Signal(object)
    sought = Signal(int)
    described = Signal(str)
    turned = Signal(bool)
    lens_turned = Signal(bool)

    def __init__(self, theme: Theme, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._player = player
        self._selection: int | None = None
        self.grid = BlockGrid(theme)
        self.block_list = BlockList(theme)
        self.blocks = QStackedWidget()
        self.blocks.addWidget(self.grid)
        self.blocks.addWidget(self.block_list)
        self.slots = Slots(theme)
        self.slot_table = SlotTable(theme, self.slots)
        self.slots.hide()
        self.slot_table.hide()
        self.requests = RequestList(theme)
        self.answer = AnswerPane(theme)
        self.touch = TouchPanel()
        self.side = QTabWidget()
        self.side.setDocumentMode(True)
        self.side.setAccessibleName("Answer, what can be touched, marks")
        self.side.tabBar().setAccessibleName("Answer, what can be touched, marks")
        self.side.addTab(self.answer, "Answer")
        self.side.addTab(self.touch, "Touch")
        self.marks = MarkList(theme, player)
        self.side.addTab(self.marks, "Marks")
        self.lens = Lens(theme)
        self.timeline = Timeline(theme, player)
        self.batch_table = BatchTable(theme, player)
        self.batch = QStackedWidget()
        self.batch.addWidget(self.timeline)
        self.batch.addWidget(self.batch_table)
        self.plots = PlotBoard(theme, (player,))
        self.pool, self.queue, self.pace = Elided(), Elided(), Elided()
        self._lay_out()
        for view in (self.grid, self.block_list, self.timeline, self.requests, self.lens):
            view.selected.connect(self.selected)
        for described in (self.grid, self.slots, self.timeline, self.plots, self.lens):
            described.described.connect(self.described)
        for sought in (self.timeline, self.batch_table, self.plots, self.marks):
            sought.sought.connect(self.sought)
        self.lens.pointed.connect(self.grid.point)
        self.grid.pointed.connect(self.lens.picture.mark)
        self.grid.pointed.connect(self.slots.point)
        self.block_list.picked.connect(self.slots.point)
        self.grid.zoomed.connect(self.turn_slots)
        self.marks.changed.connect(self._marked)

    @property
    def pictured(self) -> tuple[QWidget, ...]:
        """The views that a picture can be made of."""
        return (self.grid, self.block_list, self.slots, self.slot_table, self.requests, self.answer, self.timeline,
                self.batch_table, self.lens, self.marks)  # fmt: skip

    @property
    def table(self) -> TextTable:
        """The table that is meant where none has the keyboard."""
        return self.requests

    @property
    def lens_open(self) -> bool:
        """Whether the kernel lens is shown, in place of requests and answer."""
        return not self.lens.isHidden()

    def refresh(self) -> None:
        """Draw the state at the playhead, or the plots, whichever is in sight."""
        if self.plotting:
            self.plots.refresh()
            return
        state, selection = self._player.state, self._selection
        self.pool.setText(pool_figures(state))
        self.queue.setText(queue_figures(state))
        self.pace.setText(pace_figures(state))
        self.grid.show_state(state)
        if self.slots_open:
            self.slots.show_state(state)
        if self.block_list.isVisible():
            self.block_list.show_state(state)
        self.requests.show_state(state)
        self.answer.show_state(state, selection)
        if self.lens.isVisible():
            self.lens.show_state(state, selection)
        if self.marks.isVisible():
            self.marks.refresh()
        self.timeline.marks = self._player.marks.notes
        self.timeline.refresh()
        if self.batch_table.isVisible():
            self.batch_table.refresh()

    def select(self, seq_id: int | None) -> None:
        """Light one request in every view; None lights all."""
        self._selection, state = seq_id, self._player.state
        for view in (self.grid, self.timeline, self.requests):
            view.select(seq_id)
        if seq_id is None:
            self.block_list.light(None)
        self.answer.show_state(state, seq_id)
        if self.lens.isVisible():
            self.lens.show_state(state, seq_id)

    def turn_lens(self) -> None:
        """Show the kernel lens in place of requests and answer, or the other way round."""
        shown = self.lens.isHidden() or self.plotting
        if self.plotting:
            self.turn_plots()
        self.lens.setVisible(shown)
        self._show_columns()
        self.panels.setSizes([2, 1] if shown else [3, 4])  # a table and a picture need the room
        if shown:
            self.upper.setSizes([3, 0, 0, 7])
            self.lens.show_state(self._player.state, self._selection)
            self.lens.launches.setFocus()
        self.lens_turned.emit(shown)

    @property
    def sights(self) -> Sights:
        """What is in sight, for a page that goes on with this run."""
        return Sights(
            side=self.side.tabText(self.side.currentIndex()),
            blocks=self.blocks.currentIndex(),
            batch=self.batch.currentIndex(),
            plotting=self.plotting,
            slots=self.slots_open,
            lens=self.lens_open,
        )

    def take_over(self, sights: Sights) -> None:
        """Have the same in sight as the page before."""
        names = [self.side.tabText(place) for place in range(self.side.count())]
        if sights.side in names:
            self.side.setCurrentIndex(names.index(sights.side))
        self.blocks.setCurrentIndex(sights.blocks)
        self.batch.setCurrentIndex(sights.batch)
        self._show_slots(sights.slots)
        if sights.lens != self.sights.lens:
            self.turn_lens()
        if sights.plotting:
            self.views.setCurrentWidget(self.plots)
            self.turned.emit(True)

    @property
    def plotting(self) -> bool:
        """Whether the plots are in sight, in place of the panels."""
        return self.views.currentWidget() is self.plots

    def turn_plots(self) -> None:
        """Show the plots instead of the panels, or the other way round."""
        self.views.setCurrentWidget(self.panels if self.plotting else self.plots)
        self.turned.emit(self.plotting)
        self.refresh()
        (self.plots.plots[0] if self.plotting else self.timeline).setFocus()

    def keep_up(self) -> None:
        """Keep the playhead in sight."""
        self.timeline.follow()
        self.plots.keep_up()

    def turn_table(self) -> None:
        """Show the plots, or the blocks and the slots of one, as a table instead of a picture, or the other way round."""
        if self.plotting:
            self.plots.turn_table()
            return
        self.blocks.setCurrentIndex(1 - self.blocks.currentIndex())
        self._show_slots(self.slots_open)
        if self.block_list.isVisible():
            self.block_list.show_state(self._player.state)
        (self.block_list if self.block_list.isVisible() else self.grid).setFocus()

    def turn_batch(self) -> None:
        """Show the batch as a table, a row a step, or as a picture again."""
        self.batch.setCurrentIndex(1 - self.batch.currentIndex())
        if self.batch_table.isVisible():
            self.batch_table.refresh()
        (self.batch_table if self.batch_table.isVisible() else self.timeline).setFocus()

    def write_prompt(self) -> None:
        """Go to where a prompt of one's own is written."""
        self.side.setCurrentWidget(self.touch)
        self.touch.prompt.setFocus()

    def turn_slots(self) -> None:
        """Look into the block under the cursor, or no longer; with none there, into the first of the selected request."""
        self._show_slots(not self.slots_open)
        mine = self._player.state.sequences.get(self._selection) if self._selection is not None else None
        if self.grid.cursor_block is None and mine is not None and mine.block_table:
            self.grid.point(mine.block_table[0])
        self.slots.show_state(self._player.state)

    @property
    def slots_open(self) -> bool:
        """Whether one looks into a block, in the picture or in the table."""
        return not (self.slots.isHidden() and self.slot_table.isHidden())

    def _show_slots(self, shown: bool) -> None:
        """The slots are a table where the blocks are one."""
        table = self.blocks.currentWidget() is self.block_list
        self.slots.setVisible(shown and not table)
        self.slot_table.setVisible(shown and table)
        if shown and table:
            self.panels.setSizes([3, 2])  # two tables need the room

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: three columns, or two where there is little room."""
        super().resizeEvent(event)
        narrow = self.width() < NARROW * self.theme.scale
        self.requests.setMinimumWidth(1 if narrow else self.requests.least_width)
        if narrow == (self.side.indexOf(self.queue_panel) >= 0):
            return
        if narrow:
            self.side.insertTab(0, self.queue_panel, "Requests")
        else:
            self.upper.insertWidget(1, self.queue_panel)
        self._show_columns()

    def _show_columns(self) -> None:
        """The lens takes the place of requests and answer."""
        lens = self.lens_open
        self.side.setHidden(lens)
        if self.side.indexOf(self.queue_panel) < 0:
            self.queue_panel.setHidden(lens)

    def _marked(self) -> None:
        """Marks have changed: show where they are."""
        self.side.setCurrentWidget(self.marks)
        self.refresh()

    def _lay_out(self) -> None:
        blocks = QWidget()
        near = QVBoxLayout(blocks)
        near.setContentsMargins(0, 0, 0, 0)
        near.addWidget(self.blocks, 1)
        near.addWidget(self.slots)
        near.addWidget(self.slot_table, 1)
        self.upper = QSplitter(Qt.Orientation.Horizontal)
        self.upper.addWidget(Panel("KV blocks", self.pool, blocks, Legend(self.theme, BLOCKS)))
        self.queue_panel = Panel("Requests", self.queue, self.requests)
        self.upper.addWidget(self.queue_panel)
        self.upper.addWidget(self.side)
        self.upper.addWidget(self.lens)
        self.lens.hide()
        for column, stretch in enumerate((3, 0, 2, 4)):
            self.upper.setStretchFactor(column, stretch)
        batch = Panel("Batch, one column a step", self.pace, self.batch, Legend(self.theme, BATCH))
        self.panels = QSplitter(Qt.Orientation.Vertical)
        self.panels.addWidget(self.upper)
        self.panels.addWidget(batch)
        for splitter, sizes in ((self.upper, (460, 440, 300, 740)), (self.panels, (250, 330))):
            splitter.setSizes(sizes)
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        self.views = QStackedWidget()
        self.views.addWidget(self.panels)
        self.views.addWidget(self.plots)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.views)
