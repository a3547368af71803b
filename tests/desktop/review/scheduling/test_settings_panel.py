"""The panel of the settings that schedule, driven by keyboard and mouse."""

from __future__ import annotations

import threading

import msgspec
import pytest
from ladder_content.model import Pack
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.steps_text import read_weights
from ladder_desktop.review.study_settings import StudySettingsPanel
from ladder_desktop.study import Algorithm, Desk, Planner, StudyError, StudySettings
from ladder_desktop.study import desk as desk_room
from ladder_desktop.theme import Theme
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.desktop.review.conftest import press

from .conftest import click, retype


def test_the_fields_show_what_is_stored(panel: StudySettingsPanel) -> None:
    assert (
        panel.fields.retention.value(),
        panel.fields.new_per_day.value(),
        panel.fields.reviews_per_day.value(),
    ) == (
        90,
        20,
        200,
    )
    assert (panel.fields.learning.text(), panel.fields.relearning.text(), panel.fields.longest.value()) == (
        "1m 10m",
        "10m",
        36_500,
    )
    assert read_weights(panel.fields.weights.field.toPlainText()) == Algorithm().parameters
    assert not panel.save.isEnabled()


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_saving_is_one_step_that_undo_takes_back(
    panel: StudySettingsPanel, desk: Desk, qtbot: QtBot, way: str
) -> None:
    before, memories = desk.settings, desk.states()
    retype(panel.fields.retention, "95")
    retype(panel.fields.new_per_day, "7")
    retype(panel.fields.learning, "30s 5m 2h")
    qtbot.waitUntil(panel.save.isEnabled)
    with qtbot.waitSignal(panel.changed):
        if way == "mouse":
            click(panel.save)
        else:
            panel.save.setFocus()
            press(Qt.Key.Key_Space)
    stored = desk.settings
    assert (stored.algorithm.desired_retention, stored.new_per_day) == (0.95, 7)
    assert stored.algorithm.learning_steps == (30, 300, 7200)
    assert desk.states() == memories
    assert panel.said.text() == "Saved. It holds from your next answer."
    assert not panel.save.isEnabled()
    with qtbot.waitSignal(panel.changed):
        click(panel.undo)
    assert desk.settings == before
    assert panel.fields.retention.value() == 90
    assert panel.fields.learning.text() == "1m 10m"


def test_moving_shows_the_load_before_anything_is_stored(
    panel: StudySettingsPanel, desk: Desk, qtbot: QtBot
) -> None:
    states = desk.states()
    assert not panel.shift.isVisible()
    retype(panel.fields.retention, "80")
    panel.move_learned.setFocus()
    press(Qt.Key.Key_Space)
    assert panel.shift.isVisible()
    assert panel.shift.sentence.text().startswith("0 cards would come sooner and 3 later.")
    assert desk.states() == states
    click(panel.save)
    assert panel.said.text().startswith("Saved, and 3 cards moved.")
    moved = [(new.memory, old.memory) for new, old in zip(desk.states(), states, strict=True) if new.memory]
    assert all(new and old and (new.due_day or 0) > (old.due_day or 0) for new, old in moved)
    assert not panel.move_learned.isChecked()
    click(panel.undo)
    assert desk.states() == states
    assert desk.history.rebuild_mismatches() == []


@pytest.mark.parametrize(
    ("field", "text", "says"),
    [
        ("learning", "ten", "Steps look like 1m 10m"),
        ("relearning", "30h", "shorter than a day"),
        ("weights", "1 2 x", "x is none"),
        ("weights", "1 2 3", "Expected 21 parameters, got 3"),
    ],
)
def test_nonsense_is_said_and_cannot_be_saved(
    panel: StudySettingsPanel, desk: Desk, qtbot: QtBot, field: str, text: str, says: str
) -> None:
    before = desk.settings
    retype(panel.fields.weights.field if field == "weights" else getattr(panel.fields, field), text)
    qtbot.waitUntil(lambda: says in panel.said.text())
    assert not panel.save.isEnabled()
    assert desk.settings == before


def test_a_finer_retention_survives_a_change_of_something_else(
    panel: StudySettingsPanel, desk: Desk, qtbot: QtBot
) -> None:
    desk.planner.change(msgspec.structs.replace(desk.settings, algorithm=Algorithm(desired_retention=0.875)))
    panel.show_stored()
    retype(panel.fields.new_per_day, "3")
    qtbot.waitUntil(panel.save.isEnabled)
    click(panel.save)
    assert desk.settings.algorithm.desired_retention == 0.875


