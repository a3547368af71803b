"""The fixture that fails a test on what it left running sees each kind of it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from PySide6.QtCore import QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from tests.desktop.leaks import Running, left_behind


@contextmanager
def thread() -> Iterator[str]:
    end = threading.Event()
    one = threading.Thread(target=end.wait, name="forgotten")
    one.start()
    yield "thread forgotten"
    end.set()
    one.join()


@contextmanager
def qthread() -> Iterator[str]:
    one = QThread(objectName="forgotten")
    one.start()
    yield "QThread forgotten"
    one.quit()
    one.wait()


@contextmanager
def timer() -> Iterator[str]:
    parent = QObject()
    one = QTimer(parent)
    one.start(60_000)
    yield "timer of QObject, 60000 ms"
    one.stop()


@contextmanager
def window() -> Iterator[str]:
    one = QWidget(windowTitle="forgotten")
    yield "window QWidget forgotten"
    one.deleteLater()


@contextmanager
def process() -> Iterator[str]:
    one = subprocess.Popen([sys.executable, "-c", "input()  # forgotten"], stdin=subprocess.PIPE)
    yield "forgotten"
    one.communicate(b"\n")


@pytest.mark.parametrize("leak", [thread, qthread, timer, window, process])
def test_a_leak_is_seen(qapp: QApplication, leak: Callable[[], object]) -> None:
    before = Running()
    with leak() as words:  # type: ignore[attr-defined]
        found = left_behind(qapp, before, patience_ms=0)
        assert len(found) == 1
        assert words in found[0]
    assert left_behind(qapp, before) == []
