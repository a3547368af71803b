"""Garbage is collected on the window's thread only.

Python collects cycles on whatever thread happens to allocate, and the reader thread of the engine's client allocates
a lot. A QObject that is part of a cycle would then be destroyed off its thread, which crashes Qt. What stands when the
collector comes, modules and Qt's own types, is not looked through again: that would hold the window up each time.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 2000


class GarbageCollector(QObject):
    """Takes over from Python's automatic collection until `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.disable()
        gc.freeze()
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the oldest generation that is due, as Python would have done."""
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Give collection back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
