"""Fitting the weights to one's own log, from the button on."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from ladder_desktop.review import weights_panel as fitting_room
from ladder_desktop.review.study_settings import StudySettingsPanel
from ladder_desktop.study import Algorithm, Desk
from ladder_desktop.study.optimiser import Outcome
from ladder_desktop.theme import Theme
from pytestqt.qtbot import QtBot

from .conftest import click

WEIGHTS = (0.5, 2.0, 4.0, 12.0, *Algorithm().parameters[4:])


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
