"""The palette in the window: by keys and by mouse, over actions, pages and the whole pack."""

from __future__ import annotations

import pytest
from ladder_desktop.app import Application
from ladder_desktop.palette.line_painter import LINE_ROLE
from ladder_desktop.palette.palette import Palette
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot


@pytest.fixture
def palette(application: Application, qtbot: QtBot) -> Palette:
    return opened(application, qtbot)


def opened(application: Application, qtbot: QtBot) -> Palette:
    application.palette.open()
    found = next(one for one in application.window.findChildren(Palette) if one.isVisible())
    qtbot.waitUntil(found.line.hasFocus, timeout=30_000)
    return found


def test_typing_narrows_arrows_choose_and_enter_goes_there(
    application: Application, palette: Palette, qtbot: QtBot
) -> None:
    qtbot.keyClicks(palette.line, "t")
    qtbot.keyClick(palette.line, Qt.Key.Key_Down)
    assert palette.list.currentRow() == 1
    qtbot.keyClick(palette.line, Qt.Key.Key_PageDown)
    assert palette.list.currentRow() > 2
    qtbot.keyClick(palette.line, Qt.Key.Key_PageUp)
    qtbot.keyClick(palette.line, Qt.Key.Key_Up)
    assert palette.list.currentRow() == 0
    qtbot.keyClicks(palette.line, "ickets")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert application.window.current == "tickets"


def test_a_click_takes_a_line(application: Application, palette: Palette, qtbot: QtBot) -> None:
    palette.line.setText("live lab")
    box = palette.list.visualItemRect(palette.list.item(0))
    qtbot.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert application.window.current == "live"


def test_a_hit_leads_to_its_place_and_is_remembered(
    application: Application, palette: Palette, qtbot: QtBot
) -> None:
    card = application.pack.studies[1].cards[0]
    palette.line.setText(card.answer[:60])
    row = next(row for row, line in enumerate(palette.lines()) if line.choice.endswith(f"/{card.id}"))
    palette.list.setCurrentRow(row)
    chosen = palette.lines()[row]
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert application.window.current == f"study:{application.pack.studies[1].id}"
    first = opened(application, qtbot).lines()[0]
    assert (first.kind, first.choice, first.title) == ("recent", chosen.choice, chosen.title)


def test_what_cannot_be_used_says_why_and_stays(application: Application, qtbot: QtBot) -> None:
    application.window.show_page("study:hub")
    palette = opened(application, qtbot)
    palette.line.setText("> fit the map")
    line = palette.lines()[0]
    assert line.why_not
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert palette.isVisible()
    assert line.why_not in palette.foot.text()
    qtbot.keyClick(palette.line, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_nothing_found_says_what_helps(palette: Palette, qtbot: QtBot) -> None:
    palette.line.setText("qqqxxyz")
    assert palette.lines() == []
    assert "Fewer letters" in palette.foot.text()
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    qtbot.keyClick(palette.line, Qt.Key.Key_Down)
    assert palette.isVisible()


def test_a_line_is_read_aloud_with_keys_and_reason(application: Application, qtbot: QtBot) -> None:
    application.window.show_page("study:hub")
    palette = opened(application, qtbot)
    for row in range(palette.list.count()):
        item = palette.list.item(row)
        line = item.data(LINE_ROLE)
        spoken = item.data(Qt.ItemDataRole.AccessibleTextRole)
        assert line.title in spoken
        assert line.keys in spoken
        assert line.why_not in spoken
