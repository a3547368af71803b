"""The window as a whole: every way to a page, progress out and in, and faults as dialogs that change nothing."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from ladder_content.loader import bundled_pack
from ladder_desktop import exporting, start
from ladder_desktop.app import Application
from ladder_desktop.home_page import HomePage
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.palette.palette import Palette
from ladder_desktop.review.ticket_page import TicketPage
from ladder_desktop.shortcut_sheet import ShortcutSheet
from ladder_desktop.study import Desk, Rating
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton, QTableWidget
from pytestqt.qtbot import QtBot

PAGES = ["home", "study:hub", "drill", "tickets", "interview", "stats", "live", "settings"]


def place(application: Application, key: str) -> int:
    return [entry.key for entry in application._pages.entries()].index(key)


def by_rail(application: Application, key: str, qtbot: QtBot) -> None:
    application.window.rail.setCurrentRow(place(application, key))


def by_menu(application: Application, key: str, qtbot: QtBot) -> None:
    action(application, key).trigger()


def by_key(application: Application, key: str, qtbot: QtBot) -> None:
    keys = action(application, key).shortcuts()[0][0]
    qtbot.keyClick(application.window, keys.key(), keys.keyboardModifiers())


def open_palette(application: Application, qtbot: QtBot) -> Palette:
    found = next(one for one in application.window.findChildren(Palette) if one.isVisible())
    qtbot.waitUntil(found.line.hasFocus, timeout=30_000)
    return found


def by_palette(application: Application, key: str, qtbot: QtBot) -> None:
    qtbot.keyClick(application.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    line = open_palette(application, qtbot).line
    qtbot.keyClicks(line, action(application, key).text())
    qtbot.keyClick(line, Qt.Key.Key_Return)


def action(application: Application, key: str) -> QAction:
    return next(one for one in application.window.all_actions() if one.data() == key)


@pytest.mark.parametrize("way", [by_rail, by_menu, by_key, by_palette])
@pytest.mark.parametrize("key", PAGES)
def test_every_page_by_every_way(application: Application, qtbot: QtBot, way: object, key: str) -> None:
    application.window.show_page("drill" if key == "home" else "home")
    assert callable(way)
    way(application, key, qtbot)
    assert application.window.page(key).isVisible()
    assert application.window.rail.key_of(application.window.rail.currentItem()) == key


@pytest.mark.parametrize("key", ["study:hub", "drill", "tickets", "live"])
def test_the_keyboard_is_where_the_page_wants_it_and_again_on_return(
    application: Application, key: str
) -> None:
    for _ in range(2):
        application.window.show_page("home")
        application.window.show_page(key)
        focus = application.window.focusWidget()
        assert application.window.page(key).isAncestorOf(focus), focus


def test_arrow_keys_walk_down_the_rail_and_enter_goes_into_the_page(
    application: Application, qtbot: QtBot
) -> None:
    rail = application.window.rail
    rail.setFocus()
    for _ in range(3):
        qtbot.keyClick(application.window.focusWidget(), Qt.Key.Key_Down)
    assert rail.currentRow() == 3
    assert application.window.focusWidget() is rail
    qtbot.keyClick(rail, Qt.Key.Key_Return)
    page = application.window.page(application._pages.entries()[3].key)
    assert page.isAncestorOf(application.window.focusWidget())


def test_a_click_in_the_rail_goes_into_the_page(application: Application, qtbot: QtBot) -> None:
    rail = application.window.rail
    row = rail.visualItemRect(rail.item(place(application, "drill")))
    qtbot.mouseClick(rail.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    assert application.window.page("drill").isAncestorOf(application.window.focusWidget())


def test_the_home_page_leads_everywhere(application: Application, qtbot: QtBot) -> None:
    reached = set()
    home = application.window.page("home")
    assert isinstance(home, HomePage)
    for button in home.findChildren(QPushButton):
        application.window.show_page("home")
        with qtbot.waitSignal(application.window.page_shown) as shown:
            button.click()
        reached.add(shown.args[0])
    assert reached == {
        "drill",
        "tickets",
        "live",
        *(f"study:{study.id}" for study in application.pack.studies),
    }


def test_a_link_to_the_lab_picks_its_scenario(application: Application) -> None:
    application.go("live:more-than-fits")
    page = application.window.page("live")
    assert isinstance(page, LivePage)
    assert page.isVisible()
    assert page.head.scenario is not None
    assert page.head.scenario.id == "more-than-fits"
    application.go("live:no-such-thing")
    assert "no-such-thing" in page.head.message.text()


def test_the_lab_leads_back_to_the_ticket_that_it_shows(application: Application) -> None:
    application.go("live:closed-door")
    live = application.window.page("live")
    assert isinstance(live, LivePage)
    assert live.head.ticket_button.isVisible()
    live.head.ticket_button.click()
    page = application.window.page("tickets")
    assert isinstance(page, TicketPage)
    assert page.isVisible()
    assert page.item is not None
    assert page.item.item_id.endswith("/paging-ticket-closed-door")
    diagnosis = page.diagnosis
    application.go("live:more-than-fits")  # shows two tickets: back to the one on the board
    live.head.ticket_button.click()
    assert page.isVisible()
    assert page.diagnosis is diagnosis
    application.go("live:short-chats")
    assert not live.head.ticket_button.isVisible()
    assert application._pages._variants("closed-door") == ("static", "continuous")
    assert len(application._pages._variants("short-chats")) < 2


def test_an_engine_that_fails_is_a_dialog_and_stays_on_the_page(
    application: Application, qtbot: QtBot
) -> None:
    application.window.show_page("live")
    page = application.window.page("live")
    assert isinstance(page, LivePage)
    page._client._command = (sys.executable, "-c", "raise SystemExit('no engine today')")
    page.run()
    qtbot.waitUntil(lambda: application.window.findChild(QMessageBox) is not None, timeout=20_000)
    assert "no engine today" in box(application).text()
    assert page.head.message.text() == box(application).text()


def test_the_counts_in_the_rail_follow_an_answer(application: Application, qtbot: QtBot) -> None:
    application.window.show_page("drill")
    before = application.window.rail.mark("drill").due
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_4)
    assert len(application.desk.history.reviews()) == 1
    assert application.window.rail.mark("drill").due == before - 1
    study = next(one for one in application.pack.studies if application.desk.progress(one.id).learned)
    assert application.window.rail.mark(f"study:{study.id}").share == 1 / len([*study.cards, *study.tickets])


def test_the_sheet_shows_the_keys_of_menus_and_page(application: Application) -> None:
    application.window.show_page("drill")
    application.window.show_shortcuts()
    sheet = application.window.findChild(ShortcutSheet)
    table = sheet.findChild(QTableWidget)
    rows = {table.item(row, 1).text(): table.item(row, 2).text() for row in range(table.rowCount())}
    assert rows["Export progress…"] == "Ctrl+E"
    assert any("Good" in name and keys.startswith("3") for name, keys in rows.items())
    sheet.close()


def box(application: Application) -> QMessageBox:
    found = application.window.findChild(QMessageBox)
    assert found is not None
    return found


@pytest.mark.parametrize("suffix", [".apkg", ".zip", ".ladder"])
def test_export_by_the_menu(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    chosen = f"(*{suffix})"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), chosen))
    application.files.ask_export()
    assert (tmp_path / f"mine{suffix}").stat().st_size > 500
    assert f"mine{suffix}" in box(application).text()


def test_a_name_without_its_ending_replaces_no_file(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.zip").write_text("precious")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), "(*.zip)"))
    application.files.ask_export()
    assert (tmp_path / "mine.zip").read_text() == "precious"
    assert "mine.zip" in box(application).text()


def test_an_export_that_fails_is_a_dialog(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "no such folder" / "mine.apkg"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    application.files.ask_export()
    assert box(application).icon() == QMessageBox.Icon.Warning
    assert "mine.apkg" in box(application).text()


def test_progress_travels_by_bundle(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Desk.open(tmp_path / "other") as other:
        other.register([state.item for state in application.desk.states()])
        other.answer(
            f"{application.pack.id}/{application.pack.studies[0].cards[0].id}",
            Rating.GOOD,
            timedelta(seconds=9),
        )
        exporting.export(tmp_path / "p.ladder", other, application.pack)
        expected = other.states()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "p.ladder"), ""))
    application.files.ask_import()
    assert application.desk.states() == expected
    assert "1 review" in box(application).text()


def test_a_bundle_cut_short_is_a_dialog_and_changes_nothing(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    application.export(tmp_path / "p.ladder")
    (tmp_path / "p.ladder").write_bytes((tmp_path / "p.ladder").read_bytes()[:300])
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "p.ladder"), ""))
    before = application.desk.states()
    application.files.ask_import()
    assert "p.ladder" in box(application).text()
    assert application.desk.states() == before


def copy_of_the_pack(folder: Path) -> Path:
    return Path(shutil.copytree(bundled_pack(), folder))


def test_a_broken_pack_is_a_dialog_and_the_old_one_stays(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = copy_of_the_pack(tmp_path / "broken")
    (broken / "facts.yaml").write_text("- id: [", "utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(broken / "pack.yaml"), ""))
    pack = application.pack
    application.files.ask_pack()
    assert "facts.yaml" in box(application).text()
    assert application.pack is pack
    assert application.window.page("home").isVisible()


def test_another_pack_takes_the_place_of_the_first(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = copy_of_the_pack(tmp_path / "other")
    source = (other / "pack.yaml").read_text("utf-8")
    (other / "pack.yaml").write_text(source.replace("id: runtime-ladder", "id: mine"), "utf-8")
    for key in PAGES:
        application.window.show_page(key)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(other / "pack.yaml"), ""))
    application.files.ask_pack()
    assert application.pack.id == "mine"
    item = application.desk.next_item("card")
    assert item is not None
    assert item.item_id.startswith("mine/")
    for key in PAGES:
        application.window.show_page(key)


def test_a_start_that_fails_is_a_dialog_and_status_2(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = []
    monkeypatch.setattr(QMessageBox, "exec", lambda self: said.append(self.text()))
    (tmp_path / "data").write_text("in the way")
    assert start.run(tmp_path / "data", bundled_pack(), "light") == 2
    assert len(said) == 1
    assert "data" in said[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("when", ["before the loop", "in the loop", "idle"])
def test_ctrl_c_in_the_terminal_quits(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, when: str
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    before = signal.getsignal(number)
    if when == "before the loop":
        begin = Application.begin

        def interrupted(application: Application, place: str) -> None:
            begin(application, place)
            signal.raise_signal(number)
            QApplication.processEvents()

        monkeypatch.setattr(Application, "begin", interrupted)
    elif when == "in the loop":
        QTimer.singleShot(100, partial(signal.raise_signal, number))
    else:
        threading.Timer(1.5, os.kill, (os.getpid(), number)).start()
    assert start.run(tmp_path / "data", bundled_pack(), "light") == 0
    assert signal.getsignal(number) is before


def test_the_size_of_the_window_is_remembered(application: Application, tmp_path: Path) -> None:
    application.window.resize(777, 666)
    application.window.move(31, 42)
    application.close()
    again = Application(tmp_path / "data", application.pack, Desk.open(tmp_path / "data"), application.theme)
    assert again.window.size().toTuple() == (777, 666)
    assert again.window.pos().toTuple() == (31, 42)
    again.close()


def test_a_window_whose_screen_is_gone_comes_where_it_can_be_reached(
    application: Application, tmp_path: Path
) -> None:
    application.preferences.position = QPoint(9000, 9000)
    again = Application(tmp_path / "data", application.pack, application.desk, application.theme)
    assert again.window.pos() != QPoint(9000, 9000)
    again.window.deleteLater()
    again.deleteLater()


def test_the_window_opens_no_larger_than_the_screen(application: Application) -> None:
    room = QApplication.primaryScreen().availableSize()
    assert application.window.width() <= room.width()
    assert application.window.height() < room.height()
