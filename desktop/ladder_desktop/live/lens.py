"""The kernel lens: what the step at the playhead launched, and which blocks paged attention reads for one request.

It reads nothing but the trace. Launches are recorded only while it is open.
"""

from __future__ import annotations

from ladder_engine.tracing.kernel_trace import AttentionReads
from ladder_engine.tracing.state import RunState
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.chooser import Chooser
from ladder_desktop.live.labels import Elided, Wrapped
from ladder_desktop.live.launch_table import LaunchTable
from ladder_desktop.live.lens_words import RAN, head_words, reads_words, why_empty
from ladder_desktop.live.reads_picture import ReadsPicture
from ladder_desktop.live.reads_table import ReadsTable
from ladder_desktop.live.words import steady_font
from ladder_desktop.theme import Theme

LEAST_LAUNCHES = 3  # in sight, in the lowest window and the largest text


class Lens(QWidget):
    """Emits `selected` (a sequence id), `described` (a sentence) and `pointed` (a block id)."""

    selected = Signal(object)
    described = Signal(str)
    pointed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._state = RunState()
        self._selection: int | None = None
        self._rows: list[tuple[AttentionReads, int]] = []  # what can be chosen
        self.figures, self.note, self.sum = Elided(), Wrapped(), Wrapped()
        self.launches = LaunchTable(theme)
        self.picture, self.table = ReadsPicture(theme), ReadsTable(theme)
        self.requests = Chooser()
        self.turn_button = QPushButton("As a table")
        self.reads = QStackedWidget()
        self._lay_out()
        self.requests.activated.connect(self._choose)
        self.turn_button.clicked.connect(self.turn)
        self.picture.pointed.connect(self.pointed)
        for view in (self.picture, self.table, self.launches):
            view.described.connect(self.described)

    def show_state(self, state: RunState, selection: int | None) -> None:
        """Draw the step at the playhead, and in it the request that is selected, else the one with the most KV."""
        if state is self._state and selection == self._selection:
            return
        self._state, self._selection = state, selection
        step = state.steps[-1] if state.steps else None
        ran = step.kernels if step else None
        self.figures.setText(head_words(step) if step else "")
        kernels = state.config.kernels if state.config else ""
        self.note.setText(why_empty(state) or RAN.get(kernels, ""))
        self.launches.show_kernels(ran)
        self._rows = [
            (reads, row) for reads in (ran.attention if ran else ()) for row in range(len(reads.rows))
        ]
        self._show_choices()
        self._show_reads()

    def turn(self) -> None:
        """Show the reads as a table instead of a picture, or the other way round."""
        self.reads.setCurrentIndex(1 - self.reads.currentIndex())
        self.turn_button.setText("As a picture" if self.reads.currentIndex() else "As a table")

    def _show_choices(self) -> None:
        with QSignalBlocker(self.requests):
            self.requests.clear()
            for reads, row in self._rows:
                draft = ", draft model" if reads.role == "draft" else ""
                self.requests.addItem(self._name(reads.rows[row].seq_id) + draft)
            mine = [place for place, (reads, row) in enumerate(self._rows) if self._is_selected(reads, row)]
            longest = max(
                range(len(self._rows)),
                key=lambda at: self._rows[at][0].rows[self._rows[at][1]].context_len,
                default=-1,
            )
            self.requests.setCurrentIndex(mine[0] if mine else -1 if self._selection is not None else longest)
        self.requests.setEnabled(bool(self._rows))

    def _is_selected(self, reads: AttentionReads, row: int) -> bool:
        return reads.rows[row].seq_id == self._selection

    def _show_reads(self) -> None:
        place = self.requests.currentIndex()
        size = self._state.config.block_size if self._state.config else 1
        if place < 0:
            absent = self._selection is not None and bool(self._rows)
            name = self._name(self._selection) if self._selection is not None else ""
            self.sum.setText(f"{name} computes nothing in this step." if absent else "")
            for view in (self.picture, self.table):
                view.show_reads(None, 0, "", size)
            return
        reads, row = self._rows[place]
        name = self._name(reads.rows[row].seq_id)
        self.sum.setText(reads_words(reads, row, name, size))
        for view in (self.picture, self.table):
            view.show_reads(reads, row, name, size)

    def _name(self, seq_id: int) -> str:
        sequence = self._state.sequences.get(seq_id)
        return sequence.name if sequence else "The selected request"

    def _choose(self, place: int) -> None:
        reads, row = self._rows[place]
        if self._is_selected(reads, row):
            self._show_reads()  # the same request, by the other model
        else:
            self.selected.emit(reads.rows[row].seq_id)

    def _lay_out(self) -> None:
        for label in (self.note, self.sum):
            label.setProperty("role", "muted")
        self.figures.setFont(steady_font(self.figures.font()))
        self.sum.setFont(steady_font(self.sum.font()))
        self.requests.setAccessibleName("Request whose reads are shown")
        self.requests.view().setAccessibleName("Requests of the step")
        self.requests.setMinimumContentsLength(8)
        self.requests.setSizeAdjustPolicy(Chooser.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.requests.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.turn_button.setAccessibleName("Reads as a table or as a picture")
        self.turn_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setAccessibleName("Blocks that each program reads")
        area.setWidget(self.picture)
        self.reads.addWidget(area)
        self.reads.addWidget(self.table)
        title = Elided("Paged attention reads")
        title.setStyleSheet("font-weight: bold")
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(title, 1)
        row.addWidget(self.requests)
        row.addWidget(self.turn_button)
        below = QWidget()
        reading = QVBoxLayout(below)
        reading.setContentsMargins(0, 4, 0, 0)
        reading.setSpacing(4)
        reading.addLayout(row)
        reading.addWidget(self.sum)
        reading.addWidget(self.reads, 1)
        self.launches.setMinimumHeight(self.launches.height_of(LEAST_LAUNCHES))
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.setChildrenCollapsible(False)
        halves.setHandleWidth(1)
        halves.addWidget(self.launches)
        halves.addWidget(below)
        head = QHBoxLayout()
        head.addWidget(QLabel("<b>Kernel lens</b>"))
        head.addWidget(self.figures, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 4, 6, 4)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self.note)
        layout.addWidget(halves, 1)
