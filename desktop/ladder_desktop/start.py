"""Opens the window and stays until it is closed: one instance, the copy of the day, faults at the start, the way out."""

from __future__ import annotations

import logging
import sys
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType

from ladder_content.bundled import bundled_pack
from ladder_content.faults import PackError

from ladder_desktop.pack_cache import load_pack_quickly
from ladder_desktop.study import DamagedError, Desk, StudyError
from ladder_desktop.study.backups import Backups

# Below, for once PySide6 is there it reads the source of every module that loads.
# isort: split
from PySide6.QtWidgets import QApplication, QMessageBox

from ladder_desktop.app import Application
from ladder_desktop.crash import Session
from ladder_desktop.dialogs import show_fault
from ladder_desktop.instance import BusyError, Instance
from ladder_desktop.polite_end import PoliteEnd
from ladder_desktop.preferences import Preferences
from ladder_desktop.theme import Theme, ThemeError, apply, load_theme
from ladder_desktop.theme_file import Themes, wanted_theme


def make_qt() -> QApplication:
    """Return the QApplication, made if there is none yet."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    app = QApplication(["runtime-ladder"])
    app.setApplicationName("Runtime Ladder")
    app.setDesktopFileName("runtime-ladder")
    return app


def dressed(qt: QApplication, key: str) -> Theme:
    """Dress Qt in a bundled theme, whatever the preferences say, and return it."""
    theme = load_theme(key)
    apply(qt, theme)
    return theme


def run(data_dir: Path, pack_path: Path | None, theme_key: str | None = None, target: str = "") -> int:
    """Open the window and stay until it is closed. Returns the exit status; faults come as a dialog and status 2.

    `pack_path` None is the bundled pack; `theme_key` is chosen as if in the settings; `target` is where to begin. If
    a window is open on this folder already, it is asked to go there instead.
    """
    qt = make_qt()
    with closing(PoliteEnd(qt)) as end:
        return _run(qt, end, data_dir, pack_path, theme_key, target)


def _run(
    qt: QApplication,
    end: PoliteEnd,
    data_dir: Path,
    pack_path: Path | None,
    theme_key: str | None,
    target: str,
) -> int:
    data_dir_made = _make(data_dir)
    instance = Instance(data_dir)
    try:
        if data_dir_made and not instance.claim(target, str(pack_path.resolve()) if pack_path else ""):
            return 0
        theme = _first_theme(qt, data_dir, theme_key)
        pack = load_pack_quickly(pack_path or bundled_pack(), data_dir)
        desk = _open_desk(data_dir)
    except (PackError, StudyError, BusyError, ThemeError) as error:
        instance.release()
        return _refuse(qt, str(error))
    session = Session(data_dir)
    report = session.begin(datetime.now())
    application = Application(data_dir, pack, desk, theme)
    sys.excepthook = partial(_unexpected, application, session)
    instance.asked.connect(application.open_asked)
    application.settled.connect(instance.listen)
    application.begin(target or application.preferences.place)
    if report is not None:
        _offer_way_back(application, report)
    status = 0 if end.wanted else qt.exec()
    application.close()
    session.end()
    instance.release()
    return status


def _make(data_dir: Path) -> bool:
    """Make the data folder; where that fails the store says why."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return True


def _first_theme(qt: QApplication, data_dir: Path, key: str | None) -> Theme:
    """Dress Qt as was chosen; a theme that is not sound any more gives way to the usual one."""
    preferences, themes = Preferences.open(data_dir), Themes(data_dir)
    if key is not None:
        themes.load(key)
        preferences.theme = key
    try:
        theme = wanted_theme(themes, preferences)
    except ThemeError as error:
        print(error, file=sys.stderr)
        theme = load_theme("light")
    apply(qt, theme)
    return theme


def _open_desk(data_dir: Path) -> Desk:
    """Copy what is there, once a day, before anything is done to it; then open it, or the newest copy if it is damaged."""
    backups = Backups(data_dir)
    try:
        backups.make_if_due(datetime.now().date())
    except StudyError as error:
        print(error, file=sys.stderr)  # a copy that cannot be made keeps nobody from studying
    try:
        return Desk.open(data_dir)
    except DamagedError as error:
        newest = next(iter(backups.all()), None)
        if newest is None or not _asked_to_restore(f"{error}", newest.sentence):
            raise
        backups.restore(newest.path, datetime.now())
        return Desk.open(data_dir)


def _asked_to_restore(fault: str, copy: str) -> bool:
    box = QMessageBox(QMessageBox.Icon.Warning, "Runtime Ladder", fault)
    box.setInformativeText(f"The newest sound copy is of {copy}. The damaged file is kept.")
    use = box.addButton("Go on with the copy", QMessageBox.ButtonRole.AcceptRole)
    box.addButton("Quit", QMessageBox.ButtonRole.RejectRole)
    box.exec()
    return box.clickedButton() is use


def _refuse(qt: QApplication, sentence: str) -> int:
    """Say why no window can be opened."""
    dressed(qt, "light")
    print(sentence, file=sys.stderr)
    show_fault(None, sentence).exec()
    return 2


def _offer_way_back(application: Application, report: Path) -> None:
    """After a session that broke off: the window is where it was; say so, and where the report is."""
    box = QMessageBox(
        QMessageBox.Icon.Information,
        "Runtime Ladder",
        "Runtime Ladder did not end as it should last time. Every answer you gave is stored.",
        parent=application.window,
    )
    box.setInformativeText(f"A report without private texts is in {report}.")
    box.addButton("Go on where I was", QMessageBox.ButtonRole.AcceptRole)
    today = box.addButton("Begin at Today", QMessageBox.ButtonRole.RejectRole)
    today.clicked.connect(partial(application.go, "home"))
    box.open()


def _unexpected(
    application: Application,
    session: Session,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
) -> None:
    """A fault out of a slot: say it in a sentence and keep the window; one that nobody foresaw is reported."""
    if isinstance(error, StudyError):
        show_fault(application.window, str(error))
        return
    logging.getLogger("ladder").error("unexpected fault", exc_info=(kind, error, trace))
    report = session.note(kind, trace, datetime.now())
    where = f" A report without private texts is in {report}." if report else ""
    show_fault(
        application.window,
        f"Something went wrong that should not have: {error}. Nothing stored is lost.{where}",
    )
