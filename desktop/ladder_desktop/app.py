"""Builds everything once; the one place where the parts meet."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ladder_content.loader import PackError, load_pack
from ladder_content.model import Pack, Study
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from ladder_desktop import exporting
from ladder_desktop.actions import ActionRegistry, make_action
from ladder_desktop.data_option import models_dir
from ladder_desktop.dialogs import show_fault, show_notice
from ladder_desktop.garbage import GarbageCollector
from ladder_desktop.home_page import HomePage
from ladder_desktop.preferences import Preferences
from ladder_desktop.study import Desk, StudyError, items_of, kin_of
from ladder_desktop.targets import parse
from ladder_desktop.theme import Theme, apply, load_theme
from ladder_desktop.window import Entry, MainWindow

if TYPE_CHECKING:
    from ladder_engine.scenario import Scenario

EXPORT_FILTERS = ";;".join(
    f"{words[0].upper()}{words[1:]} (*{suffix})" for suffix, words in exporting.FORMATS.items()
)


# How each kind of page is told what to show; it raises LookupError if it has no such thing.
SHOWS = {
    "study": "show_place",
    "ticket": "show_ticket",
    "card": "show_card",
    "drill": "cram",
    "live": "choose",
    "settings": "show_panel",
}


class Application(QObject):
    """The window with everything behind it. Owns the desk and the pack; closes the desk when the window closes."""

    def __init__(self, data_dir: Path, pack: Pack, desk: Desk, theme: Theme) -> None:
        super().__init__()
        self.data_dir = data_dir
        self.pack = pack
        self.desk = desk
        self.theme = theme
        self._garbage = GarbageCollector(self)
        self._closed = False
        desk.register(items_of(pack), kin_of(pack))
        self.preferences = Preferences.open(data_dir)
        self.registry = ActionRegistry(self.preferences, self)
        self.window = MainWindow(self._entries(), self._file_actions(), self.preferences, self.registry)
        self.window.page_shown.connect(self.refresh_counts)
        self.refresh_counts()

    def open_pack(self, path: Path) -> None:
        """Read a pack somebody made and show it instead of the present one; PackError leaves all as it was."""
        pack = load_pack(path)
        self.desk.register(items_of(pack), kin_of(pack))
        self.pack = pack
        self.window.set_entries(self._entries())

    def export(self, path: Path) -> exporting.Exported:
        """Write the progress to a file; its suffix says in which form. ExportError says why not."""
        return exporting.export(path, self.desk, self.pack)

    def refresh_counts(self) -> None:
        """Say in the rail how much waits."""
        for key, label, kind in (("drill", "Drill", "card"), ("tickets", "Tickets", "ticket")):
            counts = self.desk.counts(kind)
            waiting = counts.due + counts.learning + counts.new
            self.window.set_label(key, f"{label}   {waiting}" if waiting else label)

    def close(self) -> None:
        """Close the window, stop what the pages run, and close the database."""
        if self._closed:
            return
        self._closed = True
        self.window.close()
        self.window.take_down()
        self.desk.close()
        self._garbage.stop()

    def _entries(self) -> list[Entry]:
        studies = [
            (f"study:{study.id}", f"{study.number}. {study.title}", partial(self._build_lesson, study))
            for study in self.pack.studies
        ]
        pages: list[tuple[str, str, Callable[[], QWidget]]] = [
            ("home", "Today", self._build_home),
            *studies,
            ("drill", "Drill", self._build_drill),
            ("tickets", "Tickets", self._build_tickets),
            ("interview", "Mock interview", self._build_interview),
            ("live", "Live lab", self._build_live),
            ("stats", "Statistics", self._build_stats),
        ]
        return [
            Entry(*page, keys=(f"Alt+{number % 10}",) if number <= 10 else ())
            for number, page in enumerate(pages, start=1)
        ]

    def _build_home(self) -> QWidget:
        page = HomePage(self.desk, self.pack)
        page.go.connect(self.go)
        return page

    def go(self, target: str) -> None:
        """Lead to a target (see targets.py). One that there is not changes nothing and is told in the status line."""
        place = parse(target)
        if not self.window.has_page(place.page):
            self.window.say(f"There is no page {target} in this pack.")
            return
        self.window.show_page(place.page)
        if not place.rest:
            return
        show = getattr(self.window.page(place.page), SHOWS[place.kind], None)
        try:
            if show is None:
                raise LookupError(target)
            show(*place.arguments)
        except LookupError:
            self.window.say(f"There is nothing here called {place.rest}.")

    def _build_lesson(self, study: Study) -> QWidget:
        from ladder_desktop.lessons.lesson_page import LessonPage

        page = LessonPage(self.pack, study, self.theme, memory=self.preferences, voice=self.preferences)
        page.go.connect(self.go)
        return page

    def _build_drill(self) -> QWidget:
        from ladder_desktop.review.drill_page import DrillPage

        page = DrillPage(self.desk, self.pack, self.theme)
        page.go.connect(self.go)
        page.answered.connect(self.refresh_counts)
        return page

    def _build_tickets(self) -> QWidget:
        from ladder_desktop.review.ticket_page import TicketPage

        page = TicketPage(self.desk, self.pack, self.theme, variants=self._variants)
        page.go.connect(self.go)
        page.answered.connect(self.refresh_counts)
        return page

    def _build_interview(self) -> QWidget:
        from ladder_desktop.interview.interview_page import InterviewPage

        page = InterviewPage(self.desk, self.pack, self.theme, voice=self.preferences)
        page.go.connect(self.go)
        page.answered.connect(self.refresh_counts)
        return page

    def _build_live(self) -> QWidget:
        from ladder_engine.client import EngineClient

        from ladder_desktop.live.live_page import LivePage

        client = partial(EngineClient, models_dir=models_dir(self.data_dir))
        page = LivePage(self._scenarios, self.theme, client)
        page.failed.connect(self._say_fault)
        page.go.connect(self.go)
        return page

    @cached_property
    def _scenarios(self) -> tuple[Scenario, ...]:
        from ladder_engine.scenario import bundled_scenarios

        return bundled_scenarios()

    def _variants(self, scenario_id: str) -> Sequence[str]:
        return next((one.variant_names for one in self._scenarios if one.id == scenario_id), ())

    def _build_stats(self) -> QWidget:
        from ladder_desktop.stats.stats_page import StatsPage

        page = StatsPage(self.desk, self.pack, self.theme)
        page.go.connect(self.go)
        return page

    def _say_fault(self, sentence: str) -> None:
        show_fault(self.window, sentence)

    def _file_actions(self) -> list[QAction]:
        return [
            make_action(self, "window.export", "&Export progress…", self.ask_export, ["Ctrl+E"]),
            make_action(self, "window.import", "&Import progress…", self.ask_import, ["Ctrl+Shift+I"]),
            make_action(self, "window.open-pack", "Open a &pack…", self.ask_pack, ["Ctrl+O"]),
        ]

    def ask_export(self) -> None:
        """Ask for a file name and write the progress there."""
        name, chosen = QFileDialog.getSaveFileName(
            self.window, "Export progress", str(Path.home() / "runtime-ladder.apkg"), EXPORT_FILTERS
        )
        if not name:
            return
        path = Path(name)
        if path.suffix == "":
            path = path.with_suffix(chosen.rsplit("*", 1)[-1].rstrip(")"))
            if path.exists():  # the dialog asked about another name
                show_fault(self.window, f"{path} exists already; give its whole name to replace it.")
                return
        try:
            exported = self.export(path)
        except (exporting.ExportError, StudyError) as error:
            show_fault(self.window, str(error))
        else:
            show_notice(self.window, exported.sentence)

    def ask_import(self) -> None:
        """Ask for a progress bundle and read it into this profile, which must be empty."""
        name, _ = QFileDialog.getOpenFileName(
            self.window, "Import progress", "", "Progress bundle (*.ladder)"
        )
        if not name:
            return
        try:
            count = exporting.import_bundle(Path(name), self.desk)
        except (exporting.ImportFault, StudyError) as error:
            show_fault(self.window, str(error))
        else:
            show_notice(self.window, f"{count} reviews were read from {Path(name).name}.")
            self.window.show_page("home")
            self.refresh_counts()

    def ask_pack(self) -> None:
        """Ask for a pack (a zip, or the pack.yaml of a folder) and open it."""
        name, _ = QFileDialog.getOpenFileName(self.window, "Open a pack", "", "Packs (*.zip pack.yaml)")
        if not name:
            return
        path = Path(name)
        try:
            self.open_pack(path.parent if path.name == "pack.yaml" else path)
        except (PackError, StudyError) as error:
            show_fault(self.window, str(error))


def make_qt() -> QApplication:
    """Return the QApplication, made if there is none yet."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    app = QApplication(["runtime-ladder"])
    app.setApplicationName("Runtime Ladder")
    app.setDesktopFileName("runtime-ladder")
    return app


