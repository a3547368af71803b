"""Opens the window and stays until it is closed: the QApplication, the theme, faults at the start, and the way out."""

from __future__ import annotations

import logging
import signal
import sys
from functools import partial
from pathlib import Path
from types import TracebackType

from ladder_content.loader import PackError, load_pack
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from ladder_desktop.app import Application
from ladder_desktop.dialogs import show_fault
from ladder_desktop.preferences import Preferences
from ladder_desktop.study import Desk, StudyError
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


def run(data_dir: Path, pack_path: Path, theme_key: str | None = None) -> int:
    """Open the window and stay until it is closed. Returns the exit status; faults come as a dialog and status 2.

    `theme_key` is chosen as if in the settings; None keeps what was chosen.
    """
    qt = make_qt()
    try:
        pack, desk = load_pack(pack_path), Desk.open(data_dir)
    except (PackError, StudyError) as error:
        dressed(qt, "light")
        box = show_fault(None, str(error))
        print(error, file=sys.stderr)
        box.exec()
        return 2
    application = Application(data_dir, pack, desk, _first_theme(qt, data_dir, theme_key))
    sys.excepthook = partial(_unexpected, application)
    _quit_on_interrupt(qt)
    application.window.show()
    application.go(application.preferences.place)
    application.search.prepare_in_background()
    status = qt.exec()
    application.close()
    return status


def _first_theme(qt: QApplication, data_dir: Path, key: str | None) -> Theme:
    """Dress Qt as was chosen; a theme that is not sound any more gives way to the usual one."""
    preferences, themes = Preferences.open(data_dir), Themes(data_dir)
    if key is not None:
        preferences.theme = key
    try:
        theme = wanted_theme(themes, preferences)
    except ThemeError as error:
        print(error, file=sys.stderr)
        theme = load_theme("light")
    apply(qt, theme)
    return theme


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