def test_a_long_log_is_reckoned_beside_the_window(
    panel: StudySettingsPanel, desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.move_learned.setChecked(True)
    at_once = panel.shift.sentence.text()
    panel.move_learned.setChecked(False)
    monkeypatch.setattr(desk_room, "LARGE", 0)
    panel.move_learned.setChecked(True)
    assert panel.said.text() == "Reckoning what would move…"
    assert panel.shift.isHidden()
    qtbot.waitUntil(lambda: not panel.shift.isHidden())
    assert panel.said.text() == ""
    assert panel.shift.sentence.text() == at_once


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """Have every log count as long, and note on which thread the plan is changed."""
    monkeypatch.setattr(desk_room, "LARGE", 0)
    change, used = Planner.change, list[threading.Thread]()

    def changed(planner: Planner, settings: StudySettings, reschedule: bool = False) -> int:
        used.append(threading.current_thread())
        return change(planner, settings, reschedule)

    monkeypatch.setattr(Planner, "change", changed)
    return used


def test_a_long_log_is_moved_beside_the_window_and_is_one_step_of_undo(
    panel: StudySettingsPanel, desk: Desk, qtbot: QtBot, threads: list[threading.Thread]
) -> None:
    states = desk.states()
    retype(panel.fields.retention, "80")
    panel.move_learned.setChecked(True)
    qtbot.waitUntil(lambda: not panel.shift.isHidden())
    with qtbot.waitSignal(panel.changed):
        click(panel.save)
        assert panel.said.text() == "Moving what you have learned…"
        assert not any(
            one.isEnabled() for one in (panel.fields.retention, panel.save, panel.move_learned, panel.away)
        )
    assert panel.said.text().startswith("Saved, and 3 cards moved.")
    assert panel.fields.retention.isEnabled()
    assert threading.main_thread() not in threads
    assert desk.settings.algorithm.desired_retention == 0.8
    assert desk.undo_label() == "Reschedule"
    assert desk.states() != states
    with qtbot.waitSignal(panel.changed):
        click(panel.undo)
    assert desk.states() == states
    assert panel.fields.retention.value() == 90
    assert desk.history.rebuild_mismatches() == []


def test_a_reschedule_that_cannot_be_stored_is_a_sentence_and_changes_nothing(
    panel: StudySettingsPanel, desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> int:
        raise StudyError("progress.db is in use by another program; close that program and try again.")

    monkeypatch.setattr(desk_room, "LARGE", 0)
    states = desk.states()
    retype(panel.fields.retention, "80")
    panel.move_learned.setChecked(True)
    qtbot.waitUntil(lambda: not panel.shift.isHidden())
    monkeypatch.setattr(Planner, "_adjust", refuse)
    click(panel.save)
    qtbot.waitUntil(panel.fields.retention.isEnabled)
    assert "in use by another program" in panel.said.text()
    assert (desk.states(), desk.settings.algorithm.desired_retention) == (states, 0.9)
    assert panel.move_learned.isChecked()


def test_a_window_that_closes_in_the_middle_has_moved_all_of_it(
    panel: StudySettingsPanel, desk: Desk, qtbot: QtBot, threads: list[threading.Thread]
) -> None:
    retype(panel.fields.retention, "80")
    panel.move_learned.setChecked(True)
    qtbot.waitUntil(panel.save.isEnabled)
    click(panel.save)
    panel.shutdown()
    assert len(threads) == 1
    assert desk.settings.algorithm.desired_retention == 0.8
    assert desk.history.rebuild_mismatches() == []
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("beside")]


class Typing:
    typed_answers = False


def test_typing_answers_is_chosen_here_and_counts_at_once(
    qtbot: QtBot, desk: Desk, pack: Pack, theme: Theme
) -> None:
    typing = Typing()
    page = DrillPage(desk, pack, theme, typing=typing)
    qtbot.addWidget(page)
    page.activate()
    assert page.card_view.attempt.box is None
    panel = StudySettingsPanel(desk, theme, typing)
    qtbot.addWidget(panel)
    panel.typed.setFocus()
    qtbot.keyClick(panel.typed, Qt.Key.Key_Space)
    assert typing.typed_answers
    page.activate()
    assert page.card_view.attempt.box is not None
    assert page.typing_action.isChecked()
    page.deactivate()


def test_everything_has_a_name_and_is_reached_by_tab(panel: StudySettingsPanel) -> None:
    focusable = [
        widget
        for widget in panel.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and not widget.focusProxy()
    ]
    own = [widget for widget in focusable if not widget.objectName().startswith("qt_")]
    assert [widget for widget in own if not widget.accessibleName()] == []
    panel.fields.retention.setFocus()
    reached = set()
    for _ in range(2 * len(focusable)):
        reached.add(QApplication.focusWidget())
        panel.focusNextChild()
    assert {widget for widget in own if widget.isEnabled()} <= reached
