"""The batch timeline as arrays: what some requests did in some steps. No Qt.

A finished step never changes, so each step's column is made once for the rows in sight, and kept for a while: a run of
any length costs what its window costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from ladder_engine.tracing.lru import Lru
from ladder_engine.tracing.state import Step

NOTHING, WAITING, PREFILL, DECODE = range(4)
PREEMPTED, FINISHED = 1, 2  # bits of `marks`
COLUMNS_KEPT = 1024

Column = npt.NDArray[np.int64]
"""[5, rows]: kind, tokens, marks, draft tokens and accepted ones of each row."""


@dataclass(frozen=True)
class BatchCells:
    """`kinds`, `tokens`, `marks`, `drafted` and `accepted` are [rows, columns].

    `filled` is [4, columns], over all rows: tokens that were decoded, drafted and accepted, drafted and rejected, prefilled.
    """

    kinds: npt.NDArray[np.int64]
    tokens: npt.NDArray[np.int64]
    marks: npt.NDArray[np.int64]
    drafted: npt.NDArray[np.int64]
    accepted: npt.NDArray[np.int64]
    filled: npt.NDArray[np.int64]


def fill(step: Step) -> tuple[int, int, int, int]:
    """What a step's tokens were: decoded, drafted and accepted, drafted and rejected, prefilled."""
    drafted = sum(work.num_draft_tokens for work in step.work)
    accepted = sum(work.num_accepted_tokens for work in step.work)
    decode = step.num_decode_tokens
    return decode - drafted, accepted, drafted - accepted, step.num_tokens - decode


class BatchWindow:
    """Cuts the rows `first_row` to `first_row + num_rows` out of steps."""

    def __init__(self) -> None:
        self._rows = (0, 0)
        self._columns: Lru[int, Column] = Lru(COLUMNS_KEPT)
        self._filled: Lru[int, tuple[int, int, int, int]] = Lru(COLUMNS_KEPT)

    def cells(self, steps: Sequence[Step], first_row: int, num_rows: int) -> BatchCells:
        """What these sequences did in these steps."""
        if self._rows != (first_row, num_rows):
            self._rows = (first_row, num_rows)
            self._columns = Lru(COLUMNS_KEPT)
        columns = [self._column(step) for step in steps]
        stacked = np.stack(columns, axis=2) if columns else np.zeros((5, num_rows, 0), np.int64)
        filled = np.array([self._fill(step) for step in steps], np.int64).reshape(-1, 4)
        kinds, tokens, marks, drafted, accepted = stacked
        return BatchCells(kinds, tokens, marks, drafted, accepted, filled.T)

    def _column(self, step: Step) -> Column:
        column = self._columns.get(step.number)
        if column is None:
            column = self._make(step)
            self._columns.put(step.number, column)
        return column

    def _fill(self, step: Step) -> tuple[int, int, int, int]:
        filled = self._filled.get(step.number)
        if filled is None:
            filled = fill(step)
            self._filled.put(step.number, filled)
        return filled

    def _make(self, step: Step) -> Column:
        first, count = self._rows
        column = np.zeros((5, count), np.int64)
        kinds, tokens, marks, drafted, accepted = column
        kinds[self._in_sight(step.waiting)] = WAITING
        for work in step.work:
            row = work.seq_id - first
            if 0 <= row < count:
                kinds[row] = DECODE if work.kind == "decode" else PREFILL
                tokens[row] = work.num_tokens
                drafted[row], accepted[row] = work.num_draft_tokens, work.num_accepted_tokens
        marks[self._in_sight(step.preempted)] = PREEMPTED
        marks[self._in_sight(step.finished)] |= FINISHED
        return column

    def _in_sight(self, seq_ids: Sequence[int]) -> list[int]:
        first, count = self._rows
        return [seq_id - first for seq_id in seq_ids if 0 <= seq_id - first < count]
