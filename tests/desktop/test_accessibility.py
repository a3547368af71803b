"""Every page can be used without a mouse and without eyes: names, Tab, and a focus that can be seen."""

from __future__ import annotations

import pytest
from ladder_desktop.app import Application
from ladder_desktop.lessons.code_edit import CodeEdit
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QTabBar, QWidget
from pytestqt.qtbot import QtBot

PLACES = [
    "home",
    "study:hub/gist",
    "study:hub/maps",
    "study:hub/qa",
    "study:hub/sandbox",
    "drill",
    "tickets",
    "interview",
    "stats",
    "live",
    "settings:appearance",
    "settings:study",
    "settings:voice",
    "settings:keys",
    "settings:data",
]


def focusable(application: Application) -> list[QWidget]:
    """Every widget of the page on screen that Tab should reach."""
    page = application.window.page(application.window.current or "")
    return [
        widget
        for widget in page.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisibleTo(application.window)
        and widget.isEnabled()
        and widget.focusProxy() is None
        and not isinstance(widget.parentWidget(), QTabBar)  # the arrows beside tabs that do not fit
    ]


@pytest.fixture(params=PLACES)
def place(application: Application, qtbot: QtBot, request: pytest.FixtureRequest) -> Application:
    application.go(request.param)
    assert not application.window.statusBar().currentMessage()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None, timeout=30_000)
    return application


def test_names_tab_and_visible_focus(place: Application, qtbot: QtBot) -> None:
    """One test for the three, for opening a page costs more than looking at it."""
    wanted = focusable(place)
    nameless = [who(widget) for widget in wanted if not name_of(widget)]
    assert nameless == []
    reached = walk(place, qtbot, len(wanted))
    missed = [f"{who(widget)} {name_of(widget)}" for widget in wanted if widget not in reached]
    assert missed == []
    unseen = [f"{who(widget)} {name_of(widget)}" for widget in wanted if not shows_focus(place, widget)]
    assert unseen == []


def name_of(widget: QWidget) -> str:
    return widget.accessibleName() or str(getattr(widget, "text", str)())


def who(widget: QWidget) -> str:
    return f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}"


def walk(application: Application, qtbot: QtBot, most: int) -> list[QWidget]:
    """Press Tab until the focus comes round; an editor of code keeps Tab and is left with Escape."""
    first = QApplication.focusWidget()
    assert first is not None
    reached = [first]
    for _ in range(10 * most + 300):  # a text keeps Tab for its links before it lets go
        focus = QApplication.focusWidget()
        assert focus is not None
        if focus is first and reached[-1] is not first:
            break
        if focus is not reached[-1]:
            reached.append(focus)
        qtbot.keyClick(focus, Qt.Key.Key_Escape if isinstance(focus, CodeEdit) else Qt.Key.Key_Tab)
    return reached


def shows_focus(application: Application, widget: QWidget) -> bool:
    """Whether the widget looks another way when it has the focus."""
    application.window.rail.setFocus(Qt.FocusReason.TabFocusReason)
    without = widget.grab().toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    return bool(widget.grab().toImage() != without)
