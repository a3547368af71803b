"""The settings: every choice counts at once, and nothing that was on screen is lost."""

from __future__ import annotations

import pytest
from ladder_desktop.app import Application
from ladder_desktop.settings.appearance import AppearancePanel
from ladder_desktop.settings.keys_panel import KeysPanel
from ladder_desktop.settings.settings_page import SettingsPage
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot


def page(application: Application) -> SettingsPage:
    shown = application.window.page("settings")
    assert isinstance(shown, SettingsPage)
    return shown


def appearance(application: Application) -> AppearancePanel:
    panel = page(application).panel("appearance")
    assert isinstance(panel, AppearancePanel)
    return panel


def test_a_theme_chosen_by_keyboard_counts_at_once_and_the_keyboard_stays(
    application: Application, qtbot: QtBot
) -> None:
    application.go("settings:appearance")
    chooser = appearance(application).theme
    chooser.setFocus()
    qtbot.keyClicks(chooser, "Da")
    qtbot.keyClick(chooser, Qt.Key.Key_Return)
    if application.preferences.theme != "dark":  # without a popup, typing alone does not activate
        chooser.activated.emit(chooser.currentIndex())
    qtbot.waitUntil(lambda: application.theme.name == "Dark")
    window = QApplication.palette().color(QPalette.ColorRole.Window)
    assert window == application.theme.colour("window")
    assert application.window.current == "settings"
    focus = application.window.focusWidget()
    assert focus is appearance(application).theme
    assert focus.currentData() == "dark"


def test_zoom_by_keys_makes_all_text_larger(application: Application, qtbot: QtBot) -> None:
    before = QApplication.font().pointSizeF()
    for _ in range(2):
        qtbot.keyClick(application.window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert application.preferences.zoom == 125
    qtbot.waitUntil(lambda: QApplication.font().pointSizeF() > 1.2 * before)
    qtbot.keyClick(application.window, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    assert application.preferences.zoom == 110
    qtbot.keyClick(application.window, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: QApplication.font().pointSizeF() == before)


def test_a_theme_that_breaks_is_told_and_changes_nothing(application: Application, qtbot: QtBot) -> None:
    folder = application.themes.folder
    assert folder is not None
    folder.mkdir()
    (folder / "mine.toml").write_text('name = "x', "utf-8")
    before = application.theme
    application.preferences.theme = "mine"
    qtbot.waitUntil(lambda: "mine.toml" in application.window.statusBar().currentMessage())
    assert application.theme is before


def test_a_panel_that_is_not_there_is_told(application: Application) -> None:
    application.go("settings:nothing")
    assert "nothing" in application.window.statusBar().currentMessage()


@pytest.fixture
def keys(application: Application) -> KeysPanel:
    application.go("settings:keys")
    panel = page(application).panel("keys")
    assert isinstance(panel, KeysPanel)
    return panel


def shown(panel: KeysPanel) -> str:
    return panel.table.item(panel.table.currentRow(), 2).text()


def test_a_key_is_pressed_and_used(application: Application, keys: KeysPanel, qtbot: QtBot) -> None:
    keys.choose("window.export")
    keys.press.setFocus()
    qtbot.keyClick(keys.press, Qt.Key.Key_F9)
    qtbot.mouseClick(keys.use, Qt.MouseButton.LeftButton)
    assert shown(keys) == "F9"
    assert application.registry.find("window.export").shortcuts() == [QKeySequence("F9")]
    keys.press.setKeySequence(QKeySequence("Shift+F9"))
    keys.add.click()
    assert shown(keys) == "F9, Shift+F9"
    keys.none.click()
    assert shown(keys) == ""
    assert "no key" in keys.sentence.text()
    keys.reset.click()
    assert shown(keys) == "Ctrl+E"


def test_a_key_of_another_is_refused_in_a_sentence(keys: KeysPanel) -> None:
    keys.choose("drill.undo")
    keys.press.setKeySequence(QKeySequence("Ctrl+E"))
    keys.use.click()
    assert "“Export progress…”" in keys.sentence.text()
    assert shown(keys) == "Ctrl+Z"
    keys.press.clear()
    keys.use.click()
    assert "Press a key" in keys.sentence.text()


def test_all_keys_go_back(keys: KeysPanel) -> None:
    for action in ("window.export", "drill.undo"):
        keys.choose(action)
        keys.none.click()
    keys.reset_all.click()
    assert shown(keys) == "Ctrl+Z"


def test_the_table_is_narrowed(keys: KeysPanel) -> None:
    keys.line.setText("drill good")
    visible = [row for row in range(keys.table.rowCount()) if not keys.table.isRowHidden(row)]
    assert [keys.table.ids[row] for row in visible] == ["drill.good"]
