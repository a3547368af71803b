"""A session that breaks off: the answer is stored, the next start knows the place, and the report keeps secrets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from ladder_desktop import start
from ladder_desktop.app import Application
from ladder_desktop.crash import REPORTS, Session
from ladder_desktop.preferences import Preferences
from ladder_desktop.study import Desk
from PySide6.QtWidgets import QMessageBox, QPushButton

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 30, 18, 40)
WINDOW = """
import sys
sys.path[:0] = {rooms!r}
from pathlib import Path
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from ladder_desktop import app, start

class Watched(app.Application):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        QTimer.singleShot(0, self.answer)

    def answer(self):
        self.go("drill")
        page = self.window.page("drill")
        page.reveal()
        page.rate(start_rating)
        print("answered", flush=True)
        {then}

from ladder_desktop.study import Rating
start_rating = Rating.GOOD
start.Application = Watched
sys.exit(start.run(Path({folder!r}), None))
"""


def run_window(folder: Path, then: str) -> subprocess.Popen[str]:
    rooms = [str(ROOT / room) for room in ("desktop", "content", "engine", "kernels")]
    code = WINDOW.format(rooms=rooms, folder=str(folder), then=then)
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )


def report_of(folder: Path) -> Path | None:
    """What the next session finds."""
    session = Session(folder)
    report = session.begin(NOW)
    session.end()
    return report


def test_a_window_killed_after_an_answer_has_lost_nothing_and_comes_back_to_its_place(tmp_path: Path) -> None:
    window = run_window(tmp_path, "pass")
    assert window.stdout is not None
    assert window.stdout.readline().strip() == "answered"
    window.send_signal(signal.SIGKILL)
    window.wait()
    window.stdout.close()
    with Desk.open(tmp_path) as desk:
        assert len(desk.history.reviews()) == 1
        assert desk.history.rebuild_mismatches() == []
    assert Preferences.open(tmp_path).place == "drill"
    report = report_of(tmp_path)
    assert report is not None
    assert "it was killed" in report.read_text("utf-8")


def test_a_hard_crash_leaves_its_stacks(tmp_path: Path) -> None:
    window = run_window(tmp_path, "import faulthandler; faulthandler._sigsegv()")
    window.communicate(timeout=120)
    assert window.returncode == -signal.SIGSEGV
    report = report_of(tmp_path)
    assert report is not None
    assert "Segmentation fault" in report.read_text("utf-8")
    assert "in answer" in report.read_text("utf-8")


def test_a_session_that_ends_well_leaves_nothing(tmp_path: Path) -> None:
    session = Session(tmp_path)
    assert session.begin(NOW) is None
    assert (tmp_path / "session.json").exists()
    session.end()
    assert list(tmp_path.iterdir()) == []
    again = Session(tmp_path)
    assert again.begin(NOW) is None
    again.end()


def test_a_report_says_where_and_of_which_kind_but_not_what_was_written(tmp_path: Path) -> None:
    session = Session(tmp_path)
    secret = "my private note"
    try:
        raise ValueError(secret)
    except ValueError as error:
        report = session.note(ValueError, error.__traceback__, NOW)
    assert report is not None
    text = report.read_text("utf-8")
    assert "builtins.ValueError" in text
    assert "test_crash.py" in text
    assert "Python 3" in text
    assert secret not in text
    for number in range(REPORTS + 3):
        session.note(ValueError, None, NOW + timedelta(seconds=number))
    assert len(list(report.parent.iterdir())) == REPORTS


def test_the_next_start_offers_the_way_back(application: Application, tmp_path: Path) -> None:
    application.go("tickets")
    start._offer_way_back(application, tmp_path / "report.txt")
    box = application.window.findChild(QMessageBox)
    assert "Every answer you gave is stored" in box.text()
    assert "report.txt" in box.informativeText()
    assert application.window.current == "tickets"
    today = next(button for button in box.findChildren(QPushButton) if "Today" in button.text())
    today.click()
    assert application.window.current == "home"


def test_a_fault_nobody_foresaw_is_told_and_reported_and_the_window_stays(
    application: Application, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session = Session(tmp_path)
    start._unexpected(application, session, ZeroDivisionError, ZeroDivisionError("nothing"), None)
    box = application.window.findChild(QMessageBox)
    assert "Nothing stored is lost" in box.text()
    assert "report-" in box.text()
    assert len(list((tmp_path / "reports").iterdir())) == 1
    assert "unexpected fault" in caplog.text
