"""What the window's tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ladder_content.loader import bundled_pack, load_pack
from ladder_content.model import Pack
from ladder_desktop.app import Application
from ladder_desktop.preferences import Preferences
from ladder_desktop.study import Desk
from ladder_desktop.theme import apply, load_theme
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.desktop.leaks import Running, left_behind


class HoldingBot(QtBot):
    """Keeps what it is given until the test ends: an unheld page, collected in the middle, is called after its death."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        super().__init__(request)
        self._held: list[QWidget] = []

    def addWidget(self, widget: QWidget, **more: Any) -> None:
        """Hold the widget, and close it after the test."""
        self._held.append(widget)
        super().addWidget(widget, **more)

    add_widget = addWidget


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> HoldingBot:
    return HoldingBot(request)


@pytest.fixture(autouse=True)
def nothing_is_left_behind(qapp: QApplication) -> Iterator[None]:
    """A test ends what it began: threads, timers, windows and processes."""
    before = Running()
    yield
    found = left_behind(qapp, before)
    assert not found, f"the test left behind: {'; '.join(found)}"


@pytest.fixture(autouse=True)
def loops_still_turn_after_a_test(qapp: QApplication, nothing_is_left_behind: None) -> Iterator[None]:
    """A wish to quit that comes after the application's loop would end every loop of later tests at once."""
    yield
    qapp.processEvents()
    QTimer.singleShot(0, qapp.quit)
    qapp.exec()


@pytest.fixture(autouse=True)
def widgets_are_gone_after_a_test(qapp: QApplication, nothing_is_left_behind: None) -> Iterator[None]:
    """Widgets that wait to be deleted would be dressed again by every later test that sets a theme."""
    yield
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(scope="session")
def pack() -> Pack:
    return load_pack(bundled_pack())


@pytest.fixture
def application(qapp: QApplication, tmp_path: Path, pack: Pack) -> Iterator[Application]:
    theme = load_theme("light")
    apply(qapp, theme)
    Preferences.open(tmp_path / "data").introduced = True
    made = Application(tmp_path / "data", pack, Desk.open(tmp_path / "data"), theme)
    made.begin("home")
    yield made
    while (dialog := QApplication.activeModalWidget()) is not None:
        dialog.close()  # a test that failed may have left one, and the next test would not get the keyboard
    made.close()
    made.deleteLater()
