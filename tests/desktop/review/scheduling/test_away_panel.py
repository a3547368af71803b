"""Days away, driven by keyboard and mouse."""

from __future__ import annotations

import threading

import pytest
from ladder_desktop.review.study_settings import StudySettingsPanel
from ladder_desktop.study import Desk, Planner
from ladder_desktop.study import desk as desk_room
from ladder_desktop.study.away import AwayPlan
from PySide6.QtCore import QDate, Qt
from pytestqt.qtbot import QtBot

from tests.desktop.review.conftest import TravelClock, press

from .conftest import click


def test_days_away_are_shown_then_moved_then_undone(
    panel: StudySettingsPanel, desk: Desk, clock: TravelClock, qtbot: QtBot
) -> None:
    states = desk.states()
    today = QDate(clock.at.year, clock.at.month, clock.at.day)
    panel.away.first.setDate(today.addDays(2))
    panel.away.last.setDate(today.addDays(12))
    assert not panel.away.apply.isVisible()
    click(panel.away.look)
    assert "would come" in panel.away.view.sentence.text()
    assert "Expect to forget" in panel.away.view.sentence.text()
    assert desk.states() == states
    with qtbot.waitSignal(panel.changed):
        panel.away.apply.setFocus()
        press(Qt.Key.Key_Space)
    assert panel.away.said.text() == "3 cards moved. Undo takes it back."
    assert [adjustment.reason for adjustment in desk.history.adjustments()] == ["away"]
    assert desk.history.rebuild_mismatches() == []
    click(panel.undo)
    assert desk.states() == states


def test_days_away_with_a_long_log_are_reckoned_and_moved_beside_the_window(
    panel: StudySettingsPanel, desk: Desk, clock: TravelClock, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply_away, used = Planner.apply_away, list[threading.Thread]()

    def move(planner: Planner, plan: AwayPlan) -> int:
        used.append(threading.current_thread())
        return apply_away(planner, plan)

    monkeypatch.setattr(desk_room, "LARGE", 0)
    monkeypatch.setattr(Planner, "apply_away", move)
    states = desk.states()
    today = QDate(clock.at.year, clock.at.month, clock.at.day)
    panel.away.first.setDate(today.addDays(2))
    panel.away.last.setDate(today.addDays(12))
    click(panel.away.look)
    assert panel.away.said.text() == "Reckoning what would move…"
    qtbot.waitUntil(panel.away.apply.isVisible)
    with qtbot.waitSignal(panel.changed):
        click(panel.away.apply)
        assert not panel.away.isEnabled()
    assert panel.away.said.text() == "3 cards moved. Undo takes it back."
    assert threading.main_thread() not in used
    with qtbot.waitSignal(panel.changed):
        click(panel.undo)
    assert desk.states() == states
    panel.away.last.setDate(panel.away.first.date().addDays(-1))
    click(panel.away.look)
    qtbot.waitUntil(lambda: "must not come before" in panel.away.said.text())
    assert panel.away.look.isEnabled()


def test_days_that_make_no_sense_or_bring_nothing_are_a_sentence(panel: StudySettingsPanel) -> None:
    panel.away.last.setDate(panel.away.first.date().addDays(-1))
    click(panel.away.look)
    assert "must not come before" in panel.away.said.text()
    panel.away.first.setDate(QDate(2031, 1, 1))
    panel.away.last.setDate(QDate(2031, 1, 2))
    click(panel.away.look)
    assert "nothing to move" in panel.away.said.text()
    assert not panel.away.apply.isVisible()
