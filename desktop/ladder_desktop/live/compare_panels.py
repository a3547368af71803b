"""Two runs side by side: for each its batch and its blocks, on one clock; beneath, what differs and why."""

from __future__ import annotations

import msgspec
from ladder_engine.config import EngineConfig
from ladder_engine.lab.comparison import Difference, changed_fields
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QSplitter, QVBoxLayout, QWidget

from ladder_desktop.live.block_grid import BlockGrid
from ladder_desktop.live.comparer import Comparer
from ladder_desktop.live.difference_table import DifferenceTable
from ladder_desktop.live.duet import Duet, Side
from ladder_desktop.live.figures import pace_figures, pool_figures, queue_figures
from ladder_desktop.live.labels import Elided, Wrapped
from ladder_desktop.live.legend import BATCH, Legend
from ladder_desktop.live.panel import Panel
from ladder_desktop.live.still import Still
from ladder_desktop.live.timeline import Timeline
from ladder_desktop.live.words import steady_font
from ladder_desktop.theme import Theme


class SideView(QWidget):
    """One of the two runs."""

    def __init__(self, theme: Theme, side: Side, which: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head, self.figures = Elided(), Elided()
        self.head.setProperty("role", "heading")
        self.figures.setFont(steady_font(self.figures.font()))
        self.grid = BlockGrid(theme)
        self.grid.setAccessibleName(f"KV blocks, {which}")
        self.timeline = Timeline(theme, side)
        self.timeline.setAccessibleName(f"Batch timeline, {which}")
        views = QSplitter(Qt.Orientation.Vertical)
        views.addWidget(self.timeline)
        views.addWidget(self.grid)
        views.setSizes((220, 110))
        views.setChildrenCollapsible(False)
        views.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(4)
        layout.addWidget(self.head)
        layout.addWidget(Still(self.figures, lines=2))
        layout.addWidget(views, 1)

    def take(self, side: Side) -> None:
        """Watch another run."""
        self.timeline.player = side
        self.timeline.clear()

    def show_side(self, side: Side) -> None:
        """Draw its state at the playhead."""
        first = filter(None, (pool_figures(side.state), queue_figures(side.state)))
        self.figures.setText(f"{';  '.join(first)}\n{pace_figures(side.state)}")
        self.grid.show_state(side.state)
        self.timeline.refresh()


class ComparePanels(QWidget):
    """Emits `selected` (a sequence id or None) and `described` (a sentence)."""

    selected = Signal(object)
    described = Signal(str)

    def __init__(self, theme: Theme, duet: Duet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.duet = duet
        self.views = tuple(
            SideView(theme, side, which) for side, which in zip(duet.sides, ("left", "right"), strict=True)
        )
        self.sentence = Wrapped()
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setAccessibleName("What made the difference")
        self.sentence.setStyleSheet("font-weight: 600")
        self.table = DifferenceTable(theme)
        both = QSplitter(Qt.Orientation.Horizontal)
        for view in self.views:
            both.addWidget(view)
            view.grid.selected.connect(self.selected)
            view.timeline.selected.connect(self.selected)
            view.grid.described.connect(self.described)
            view.timeline.described.connect(self.described)
        difference = QWidget()
        lower = QVBoxLayout(difference)
        lower.setContentsMargins(0, 0, 0, 0)
        lower.addWidget(self.sentence)
        lower.addWidget(self.table, 1)
        whole = QSplitter(Qt.Orientation.Vertical)
        whole.addWidget(both)
        whole.addWidget(Panel("What differs", QLabel(), difference, Legend(theme, BATCH)))
        whole.setSizes((380, 210))
        for splitter in (both, whole):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(whole)

    def begin(self, names: tuple[str, str], configs: tuple[EngineConfig, EngineConfig]) -> None:
        """Two other runs: their names, and the settings in which they differ."""
        fields = changed_fields(*configs)
        for view, side, name, config in zip(self.views, self.duet.sides, names, configs, strict=True):
            settings = msgspec.to_builtins(config)
            differs = ", ".join(f"{field} {_value(settings[field])}" for field in fields)
            view.head.setText(f"{name}: {differs}" if differs else name)
            view.take(side)
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

    def show_state(self) -> None:
        """Draw both at the playhead."""
        for view, side in zip(self.views, self.duet.sides, strict=True):
            view.show_side(side)

    def show_result(self, rows: list[Difference], sentence: str) -> None:
        """Both are over."""
        self.sentence.setText(sentence)
        self.table.show_differences(rows)

    def select(self, seq_id: int | None) -> None:
        """Light the same request on both sides."""
        for view in self.views:
            view.grid.select(seq_id)
            view.timeline.select(seq_id)

    def follow(self) -> None:
        """Keep the playhead in sight on both sides."""
        for view in self.views:
            view.timeline.follow()


def _value(value: object) -> str:
    return (
        {True: "on", False: "off", None: "none"}.get(value, str(value))
        if isinstance(value, bool | None)
        else str(value)
    )