def choose_theme(qt: QApplication, name: str) -> Theme:
    """Dress Qt in the named theme; `system` follows the platform's light or dark."""
    if name == "system":
        name = "dark" if qt.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light"
    theme = load_theme(name)
    apply(qt, theme)
    return theme


def run(data_dir: Path, pack_path: Path, theme_name: str) -> int:
    """Open the window and stay until it is closed. Returns the exit status; faults come as a dialog and status 2."""
    qt = make_qt()
    theme = choose_theme(qt, theme_name)
    try:
        pack, desk = load_pack(pack_path), Desk.open(data_dir)
    except (PackError, StudyError) as error:
        box = show_fault(None, str(error))
        print(error, file=sys.stderr)
        box.exec()
        return 2
    application = Application(data_dir, pack, desk, theme)
    sys.excepthook = partial(_unexpected, application)
    _quit_on_interrupt(qt)
    application.window.show()
    status = qt.exec()
    application.close()
    return status


def _quit_on_interrupt(qt: QApplication) -> None:
    """Ctrl+C in the terminal quits as the menu does; Python's own handler would raise in the midst of some slot."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: QTimer.singleShot(0, qt.quit))


def _unexpected(
    application: Application, kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """A fault out of a slot: say it in a sentence and keep the window; one that nobody foresaw is logged whole."""
    if isinstance(error, StudyError):
        show_fault(application.window, str(error))
        return
    logging.getLogger("ladder").error("unexpected fault", exc_info=(kind, error, trace))
    show_fault(
        application.window, f"Something went wrong that should not have: {error}. Nothing stored is lost."
    )
