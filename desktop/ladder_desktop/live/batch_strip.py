"""The columns of the batch timeline that are in sight, as pictures to which each new step adds one column.

A finished step never changes, so its column is painted once. The pictures are twice as wide as what is in sight: what is
in sight moves over them, and only when it comes to their end they are moved to the front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder_engine.tracing.state import Step

from ladder_desktop.live.batch_cells import BatchWindow
from ladder_desktop.live.batch_picture import BatchPicture
from ladder_desktop.live.canvas import Canvas


@dataclass(frozen=True)
class Rows:
    """Which rows are in sight, which of them is selected, and the token budget that they are measured by."""

    first: int
    count: int
    selection: int | None
    budget: int

    @property
    def selected(self) -> int | None:
        """The selected one, counted from the first in sight."""
        return None if self.selection is None else self.selection - self.first


class BatchStrip:
    """The picture of the cells and that of the budget's bars; in their first column stands step `origin` + 1."""

    def __init__(self) -> None:
        self.origin = 0
        self._end = 0  # the last step that is painted
        self._window = BatchWindow()
        self._painted: tuple[BatchPicture, Rows] | None = None
        self._canvases: tuple[Canvas, Canvas] | None = None

    def show(
        self, picture: BatchPicture, rows: Rows, steps: Sequence[Step], first: int, count: int
    ) -> tuple[Canvas, Canvas]:
        """Paint what is missing of the `count` steps after step `first`, as far as there are any."""
        cells, bars = self._make_room(picture, rows, first, count)
        end = min(first + count, len(steps))
        if end > self._end:
            fresh = self._window.cells(steps[self._end : end], rows.first, rows.count)
            columns = slice(self._end - self.origin, end - self.origin)
            cells.pixels[:, :, columns] = picture.cells(fresh, rows.budget, rows.selected).pixels
            bars.pixels[:, :, columns] = picture.budget(fresh, rows.budget).pixels
            self._end = end
        return cells, bars

    def _make_room(self, picture: BatchPicture, rows: Rows, first: int, count: int) -> tuple[Canvas, Canvas]:
        """Return pictures with room for these steps: those that there are, moved if they are full, or empty ones."""
        same = self._painted == (picture, rows) and self.origin <= first <= self._end
        if self._canvases is None or not same or self._canvases[0].columns < count:
            ground = picture.theme.colour("surface")
            self._canvases = (
                Canvas(rows.count, 2 * count, picture.height, picture.width, ground),
                Canvas(1, 2 * count, picture.bar_height, picture.width, ground),
            )
            self._painted, self.origin, self._end = (picture, rows), first, first
        elif first + count > self.origin + self._canvases[0].columns:
            for canvas in self._canvases:
                canvas.shift(first - self.origin)
            self.origin = first
        return self._canvases
