"""Two runs side by side, each with its batch and its blocks; beneath, what differs and why, or the kernels of one of them.

In their place, the plots of both.
"""

from __future__ import annotations

import msgspec
from ladder_engine.config import EngineConfig
from ladder_engine.lab.comparison import Difference, changed_fields
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from ladder_desktop.chooser import Chooser
from ladder_desktop.live.comparer import Comparer
from ladder_desktop.live.difference_table import DifferenceTable
from ladder_desktop.live.duet import Duet
from ladder_desktop.live.labels import Wrapped
from ladder_desktop.live.legend import BATCH, Legend
from ladder_desktop.live.lens import Lens
from ladder_desktop.live.live_run import TwoSights
from ladder_desktop.live.panel import Panel
from ladder_desktop.live.plot_board import PlotBoard
from ladder_desktop.live.side_view import SideView
from ladder_desktop.theme import Theme


class ComparePanels(QWidget):
    """Emits `selected` (a sequence id or None), `sought` (a place on the common clock), `described` (a sentence),
    `turned` (to the plots?) and `lens_turned` (open?).

    `looked` is the run that the kernel lens and the classifier look at, 0 or 1.
    """

    selected = Signal(object)
    sought = Signal(int)
    described = Signal(str)
    turned = Signal(bool)
    lens_turned = Signal(bool)

    def __init__(self, theme: Theme, duet: Duet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.duet = duet
        self._selection: int | None = None
        self.views = (SideView(theme, duet.sides[0], "left"), SideView(theme, duet.sides[1], "right"))
        self.sentence = Wrapped()
        self.table = DifferenceTable(theme)
        self.lens, self.runs = Lens(theme), Chooser()
        self.plots = PlotBoard(theme, duet.sides)
        self.beneath, self.stack = QStackedWidget(), QStackedWidget()
        self._lay_out(theme)
        for view in self.views:
            view.selected.connect(self.selected)
            view.described.connect(self.described)
            view.sought.connect(self._seek)
            view.grid.pointed.connect(self._mark)
        self.lens.selected.connect(self.selected)
        self.lens.described.connect(self.described)
        self.lens.pointed.connect(self._point)
        self.plots.described.connect(self.described)
        self.plots.sought.connect(self._seek)
        self.runs.currentIndexChanged.connect(self._look)

    @property
    def looked(self) -> int:
        """Which of the two the lens and the classifier look at."""
        return max(0, self.runs.currentIndex())

    @property
    def plotting(self) -> bool:
        """Whether the plots are in sight, in place of the two runs."""
        return self.stack.currentWidget() is self.plots

    @property
    def pictured(self) -> tuple[QWidget, ...]:
        """The views that a picture can be made of; with the keyboard in a timeline, where it is at first, it is of all."""
        of_one = (part for view in self.views for part in (view.grid, view.block_list, view.batch_table))
        return (*of_one, self.table, self.lens)

    @property
    def lens_open(self) -> bool:
        """Whether the kernels of one of the two are shown, in place of what differs."""
        return self.beneath.currentIndex() == 1

    @property
    def sights(self) -> TwoSights:
        """What is in sight, for a page that goes on with these runs."""
        view = self.views[0]
        tables = view.blocks.currentIndex() == 1, view.batch.currentIndex() == 1
        return TwoSights(self.plotting, self.lens_open, self.looked, *tables)

    def take_over(self, sights: TwoSights) -> None:
        """Have the same in sight as the page before."""
        self.runs.setCurrentIndex(sights.looked)
        for shown, wanted, turn in (
            (self.sights.plotting, sights.plotting, self.turn_plots),
            (self.sights.lens, sights.lens, self.turn_lens),
            (self.sights.blocks, sights.blocks, self._turn_blocks),
            (self.sights.batch, sights.batch, self.turn_batch),
        ):
            if shown != wanted:
                turn()

    def begin(self, names: tuple[str, str], configs: tuple[EngineConfig, EngineConfig]) -> None:
        """Two other runs: their names, and the settings in which they differ."""
        fields = changed_fields(*configs)
        for view, side, name, config in zip(self.views, self.duet.sides, names, configs, strict=True):
            settings = msgspec.to_builtins(config)
            differs = ", ".join(f"{field} {_value(settings[field])}" for field in fields)
            view.head.setText(f"{name}: {differs}" if differs else name)
            view.take(side)
        for place, name in enumerate(names):
            self.runs.setItemText(place, name)
        self.plots.take(self.duet.sides, names)
        self.table.table.rename({1: names[0], 2: names[1]})
        self.sentence.setText("")
        self.table.show_differences([])

    def show_comparer(self, comparer: Comparer) -> None:
        """Name the two runs, and show what differs if both are over."""
        if comparer.engines is None:
            return
        self.begin(comparer.names, comparer.engines)
        if comparer.complete:
            self.show_result(*comparer.result())

    def show_result(self, rows: list[Difference], sentence: str) -> None:
        """Both are over."""
        self.sentence.setText(sentence)
        self.table.show_differences(rows)

    def refresh(self) -> None:
        """Draw both at the playhead, or the plots, whichever is in sight."""
        if self.plotting:
            self.plots.refresh()
            return
        for view in self.views:
            view.refresh()
        if self.lens_open:
            self.lens.show_state(self.duet.sides[self.looked].state, self._selection)

    def select(self, seq_id: int | None) -> None:
        """Light the same request on both sides."""
        self._selection = seq_id
        for view in self.views:
            view.select(seq_id)
        if self.lens_open:
            self.lens.show_state(self.duet.sides[self.looked].state, seq_id)

    def keep_up(self) -> None:
        """Keep the playhead in sight on both sides."""
        for view in self.views:
            view.timeline.follow()
        self.plots.keep_up()

    def turn_plots(self) -> None:
        """Show the plots of both instead of the two, or the other way round."""
        self.stack.setCurrentIndex(1 - self.stack.currentIndex())
        self.turned.emit(self.plotting)
        self.refresh()
        (self.plots.plots[0] if self.plotting else self.views[0].batch.currentWidget() or self).setFocus()

    def turn_lens(self) -> None:
        """Show the kernels of one of the two in place of what differs, or the other way round."""
        if self.plotting:
            self.turn_plots()
        self.beneath.setCurrentIndex(1 - self.beneath.currentIndex())
        self._whole.setSizes((200, 300) if self.lens_open else (380, 210))
        self.lens_turned.emit(self.lens_open)
        self.refresh()
        (self.lens.launches if self.lens_open else self.table).setFocus()

    def look_at_other(self) -> None:
        """Let the lens and the classifier look at the other of the two."""
        self.runs.setCurrentIndex(1 - self.looked)

    def turn_table(self) -> None:
        """Show the plots, or the blocks of both, as tables instead of pictures, or the other way round."""
        if self.plotting:
            self.plots.turn_table()
        else:
            self._turn_blocks()

    def turn_batch(self) -> None:
        """Show both batches as tables, or as pictures again."""
        for view in self.views:
            view.turn_batch()

    def _turn_blocks(self) -> None:
        for view in self.views:
            view.turn_table()

    def _look(self) -> None:
        self.described.emit(f"The lens and the classifier look at {self.runs.currentText()}.")
        self.refresh()

    def _seek(self, step: int) -> None:
        """Go to a step of the run in whose view it was picked; in the plots, of the longer one."""
        which = next((place for place, view in enumerate(self.views) if view is self.sender()), None)
        self.sought.emit(self.duet.place_of(step, which))

    def _point(self, block_id: int) -> None:
        self.views[self.looked].grid.point(block_id)

    def _mark(self, block_id: int | None) -> None:
        if self.views[self.looked].grid is self.sender():
            self.lens.picture.mark(block_id)

    def _lay_out(self, theme: Theme) -> None:
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setAccessibleName("What made the difference")
        self.sentence.setStyleSheet("font-weight: 600")
        self.runs.addItems(("left", "right"))
        self.runs.setAccessibleName("Run whose kernels are shown")
        self.runs.view().setAccessibleName("The two runs")
        self.runs.setToolTip("The run that the lens and the classifier look at (O)")
        self.runs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        difference, kernels = QWidget(), QWidget()
        column = QVBoxLayout(difference)
        column.addWidget(self.sentence)
        column.addWidget(self.table, 1)
        whose = QHBoxLayout()
        whose.setContentsMargins(6, 0, 6, 0)
        whose.addWidget(QLabel("Kernels of"))
        whose.addWidget(self.runs)
        whose.addStretch(1)
        lens = QVBoxLayout(kernels)
        lens.addLayout(whose)
        lens.addWidget(self.lens, 1)
        for layout in (column, lens):
            layout.setContentsMargins(0, 0, 0, 0)
        self.beneath.addWidget(Panel("What differs", QLabel(), difference, Legend(theme, BATCH)))
        self.beneath.addWidget(kernels)
        both = QSplitter(Qt.Orientation.Horizontal)
        for view in self.views:
            both.addWidget(view)
        self._whole = QSplitter(Qt.Orientation.Vertical)
        self._whole.addWidget(both)
        self._whole.addWidget(self.beneath)
        self._whole.setSizes((380, 210))
        for splitter in (both, self._whole):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        self.stack.addWidget(self._whole)
        self.stack.addWidget(self.plots)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.stack)


def _value(value: object) -> str:
    return (
        {True: "on", False: "off", None: "none"}.get(value, str(value))
        if isinstance(value, bool | None)
        else str(value)
    )
