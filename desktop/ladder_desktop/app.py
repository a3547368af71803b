"""Builds everything once; the one place where the parts meet."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, cast

from ladder_content.loader import PackError, load_pack
from ladder_content.model import Pack, Study
from PySide6.QtCore import QObject, QSettings, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from ladder_desktop import exporting
from ladder_desktop.dialogs import show_fault, show_notice
from ladder_desktop.garbage import GarbageCollector
from ladder_desktop.home_page import HomePage
from ladder_desktop.study import Desk, StudyError, items_of, kin_of
from ladder_desktop.theme import Theme, apply, load_theme
from ladder_desktop.window import Entry, MainWindow

if TYPE_CHECKING:
    from ladder_desktop.live.live_page import LivePage

EXPORT_FILTERS = ";;".join(
    f"{words[0].upper()}{words[1:]} (*{suffix})" for suffix, words in exporting.FORMATS.items()
)


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
        settings = QSettings(str(data_dir / "window.ini"), QSettings.Format.IniFormat)
        self.window = MainWindow(self._entries(), self._file_actions(), settings)
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
            Entry(f"study:{study.id}", f"{study.number}. {study.title}", partial(self._build_lesson, study))
            for study in self.pack.studies
        ]
        return [
            Entry("home", "Today", self._build_home),
            *studies,
            Entry("drill", "Drill", self._build_drill),
            Entry("tickets", "Tickets", self._build_tickets),
            Entry("live", "Live lab", self._build_live),
        ]

    def _build_home(self) -> QWidget:
        page = HomePage(self.desk, self.pack)
        page.go.connect(self._go)
        return page

    def _go(self, key: str) -> None:
        """Show a page by its key; `live:<scenario>` also picks the scenario."""
        page, _, scenario_id = key.partition(":")
        if page == "live" and scenario_id:
            self.window.show_page("live")
            cast("LivePage", self.window.page("live")).choose(scenario_id)
        else:
            self.window.show_page(key)

    def _build_lesson(self, study: Study) -> QWidget:
        from ladder_desktop.lessons.lesson_page import LessonPage

        page = LessonPage(self.pack, study, self.theme)
        page.go.connect(self._go)
        return page

    def _build_drill(self) -> QWidget:
        from ladder_desktop.review.drill_page import DrillPage

        page = DrillPage(self.desk, self.pack, self.theme)
        page.go.connect(self._go)
        page.answered.connect(self.refresh_counts)
        return page

    def _build_tickets(self) -> QWidget:
        from ladder_desktop.review.ticket_page import TicketPage

        page = TicketPage(self.desk, self.pack, self.theme)
        page.go.connect(self._go)
        page.answered.connect(self.refresh_counts)
        return page

    def _build_live(self) -> QWidget:
        from ladder_engine.client import EngineClient
        from ladder_engine.scenario import bundled_scenarios

        from ladder_desktop.live.live_page import LivePage

        page = LivePage(bundled_scenarios(), self.theme, EngineClient)
        page.failed.connect(self._say_fault)
        return page

    def _say_fault(self, sentence: str) -> None:
        show_fault(self.window, sentence)

    def _file_actions(self) -> list[QAction]:
        return [
            self._action("&Export progress…", self.ask_export, QKeySequence("Ctrl+E")),
            self._action("&Import progress…", self.ask_import, QKeySequence("Ctrl+Shift+I")),
            self._action("Open a &pack…", self.ask_pack, QKeySequence.StandardKey.Open),
        ]

    def _action(
        self, text: str, slot: Callable[[], None], keys: QKeySequence | QKeySequence.StandardKey
    ) -> QAction:
        action = QAction(text, self)
        action.setShortcut(keys)
        action.triggered.connect(slot)
        return action

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
