"""Work beside the window: a worker thread that knows no Qt, and a timer that looks for what it found."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from PySide6.QtCore import QObject, QTimer, Signal

LOOK_EVERY_MS = 40


class Beside(QObject):
    """One job at a time; a newer one takes the place of what an older one finds.

    Emits `finished` with what the job returned, or `failed` with what it raised.
    """

    finished = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._worker: ThreadPoolExecutor | None = None
        self._future: Future[object] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look)

    @property
    def running(self) -> bool:
        """Whether a job is on its way."""
        return self._future is not None

    def start(self, job: Callable[[], object]) -> None:
        """Begin a job; it must not touch Qt, nor a desk of the window."""
        if self._future is not None:
            self._future.cancel()
        self._worker = self._worker or ThreadPoolExecutor(1, "beside")
        self._future = self._worker.submit(job)
        self._timer.start()

    def stop(self) -> None:
        """Wait for the thread, and tell nobody what it found."""
        self._timer.stop()
        self._future = None
        if self._worker is not None:
            self._worker.shutdown(cancel_futures=True)
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
            self.failed.emit(error)
