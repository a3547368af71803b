"""The requests of a run as a table: who they are, where they stand, what they hold, how soon they were answered."""

from __future__ import annotations

from functools import cache

from ladder_engine.tracing.state import RunState, SequenceState
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.lazy_rows import LazyRows
from ladder_desktop.live.text_table import LEFT, Column, TextTable
from ladder_desktop.live.words import seconds, short_status, status_words
from ladder_desktop.theme import Theme

COLUMNS = (
    Column("#", "Number and colour, the same in all views", 58),
    Column("Request", "Name of the request", 0, LEFT),
    Column("State", "Where it stands, and why it waits", 142, LEFT),
    Column("Answer", "Tokens answered so far, of max_tokens", 64),
    Column("Blocks", "KV blocks it holds", 52),
    Column("TTFT", "Time to first token, measured from its arrival", 76),
)


MOST_DONE = 200  # of those that are done, the newest


class RequestList(TextTable):
    """One row a sequence, in order of arrival; of the many that a long run is done with, the newest only.

    Emits `selected` with the sequence id when a person picks one.
    """

    selected = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Requests", COLUMNS, parent)
        self._ids: list[int] = []
        self.picked.connect(self._pick)

    def show_state(self, state: RunState) -> None:
        """Draw this state; only the rows in sight are put into words."""
        sequences = _in_sight(state)
        self._ids = [sequence.seq_id for sequence in sequences]
        count = len(sequences)
        names = LazyRows(lambda row: sequences[row].name, count)
        states = LazyRows(lambda row: status_words(sequences[row]), count)
        rows = LazyRows(cache(lambda row: _cells(sequences[row])), count)
        self.show_rows(rows, self._ids, {1: names, 2: states})

    def select(self, seq_id: int | None) -> None:
        """Light one row without saying so."""
        self.light(self._ids.index(seq_id) if seq_id in self._ids else None)

    def _pick(self, row: int) -> None:
        self.selected.emit(self._ids[row])


def _in_sight(state: RunState) -> list[SequenceState]:
    """Those that are not done, and the newest of those that are, in the order of their arrival."""
    seen: list[int] = []
    done = 0
    for seq_id in reversed(state.sequences):
        seen.append(seq_id)
        done += state.sequences[seq_id].status in ("finished", "refused")
        if done == MOST_DONE:
            break
    older = {*state.running, *state.waiting} - set(seen)
    return [state.sequences[seq_id] for seq_id in (*sorted(older), *reversed(seen))]


def _cells(sequence: SequenceState) -> tuple[str, ...]:
    return (
        str(sequence.seq_id + 1),
        sequence.name,
        short_status(sequence),
        f"{sequence.num_output_tokens}/{sequence.max_tokens}",
        str(len(sequence.block_table)),
        seconds(sequence.ttft),
    )
