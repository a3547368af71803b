"""What must not be loaded before the window is on screen, and what comes once it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from ladder_desktop.app import Application
from ladder_desktop.preferences import Preferences
from ladder_desktop.study import Desk
from ladder_desktop.theme import load_theme
from pytestqt.qtbot import QtBot

ROOT = Path(__file__).resolve().parents[2]
LATE = (
    "fsrs",
    *("numpy", "torch", "pyqtgraph", "yaml", "click", "markdown_it", "pygments", "ziamath", "nh3"),
    *("pydantic_monty", "ladder_engine", "ladder_desktop.search", "ladder_desktop.palette.palette"),
    *("ladder_desktop.lessons", "ladder_desktop.live", "ladder_desktop.stats", "ladder_desktop.interview"),
    *("ladder_desktop.review.drill_page", "ladder_desktop.settings", "ladder_desktop.exporting"),
)
ONCE_SETTLED = ("ladder_desktop.search", "PySide6.QtNetwork")
CODE = """
import json, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from ladder_desktop import start
from ladder_desktop.window import MainWindow
painted = MainWindow.paintEvent
def report(window, event):
    painted(window, event)
    print(json.dumps([sorted(sys.modules), window.current]), flush=True)
    MainWindow.paintEvent = painted
    QTimer.singleShot(0, window, report_again)
def report_again():
    print(json.dumps(sorted(sys.modules)), flush=True)
    start.make_qt().quit()
MainWindow.paintEvent = report
start.run(Path(sys.argv[1]), None)
"""


@pytest.mark.parametrize(
    ("place", "shown"), [("home", "home"), ("drill", None), ("study:hub", None), ("live", None)]
)
def test_what_the_first_picture_does_not_need_loads_after_it(
    tmp_path: Path, place: str, shown: str | None
) -> None:
    """A page other than Today is made once the window is there."""
    preferences = Preferences.open(tmp_path)
    preferences.place = place
    preferences.file.sync()
    subprocess.run([sys.executable, "-c", CODE, tmp_path], check=True, capture_output=True)  # reads the pack
    second = subprocess.run(
        [sys.executable, "-c", CODE, tmp_path], check=True, capture_output=True, text=True
    )
    (loaded, current), loaded_then = map(json.loads, second.stdout.splitlines())
    assert [name for name in LATE if name in loaded] == []
    assert "ladder_desktop.window" in loaded
    assert current == shown
    assert place != "home" or [name for name in ONCE_SETTLED if name in loaded_then] == []


def test_the_search_is_made_ready_once_the_window_has_settled(application: Application, qtbot: QtBot) -> None:
    with qtbot.waitSignal(application.settled):
        pass
    qtbot.waitUntil(lambda: any(application.data_dir.glob("search*")))


@pytest.mark.parametrize(("place", "page"), [("home", "home"), ("drill", "drill"), ("gone:1", "home")])
def test_the_window_goes_where_the_person_was_once_it_is_painted(
    application: Application, tmp_path: Path, qtbot: QtBot, place: str, page: str
) -> None:
    again = Application(tmp_path / "two", application.pack, Desk.open(tmp_path / "two"), load_theme("light"))
    again.begin(place)
    qtbot.waitUntil(lambda: again.window.current == page)
    again.close()


FIRST = """
import sys
from pathlib import Path
from ladder_desktop import start
from ladder_desktop.window import MainWindow
def report(window, key):
    print(key, flush=True)
    if key == "drill":
        start.make_qt().quit()
made = MainWindow.__init__
def make(window, *arguments):
    made(window, *arguments)
    window.page_shown.connect(lambda key: report(window, key))
MainWindow.__init__ = make
start.run(Path(sys.argv[1]), None)
"""
SECOND = (
    "import sys; from pathlib import Path; from ladder_desktop import start; "
    "sys.exit(start.run(Path(sys.argv[1]), None, None, 'drill'))"
)


def test_a_second_start_leads_the_first_window_where_it_was_asked_to_go(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", FIRST, tmp_path], stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline().strip() == "home"
        second = subprocess.run([sys.executable, "-c", SECOND, tmp_path], check=False, timeout=60)
        if second.returncode:
            first.kill()
        assert second.returncode == 0
        assert first.stdout.readline().strip() == "drill"
