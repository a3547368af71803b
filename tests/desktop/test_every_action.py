"""Each registered action does the same by every way to reach it: its key, the menu, the palette."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from ladder_desktop.actions import is_in_sight
from ladder_desktop.app import Application
from ladder_desktop.palette.palette import Palette
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

PAGES = ["home", "study:hub", "drill", "tickets", "interview", "stats", "live", "settings"]


def by_key(application: Application, action: QAction, qtbot: QtBot) -> None:
    keys = action.shortcuts()[0][0]
    QTest.keyClick(_focus(application), keys.key(), keys.keyboardModifiers())


def by_menu(application: Application, action: QAction, qtbot: QtBot) -> None:
    for menu in application.window._menus.values():
        menu.aboutToShow.emit()
        if action in menu.actions():
            menu.actions()[menu.actions().index(action)].trigger()
            return
    raise AssertionError(f"{action.objectName()} is in no menu")


def by_palette(application: Application, action: QAction, qtbot: QtBot) -> None:
    application.palette.open()
    palette = next(one for one in application.window.findChildren(Palette) if one.isVisible())
    qtbot.waitUntil(palette.line.hasFocus, timeout=30_000)
    row = [line.choice for line in palette.lines()].index(action.objectName())
    palette.list.setCurrentRow(row)
    QTest.keyClick(palette.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None, timeout=30_000)


def _note(done: list[str], name: str, *_: object) -> None:
    done.append(name)


def _focus(application: Application) -> object:
    return application.window.focusWidget() or application.window


@pytest.mark.parametrize("page", PAGES)
def test_by_every_way(application: Application, page: str, qtbot: QtBot) -> None:
    """The actions' own slots are kept from running: what counts is that each way triggers exactly that action."""
    application.window.show_page(page)
    if (ticker := getattr(application.window.page(page), "ticker", None)) is not None:
        ticker.stop()  # it would disable again what the test enables
    actions = [
        action
        for action in application.window.all_actions()
        if is_in_sight(action) and action.objectName() not in ("window.palette",)
    ]
    assert len(actions) > 15
    done: list[str] = []
    for action in actions:
        action.triggered.disconnect()
        action.setEnabled(True)
        action.triggered.connect(partial(_note, done, action.objectName()))
    ways: list[Callable[[Application, QAction, QtBot], None]] = [by_menu, by_palette]
    for action in actions:
        for way in ways:
            done.clear()
            action.setEnabled(True)  # a page that looks at its desk again may just have disabled it
            way(application, action, qtbot)
            assert done == [action.objectName()], way.__name__
        if action.shortcuts():
            done.clear()
            others = [other for other in actions if other is not action]
            for other in others:  # those that take turns with it
                if any(keys in action.shortcuts() for keys in other.shortcuts()):
                    other.setEnabled(False)
            action.setEnabled(True)
            by_key(application, action, qtbot)
            for other in others:
                other.setEnabled(True)
            assert done == [action.objectName()], "key"
