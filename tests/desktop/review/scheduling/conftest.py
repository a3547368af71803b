"""The panel of the settings that schedule, on screen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from ladder_desktop.review.study_settings import StudySettingsPanel
from ladder_desktop.study import Desk, Rating
from ladder_desktop.theme import Theme
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.desktop.review.conftest import TravelClock, press

FIVE_SECONDS = timedelta(seconds=5)


@pytest.fixture
def panel(qtbot: QtBot, desk: Desk, clock: TravelClock, theme: Theme) -> Iterator[StudySettingsPanel]:
    """Return the panel over a desk with three cards in review."""
    for name in ("bandwidth", "paging", "baseline"):
        desk.answer(f"demo/{name}", Rating.EASY, FIVE_SECONDS)
        clock.pass_by(days=1)
    panel = StudySettingsPanel(desk, theme)
    qtbot.addWidget(panel)
    panel.resize(820, 1200)
    panel.show()
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    yield panel
    panel.shutdown()


def retype(field: QWidget, text: str) -> None:
    field.setFocus()
    press(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, text)


def click(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
