"""Every page can be used without a mouse and without eyes: names, Tab, and a focus that can be seen."""

from __future__ import annotations

import pytest
from ladder_desktop.app import Application
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

PLACES = [
    "home",
    "study:hub/gist",
    "study:hub/maps",
    "study:hub/qa",
    "study:hub/sandbox",
    "drill",
    "tickets",
    "stats",
    "live",
    "settings:appearance",
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
    ]


@pytest.fixture(params=PLACES)
def place(application: Application, qtbot: QtBot, request: pytest.FixtureRequest) -> Application:
    application.go(request.param)
    assert not application.window.statusBar().currentMessage()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
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
    """Press Tab until the focus comes round; an editor of code keeps Tab and is left with Ctrl+Tab."""
    reached: list[QWidget] = []
    for _ in range(most + 30):
        focus = QApplication.focusWidget()
        assert focus is not None
        if focus in reached:
            break
        reached.append(focus)
        keeps = isinstance(focus, QPlainTextEdit) and not focus.tabChangesFocus()
        modifier = Qt.KeyboardModifier.ControlModifier if keeps else Qt.KeyboardModifier.NoModifier
        qtbot.keyClick(focus, Qt.Key.Key_Tab, modifier)
    return reached


def shows_focus(application: Application, widget: QWidget) -> bool:
    """Whether the widget and a narrow frame around it look another way when it has the focus."""
    window = application.window
    around = widget.rect().adjusted(-4, -4, 4, 4)
    around.moveTopLeft(widget.mapTo(window, around.topLeft()))
    window.rail.setFocus(Qt.FocusReason.TabFocusReason)
    without = window.grab(around).toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    return bool(window.grab(around).toImage() != without)
