"""What a test may leave running: nothing. Threads, QThreads, timers, windows and child processes are counted."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import shiboken6
from PySide6.QtCore import QDeadlineTimer, QEvent, QEventLoop, QThread, QTimer
from PySide6.QtWidgets import QApplication

PATIENCE_MS = 5000  # for what ends by itself: a thread on its last line, a process that was told to go


class Running:
    """What runs at one moment, each thing with words for it."""

    def __init__(self) -> None:
        self.things = dict(_running())

    def new_since(self, before: Running) -> list[str]:
        """Return words for what runs now and did not then."""
        return [words for key, words in self.things.items() if key not in before.things]


def left_behind(qt: QApplication, before: Running, patience_ms: int = PATIENCE_MS) -> list[str]:
    """Return what a test left running, once what was ending has ended."""
    deadline = QDeadlineTimer(patience_ms)
    while True:
        qt.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        qt.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        found = Running().new_since(before)
        if not found or deadline.hasExpired():
            return found


def _running() -> Iterator[tuple[object, str]]:
    for thread in threading.enumerate():
        yield thread, f"thread {thread.name}"
    for one in gc.get_objects():
        if issubclass(type(one), QTimer | QThread) and shiboken6.isValid(
            one
        ):  # isinstance may run code of `one`
            if isinstance(one, QTimer) and one.isActive():
                yield id(one), f"timer of {type(one.parent()).__name__}, {one.interval()} ms"
            elif isinstance(one, QThread) and one.isRunning() and one is not QThread.currentThread():
                yield id(one), f"QThread {one.objectName()}"
    for widget in QApplication.topLevelWidgets():
        yield shiboken6.getCppPointer(widget), f"window {type(widget).__name__} {widget.windowTitle()}"
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            for child in task.read_text().split():
                yield f"process {child}", f"process {_name(child)}"


def _name(process: str) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")[:200]
    return process
