"""The marked steps of a run as a list, with their notes, and where the note at the playhead is written."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from ladder_desktop.live.player import Player
from ladder_desktop.live.text_table import LEFT, Column, TextTable
from ladder_desktop.theme import Theme

COLUMNS = (Column("Step", "The step that is marked", 64), Column("Note", "What was noted there", 0, LEFT))


class MarkList(QWidget):
    """Emits `sought` with a marked step that a person picks, and `changed` when marks have."""

    sought = Signal(int)
    changed = Signal()

    def __init__(self, theme: Theme, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self._shown: list[tuple[int, str]] = []
        self.table = TextTable(theme, "Marked steps", COLUMNS)
        self.note = QLineEdit()
        self.note.setAccessibleName("Note at the step")
        self.note.setToolTip("A note at the step of the playhead marks it; X takes the mark away")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.note)
        self.table.picked.connect(self._pick)
        self.note.editingFinished.connect(self._write)

    def refresh(self) -> None:
        """Show the marks, and the note at the playhead."""
        player = self._player
        self._shown = player.marks.rows
        self.table.show_rows([(str(step), note) for step, note in self._shown], [None] * len(self._shown), {})
        steps = [step for step, _ in self._shown]
        self.table.light(steps.index(player.position) if player.position in steps else None)
        self.note.setEnabled(player.position > 0)
        self.note.setPlaceholderText(f"Note at step {player.position}; X marks it")
        if not self.note.hasFocus():
            self.note.setText(player.marks.notes.get(player.position, ""))

    def turn(self) -> None:
        """Mark the step at the playhead, or take its mark away."""
        if self._player.position:
            self._player.marks.turn(self._player.position)
            self.changed.emit()

    def on(self) -> None:
        """Go to the next mark."""
        self._go(1)

    def back(self) -> None:
        """Go to the mark before."""
        self._go(-1)

    def _go(self, way: int) -> None:
        step = self._player.marks.beyond(self._player.position, way)
        if step is not None:
            self.sought.emit(step)

    def _pick(self, row: int) -> None:
        self.sought.emit(self._shown[row][0])

    def _write(self) -> None:
        step, text = self._player.position, self.note.text().strip()
        if step and text != self._player.marks.notes.get(step, ""):
            self._player.marks.write(step, text)
            self.changed.emit()
