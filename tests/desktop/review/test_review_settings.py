"""The panel of the settings that schedule, driven by keyboard and mouse."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import msgspec
import pytest
from ladder_content.model import Pack
from ladder_desktop.review import weights_panel as fitting_room
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.steps_text import read_steps, read_weights, written_steps, written_weights
from ladder_desktop.review.study_settings import StudySettingsPanel
from ladder_desktop.study import Algorithm, Desk, Planner, Rating, StudyError, StudySettings
from ladder_desktop.study import desk as desk_room
from ladder_desktop.study.away import AwayPlan
from ladder_desktop.study.optimiser import Outcome
from ladder_desktop.theme import Theme
from PySide6.QtCore import QDate, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from .conftest import TravelClock, press

FIVE_SECONDS = timedelta(seconds=5)
WEIGHTS = (0.5, 2.0, 4.0, 12.0, *Algorithm().parameters[4:])


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


# Fitting


def test_without_the_package_the_button_says_what_to_install(
    qtbot: QtBot, desk: Desk, theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder_desktop.review.weights_panel.is_installed", lambda: False)
    panel = StudySettingsPanel(desk, theme)
    qtbot.addWidget(panel)
    assert not panel.fields.weights.fit.isEnabled()
    assert "pip install" in panel.fields.weights.fit.toolTip()
    assert "pip install" in panel.fields.weights.said.text()
    assert "pip install" in panel.fields.weights.fit.accessibleDescription()


@pytest.fixture
def fits(panel: StudySettingsPanel, monkeypatch: pytest.MonkeyPatch) -> Callable[[Outcome | Exception], None]:
    """Have the next fit end as given; it notes on which thread it ran."""

    def prepare(outcome: Outcome | Exception) -> None:
        def optimise(*_: object) -> Outcome:
            assert threading.current_thread() is not threading.main_thread()
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        monkeypatch.setattr(fitting_room, "optimise", optimise)
        panel.fields.weights.fit.setEnabled(True)

    return prepare


def test_better_weights_stand_in_the_field_until_they_are_saved(
    panel: StudySettingsPanel, desk: Desk, qtbot: QtBot, fits: Callable[[Outcome | Exception], None]
) -> None:
    fits(Outcome(WEIGHTS, "The fitted weights are better."))
    with qtbot.waitSignal(panel.fields.weights.fitting.finished):
        click(panel.fields.weights.fit)
        assert not panel.fields.weights.fit.isEnabled()
    assert "Save takes them over" in panel.fields.weights.said.text()
    assert desk.settings.algorithm.parameters == Algorithm().parameters
    qtbot.waitUntil(panel.save.isEnabled)
    click(panel.save)
    assert desk.settings.algorithm.parameters == WEIGHTS
    assert panel.fields.weights.fit.isEnabled()


def test_weights_that_are_no_better_change_nothing(
    panel: StudySettingsPanel, qtbot: QtBot, fits: Callable[[Outcome | Exception], None]
) -> None:
    text = panel.fields.weights.field.toPlainText()
    for ending, says in (
        (Outcome(None, "They stay as they are."), "They stay"),
        (ValueError("odd"), "(odd)"),
    ):
        fits(ending)
        click(panel.fields.weights.fit)
        qtbot.waitUntil(panel.fields.weights.fit.isEnabled)
        assert says in panel.fields.weights.said.text()
        assert panel.fields.weights.field.toPlainText() == text


def test_leaving_during_a_fit_leaves_no_thread(
    panel: StudySettingsPanel, fits: Callable[[Outcome | Exception], None]
) -> None:
    fits(Outcome(WEIGHTS, "better"))
    click(panel.fields.weights.fit)
    panel.shutdown()
    assert not panel.fields.weights.fitting.running
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("beside")]


# Days away


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


@pytest.mark.parametrize(
    ("text", "steps"), [("1m 10m", (60, 600)), ("30s,2h", (30, 7200)), ("5", (300,)), ("", ())]
)
def test_steps_as_people_write_them(text: str, steps: tuple[int, ...]) -> None:
    assert read_steps(text) == steps
    assert read_steps(written_steps(steps)) == steps


def test_weights_lose_no_digit() -> None:
    weights = (0.1 + 0.2, 1e-05, 36.0)
    assert read_weights(written_weights(weights)) == weights
    with pytest.raises(StudyError, match="is none"):
        read_weights("1, two")
