"""Runs snippets beside the window: each run on a thread of its own, its outcome back by a queued signal."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ladder_content.model import Vector
from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal

from ladder_desktop.lessons.sandbox import Outcome, Sandbox, Switch

PATIENCE = 5.0  # seconds; a run that was stopped ends in milliseconds


class SandboxRunner(QObject):
    """Runs one snippet at a time. The thread touches no QObject but to emit; `shutdown` leaves nothing behind."""

    ended = Signal(object)
    _came_back = Signal(object)

    def __init__(self, sandbox: Sandbox | None = None) -> None:
        super().__init__()
        self._sandbox = sandbox or Sandbox()
        self._switch = Switch()
        self._thread: threading.Thread | None = None
        self._came_back.connect(self._take, Qt.ConnectionType.QueuedConnection)
        app = QCoreApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self.shutdown)

    @property
    def running(self) -> bool:
        """Whether an outcome is still to come."""
        return self._thread is not None

    def run(self, code: str, vectors: Sequence[Vector] = ()) -> None:
        """Begin a run; while one is on, nothing happens."""
        if self._thread is None:
            self._switch = Switch()
            work = (code, self._switch, tuple(vectors))
            self._thread = threading.Thread(target=self._work, args=work, name="sandbox", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Break the run off; its outcome says so."""
        self._switch.press()

    def shutdown(self) -> None:
        """Stop the run, wait for its thread and end the worker process. May be called twice."""
        self.stop()
        if self._thread is not None:
            self._thread.join(PATIENCE)
            self._thread = None
        self._sandbox.close()

    def _work(self, code: str, switch: Switch, vectors: tuple[Vector, ...]) -> None:
        self._came_back.emit(self._sandbox.run(code, switch, vectors))

    def _take(self, outcome: Outcome) -> None:
        if self._thread is not None:  # else the page was shut down while the outcome was under way
            self._thread.join()
            self._thread = None
            self.ended.emit(outcome)
