"""Cycles are collected on the window's thread, whoever makes them."""

from __future__ import annotations

import gc
import threading
import weakref

from ladder_desktop.garbage import GarbageCollector
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot


class Knot(QObject):
    """A QObject that only the cycle collector can free."""

    def __init__(self) -> None:
        super().__init__()
        self.me = self


def test_another_thread_never_collects(qtbot: QtBot) -> None:
    collector = GarbageCollector()
    try:
        gc.collect()
        knot = weakref.ref(Knot())
        worker = threading.Thread(target=lambda: [[] for _ in range(200_000)])
        worker.start()
        worker.join()
        assert knot() is not None  # with automatic collection the worker would have destroyed it
        where: list[int] = []
        gc.callbacks.append(lambda _phase, _info: where.append(threading.get_ident()))
        try:
            hoard = [[] for _ in range(2000)]
            for _ in range(200):
                collector.collect()
                hoard.extend([] for _ in range(1000))
        finally:
            gc.callbacks.pop()
        assert set(where) == {threading.get_ident()}
    finally:
        collector.stop()
    assert gc.isenabled()
