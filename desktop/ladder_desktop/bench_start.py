"""How long until the window is shown, beside a bare PySide6 window, in one run: `make bench-start`.

Both are whole processes, started in turn; the median of each counts. Ours is the command that people type, on a profile
that has been used before, and its first picture is Today with the counts. It may take 1.5 times the bare one and 150 ms
more.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ladder_desktop.preferences import Preferences

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
print("shown", flush=True)
"""
OURS = """
import sys
from ladder_desktop import cli
last_step = cli._need_system_libraries
def then_watch():
    last_step()
    from ladder_desktop import start
    from PySide6.QtCore import QTimer
    from ladder_desktop.home_page import PracticePanel
    from ladder_desktop.window import MainWindow
    painted = MainWindow.paintEvent
    def paint_and_end(window, event):
        painted(window, event)
        assert window.findChild(PracticePanel).isVisible()
        QTimer.singleShot(0, window, end)
    def end():
        print("shown", flush=True)
        start.make_qt().quit()
    MainWindow.paintEvent = paint_and_end
cli._need_system_libraries = then_watch
cli.system_check.has_display = lambda: True  # offscreen will do here
cli.main(["--data", sys.argv[1]])
"""


def milliseconds(code: str, *arguments: str) -> float:
    """Return how long a Python process that runs this code takes to say that its window is shown."""
    command = [sys.executable, "-c", code, *arguments]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.readline()
        took = (time.perf_counter() - began) * 1000
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return took


def main() -> int:
    """Measure and print; exit status 1 if ours takes longer than it may."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as profile, tempfile.TemporaryDirectory() as compiled:
        os.environ["PYTHONPYCACHEPREFIX"] = compiled  # as an installed program finds its modules
        Preferences.open(Path(profile)).introduced = True
        milliseconds(BARE)
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
