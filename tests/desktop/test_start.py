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
    *("numpy", "torch", "pyqtgraph", "yaml", "click", "markdown_it", "pygments", "ziamath", "nh3"),
    *("pydantic_monty", "ladder_engine", "ladder_desktop.search", "ladder_desktop.palette.palette"),
    *("ladder_desktop.lessons", "ladder_desktop.live", "ladder_desktop.stats", "ladder_desktop.interview"),
    *("ladder_desktop.review.drill_page", "ladder_desktop.settings", "ladder_desktop.exporting"),
)
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
    QTimer.singleShot(0, start.make_qt(), start.make_qt().quit)
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
    loaded, current = json.loads(second.stdout.splitlines()[0])
    assert [name for name in LATE if name in loaded] == []
    assert "ladder_desktop.window" in loaded
    assert current == shown


@pytest.mark.parametrize(("place", "page"), [("home", "home"), ("drill", "drill"), ("gone:1", "home")])
def test_the_window_goes_where_the_person_was_once_it_is_painted(
    application: Application, tmp_path: Path, qtbot: QtBot, place: str, page: str
) -> None:
    again = Application(tmp_path / "two", application.pack, Desk.open(tmp_path / "two"), load_theme("light"))
    again.begin(place)
    qtbot.waitUntil(lambda: again.window.current == page)
    again.close()
