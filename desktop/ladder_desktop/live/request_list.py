"""The requests of a run as a table: who they are, where they stand, what they hold, how soon they were answered."""

from __future__ import annotations

from ladder_engine.tracing.state import RunState, SequenceState
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ladder_desktop.live.text_table import LEFT, Column, TextTable
from ladder_desktop.live.words import seconds, short_status, status_words
from ladder_desktop.theme import Theme

COLUMNS = (
    Column("#", "Number and colour, the same in all views", 46),
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
        self._shown: dict[int, tuple[SequenceState, tuple[str, ...]]] = {}
        self._ids: list[int] = []
        self.picked.connect(self._pick)

    def show_state(self, state: RunState) -> None:
        """Draw this state; only sequences that changed are put into words."""
        sequences = _in_sight(state)
        self._ids = [sequence.seq_id for sequence in sequences]
        shown, self._shown = self._shown, {}
        for sequence in sequences:
            before = shown.get(sequence.seq_id)
            same = before is not None and before[0] is sequence
            self._shown[sequence.seq_id] = before if before and same else (sequence, _cells(sequence))
        hints = {
            1: [sequence.name for sequence in sequences],
            2: [status_words(sequence) for sequence in sequences],
        }
        self.show_rows([cells for _, cells in self._shown.values()], list(self._ids), hints)

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
