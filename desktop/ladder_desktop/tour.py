"""The tour: drives the real window offscreen through the three journeys and leaves a picture of every page.

It presses the keys a person would press, on a profile of its own, and says what happened. `make run` takes it where
there is no display, `make pictures` takes it for the README, and a test takes it whole.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ladder_content.loader import bundled_pack, load_pack
from ladder_engine.lab.scenario import bundled_scenarios
from ladder_engine.tracing.summary import summarize_state
from PySide6.QtCore import (
    QDeadlineTimer,
    QEventLoop,
    QMessageLogContext,
    Qt,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from ladder_desktop import exporting
from ladder_desktop.app import Application
from ladder_desktop.lessons.lesson_page import LessonPage
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.ticket_page import TicketPage
from ladder_desktop.start import dressed, make_qt
from ladder_desktop.study import Desk

SANDBOX_SECONDS = 60
SCENARIOS = 4  # of those that come with the project, the first ones; they end by themselves
ENGINE_SECONDS = 180  # how long a run may take on a busy machine before the tour gives up
PageT = TypeVar("PageT", bound=QWidget)


class TourError(Exception):
    """A journey did not get through; the message says where it stopped."""


class Tour:
    """Three journeys over one window. `say` takes each line of what happened."""

    def __init__(self, out: Path, say: Callable[[str], None]) -> None:
        self._out = out
        self._say = say

    def run(self) -> None:
        """Take the tour in the light theme, then picture the main pages again in the dark one."""
        qInstallMessageHandler(_pass_on)
        try:
            self._out.mkdir(parents=True, exist_ok=True)
            for old in self._out.glob("*.png"):
                old.unlink()
        except OSError as error:
            raise TourError(f"{self._out} cannot hold the pictures ({error.strerror}).") from error
        qt = make_qt()
        with tempfile.TemporaryDirectory() as profile:
            self._open(qt, Path(profile), "light")
            try:
                self._candidate()
                self._watcher()
                self._coach()
            finally:
                self._application.close()
            self._open(qt, Path(profile), "dark")
            try:
                self._dark()
            finally:
                self._application.close()
        pictures = len(list(self._out.glob("*.png")))
        self._say(f"{pictures} pictures are in {self._out}/.")

    def _open(self, qt: QApplication, profile: Path, theme: str) -> None:
        desk, pack = Desk.open(profile), load_pack(bundled_pack())
        self._application = Application(profile, pack, desk, dressed(qt, theme))
        self._window = self._application.window
        self._window.resize(1280, 820)
        self._window.show()
        QTest.qWaitForWindowExposed(self._window)
        self._window.activateWindow()

    # The candidate reads, drills and diagnoses ------------------------------------------------------------------

    def _candidate(self) -> None:
        self._window.show_page("home")
        self._shot("home")
        self._read()
        self._drill()
        self._diagnose()

    def _read(self) -> None:
        study = self._application.pack.studies[0]
        lesson = self._show(f"study:{study.id}", LessonPage)
        self._shot("gist")
        self._press(Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
        for one in study.maps:
            lesson.show_map(one.id)
            self._shot(f"map-{one.id}")
        self._press(Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
        self._press(Qt.Key.Key_Space)
        self._shot("questions")
        sandbox = lesson.sandbox
        if sandbox is None:
            raise TourError(f"{study.title} has no sandbox.")
        self._press(Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
        self._press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        self._wait(lambda: not sandbox.runner.running, SANDBOX_SECONDS, "The program in the sandbox")
        self._shot("sandbox")
        self._say(
            f"Candidate: read {study.title}: {len(study.sections)} sections, {len(study.maps)} maps, "
            f"{len(study.cards)} cards, {len(study.tickets)} tickets."
        )

    def _drill(self) -> None:
        desk, page = self._application.desk, self._show("drill", DrillPage)
        self._shot("drill-question")
        first = page.item
        self._press(Qt.Key.Key_Space)
        self._shot("drill")
        for key in (Qt.Key.Key_3, Qt.Key.Key_1, Qt.Key.Key_4):
            if not page.can_rate():
                self._press(Qt.Key.Key_Space)
            self._press(key)
        rated = len(desk.history.reviews())
        self._press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        if (rated, len(desk.history.reviews())) != (3, 2) or desk.history.rebuild_mismatches():
            raise TourError(f"Drilling {first} did not leave the log it should have left.")
        self._say(
            "Candidate: drilled 3 cards by keyboard and took the last one back; the log leads to the states."
        )

    def _diagnose(self) -> None:
        page = self._show("tickets", TicketPage)
        self._shot("tickets")
        self._press(Qt.Key.Key_Return)
        self._press(Qt.Key.Key_A)
        self._shot("ticket-step")
        for _ in range(3):
            if page.diagnosis is None or page.diagnosis.current is None:
                raise TourError("The ticket ended before its fourth step.")
            right = next(
                n for n, option in enumerate(page.diagnosis.shown(page.diagnosis.current)) if option.correct
            )
            self._press(Qt.Key(Qt.Key.Key_1 + right))
        if page.diagnosis is None:
            raise TourError("The ticket was gone before it was rated.")
        right_steps = page.diagnosis.right
        self._shot("ticket-decided")
        self._press(Qt.Key.Key_Space)
        if len(self._application.desk.history.reviews()) != 3:
            raise TourError("The ticket's rating is not in the log.")
        self._say(f"Candidate: diagnosed a ticket, {right_steps} of 4 steps right, rated as suggested.")

    # The watcher runs every scenario ----------------------------------------------------------------------------

    def _watcher(self) -> None:
        page = self._show("live", LivePage)
        self._shot("live-empty")
        scenarios = bundled_scenarios()[:SCENARIOS]
        for scenario in scenarios:
            page.choose(scenario.id)
            self._press(Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
            self._wait(
                lambda: page.player.edge.ended is not None, ENGINE_SECONDS, f"The run of {scenario.id}"
            )
            page.step_by(0)
            page.seek(page.player.last * 2 // 5)
            page.select(0)
            self._shot("live" if scenario is scenarios[-1] else f"live-{scenario.id}")
            summary = summarize_state(page.player.edge)
            if summary.error:
                raise TourError(f"The run of {scenario.id} broke off: {summary.error}")
            self._say(f"Watcher: {scenario.id}")
            for line in summary.lines()[1:]:
                self._say(f"    {line}")

    # The coach takes the progress away and brings it back --------------------------------------------------------

    def _coach(self) -> None:
        desk, out = self._application.desk, self._out / "export"
        out.mkdir(exist_ok=True)
        for suffix in exporting.FORMATS:
            path = out / f"progress{suffix}"
            self._application.export(path)
            self._say(f"Coach: wrote {path} ({path.stat().st_size:,} bytes).")
        with tempfile.TemporaryDirectory() as empty:
            other = Desk.open(Path(empty))
            try:
                count = exporting.import_bundle(out / "progress.ladder", other)
                same = {state.item.item_id: state.memory for state in desk.states()} == {
                    state.item.item_id: state.memory for state in other.states()
                }
            finally:
                other.close()
        if not same:
            raise TourError("The bundle did not bring back the same card states.")
        self._say(f"Coach: read {count} reviews back into an empty profile; every card state is the same.")

    def _dark(self) -> None:
        self._window.show_page("home")
        self._shot("dark-home")
        study = self._application.pack.studies[0]
        lesson = self._show(f"study:{study.id}", LessonPage)
        self._shot("dark-gist")
        lesson.show_map(study.maps[0].id)
        self._shot("dark-map")
        self._show("drill", DrillPage)
        self._press(Qt.Key.Key_Space)
        self._shot("dark-drill")
        page = self._show("live", LivePage)
        self._press(Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
        self._wait(lambda: page.player.edge.ended is not None, ENGINE_SECONDS, "The run in the dark theme")
        page.seek(page.player.last // 2)
        self._shot("dark-live")

    # Hands and eyes ---------------------------------------------------------------------------------------------

    def _show(self, key: str, kind: type[PageT]) -> PageT:
        self._window.show_page(key)
        page = self._window.page(key)
        if not isinstance(page, kind):
            raise TourError(f"The page {key} is not a {kind.__name__}.")
        self._settle()
        return page

    def _press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(QApplication.focusWidget() or self._window, key, modifier)
        self._settle()

    def _shot(self, name: str) -> None:
        self._settle()
        if not self._window.grab().save(str(self._out / f"{name}.png")):
            raise TourError(f"{self._out / name}.png cannot be written.")

    def _settle(self) -> None:
        """Let the window do what it has to do, and let what moves come to rest."""
        QTest.qWait(60)

    def _wait(self, done: Callable[[], bool], seconds: float, what: str) -> None:
        deadline = QDeadlineTimer(int(seconds * 1000))
        while not done():
            if deadline.hasExpired():
                raise TourError(f"{what} did not end within {seconds:.0f} seconds.")
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)


def _pass_on(_kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    """Print what Qt has to say, except what the offscreen platform says of every window."""
    if "propagateSizeHints" not in message:
        print(message, file=sys.stderr)
