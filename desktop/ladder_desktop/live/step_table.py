"""Tables with a row a step, of a run of any length."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ladder_engine.tracing.state import RunState, Step
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.batch_cells import fill
from ladder_desktop.live.duet import Side
from ladder_desktop.live.lazy_rows import LazyRows
from ladder_desktop.live.player import Player
from ladder_desktop.live.text_table import LEFT, Column, TextTable
from ladder_desktop.theme import Theme

COLUMNS = (
    Column("Step", "The step", 64),
    Column("Prefilled", "Tokens of prompts that it computed", 84),
    Column("Decoded", "Tokens of answers that it computed, without drafts", 84),
    Column("Accepted", "Draft tokens that it verified and that were right", 84),
    Column("Rejected", "Draft tokens that it verified and that were wrong", 84),
    Column("Budget", "Share of the token budget that it used", 72),
    Column("Running", "Requests that run after it", 72),
    Column("Waiting", "Requests that wait after it", 72),
    Column("Took", "Time that it took, measured", 84),
    Column("Entered", "Requests that entered the batch", 150, LEFT),
    Column("Preempted", "Requests that lost their blocks", 150, LEFT),
    Column("Finished", "Requests that were done", 0, LEFT),
)


class StepTable(TextTable):
    """Emits `sought` with a step when a person picks its row."""

    sought = Signal(int)

    def __init__(
        self, theme: Theme, name: str, columns: Sequence[Column], parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, name, columns, parent)
        self._shown: object = None
        self.picked.connect(self._pick)

    def show_steps(
        self, run: object, row: Callable[[int], tuple[str, ...]], count: int, position: int
    ) -> None:
        """Show the first `count` steps of a run, and the row of the step at the playhead."""
        fresh = run is not self._shown or count < len(self.table.rows)
        if fresh or count > len(self.table.rows):
            self.table.grow(LazyRows(row, count), fresh)
            self._shown = run
        self.light(position - 1 if position else None)
        self.scrollTo(self.table.index(max(0, position - 1), max(0, self.columnAt(0))))

    def _pick(self, row: int) -> None:
        self.sought.emit(row + 1)


class BatchTable(StepTable):
    """The twin of the batch timeline."""

    def __init__(self, theme: Theme, player: Player | Side, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Batch as a table", COLUMNS, parent)
        self.player = player

    def refresh(self) -> None:
        """Show the player's run and playhead."""
        player = self.player
        self.show_steps(player.recording, self._row, len(player.edge.steps), player.position)

    def _row(self, index: int) -> tuple[str, ...]:
        return _cells(self.player.edge, self.player.recording.step(index))


def _cells(state: RunState, step: Step) -> tuple[str, ...]:
    decoded, accepted, rejected, prefilled = fill(step)
    budget = state.config.max_num_batched_tokens if state.config else 1
    took = 1000 * (step.schedule_s + step.execute_s + step.commit_s)
    counts = (step.number, prefilled, decoded, accepted, rejected)
    names = [
        ", ".join(state.sequences[seq_id].name for seq_id in seq_ids)
        for seq_ids in (step.admitted, step.preempted, step.finished)
    ]
    share = f"{100 * step.num_tokens / budget:.0f} %"
    return (*map(str, counts), share, str(step.num_running), str(len(step.waiting)), f"{took:.1f} ms", *names)
