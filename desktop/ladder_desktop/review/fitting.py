"""Fitting weights beside the window: a worker thread that knows no Qt, and a timer that looks for its answer."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from PySide6.QtCore import QObject, QTimer, Signal

from ladder_desktop.study.algorithm import Algorithm
from ladder_desktop.study.histories import Histories
from ladder_desktop.study.optimiser import Outcome, optimise

LOOK_EVERY_MS = 40


class Fitting(QObject):
    """One fit at a time. Emits `finished` with an Outcome, or `failed` with a sentence."""

    finished = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._worker: ThreadPoolExecutor | None = None
        self._future: Future[Outcome] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look)

    @property
    def running(self) -> bool:
        """Whether a fit is on its way."""
        return self._future is not None

    def start(self, histories: Histories, algorithm: Algorithm) -> None:
        """Begin a fit; nothing if one runs already."""
        if self._future is None:
            self._worker = ThreadPoolExecutor(1, "fit")
            self._future = self._worker.submit(optimise, histories, algorithm)
            self._timer.start()

    def stop(self) -> None:
        """Wait for the thread, and tell nobody what it found."""
        self._timer.stop()
        self._future = None
        if self._worker is not None:
            self._worker.shutdown()
            self._worker = None

    def _look(self) -> None:
        if self._future is None or not self._future.done():
            return
        future = self._future
        self.stop()
        error = future.exception()
        if error is None:
            self.finished.emit(future.result())
        else:
            self.failed.emit(f"The weights could not be fitted ({error}); they stay as they are.")
