"""How long until the window is shown, beside a bare PySide6 window, in one run: `make bench-start`.

Both are whole processes, started in turn on a profile that has been used before; the median of each counts. Ours may
take 1.5 times the bare one and 150 ms more.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 7
SHARE, MORE_MS = 1.5, 150

BARE = """
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
app = QApplication([])
window = QMainWindow()
window.setCentralWidget(QLabel("bare"))
window.resize(1280, 820)
window.show()
app.processEvents()
"""
OURS = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from ladder_desktop import start
QTimer.singleShot(0, start.make_qt(), start.make_qt().quit)
start.run(Path(sys.argv[1]), None)
"""


def milliseconds(code: str, *arguments: str) -> float:
    """Return how long a Python process that runs this code lives."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, stderr=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1000


def main() -> int:
    """Measure and print; exit status 1 if ours takes longer than it may."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as profile:
        milliseconds(OURS, profile)
        pairs = [(milliseconds(BARE), milliseconds(OURS, profile)) for _ in range(ROUNDS)]
    bare, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
    allowed = SHARE * bare + MORE_MS
    print(f"a bare PySide6 window   {bare:6.0f} ms")
    print(
        f"Runtime Ladder          {ours:6.0f} ms   (at most {allowed:.0f}: {SHARE} times bare and {MORE_MS})"
    )
    return 0 if ours <= allowed else 1


if __name__ == "__main__":
    sys.exit(main())
