"""The batch timeline as arrays: what each request did in each step. No Qt.

Row = sequence id, column = step number - 1. Finished steps never change, so the arrays only grow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from ladder_engine.state import Step

NOTHING, WAITING, PREFILL, DECODE = range(4)
PREEMPTED, FINISHED = 1, 2  # bits of `marks`


class BatchCells:
    """`kinds`, `tokens` and `marks` are [sequences, steps]."""

    def __init__(self) -> None:
        self.num_rows = 0
        self.num_steps = 0
        self._kinds = np.zeros((16, 256), np.uint8)
        self._tokens = np.zeros((16, 256), np.int32)
        self._marks = np.zeros((16, 256), np.uint8)

    @property
    def kinds(self) -> npt.NDArray[np.uint8]:
        """What each sequence did in each step: NOTHING, WAITING, PREFILL or DECODE."""
        return self._kinds[: self.num_rows, : self.num_steps]

    @property
    def tokens(self) -> npt.NDArray[np.int32]:
        """How many tokens of each sequence each step computed."""
        return self._tokens[: self.num_rows, : self.num_steps]

    @property
    def marks(self) -> npt.NDArray[np.uint8]:
        """Whether a sequence was PREEMPTED or FINISHED in a step."""
        return self._marks[: self.num_rows, : self.num_steps]

    def budget(self, columns: slice) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """How many tokens the steps of these columns prefilled and decoded, over all sequences."""
        kinds, tokens = self.kinds[:, columns], self.tokens[:, columns].astype(np.int64)
        return (tokens * (kinds == PREFILL)).sum(0), (tokens * (kinds == DECODE)).sum(0)

    def extend(self, steps: Sequence[Step], num_sequences: int) -> bool:
        """Take over the steps that are new; return whether there were any."""
        fresh = len(steps) - self.num_steps
        grows = num_sequences > self.num_rows
        self._make_room(num_sequences, len(steps))
        for step in steps[self.num_steps :]:
            self._put(step)
            self.num_steps += 1
        self.num_rows = max(self.num_rows, num_sequences)
        return fresh > 0 or grows

    def _put(self, step: Step) -> None:
        column = self.num_steps
        self._kinds[list(step.waiting), column] = WAITING
        for work in step.work:
            self._kinds[work.seq_id, column] = DECODE if work.kind == "decode" else PREFILL
            self._tokens[work.seq_id, column] = work.num_tokens
        self._marks[list(step.preempted), column] = PREEMPTED
        self._marks[list(step.finished), column] |= FINISHED

    def _make_room(self, rows: int, columns: int) -> None:
        have_rows, have_columns = self._kinds.shape
        if rows <= have_rows and columns <= have_columns:
            return
        rows, columns = max(rows, have_rows * 2), max(columns, have_columns * 2)
        room = ((0, rows - have_rows), (0, columns - have_columns))
        self._kinds = np.pad(self._kinds, room)
        self._tokens = np.pad(self._tokens, room)
        self._marks = np.pad(self._marks, room)
