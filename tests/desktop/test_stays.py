"""Another theme or another size of text makes every page anew, and each goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import cast

import ladder_engine.serving.client
import pytest
from ladder_desktop.app import Application
from ladder_desktop.interview.interview_page import InterviewPage
from ladder_desktop.lessons.lesson_page import LessonPage
from ladder_desktop.live.choice import Choice
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.ticket_page import TicketPage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import RecordedClient

Change = Callable[[], QWidget]


@pytest.fixture
def change(application: Application, qtbot: QtBot) -> Change:
    """Return what changes the look and waits until the page on screen is another one."""

    def go() -> QWidget:
        window = application.window
        before = window.page(window.current or "")
        application.preferences.zoom = 150
        application.preferences.theme = "light" if application.preferences.theme == "dark" else "dark"
        qtbot.waitUntil(lambda: window.page(window.current or "") is not before)
        return window.page(window.current or "")

    return go


def shown(application: Application, key: str) -> QWidget:
    application.window.show_page(key)
    return application.window.page(key)


def of_kind(application: Application, kind: str) -> str:
    return next(card.id for study in application.pack.studies for card in study.cards if card.kind == kind)


def test_a_card_half_answered_stays(application: Application, change: Change, qtbot: QtBot) -> None:
    drill = cast(DrillPage, shown(application, "drill"))
    drill.show_card(of_kind(application, "qa"))
    drill.reveal()
    drill.card_view.points.ticks[0].setChecked(True)
    drill.stopwatch._before = 30.0
    item = drill.item
    after = cast(DrillPage, change())
    assert after.item == item
    assert after.can_rate()
    assert after.card_view.points.ticked == [0]
    assert after.stopwatch.elapsed() >= timedelta(seconds=30)


def test_a_number_half_typed_stays(application: Application, change: Change, qtbot: QtBot) -> None:
    drill = cast(DrillPage, shown(application, "drill"))
    drill.show_card(of_kind(application, "numeric"))
    assert drill.card_view.attempt.field is not None
    drill.card_view.attempt.field.line.setText("12")
    item = drill.item
    after = cast(DrillPage, change())
    assert after.item == item
    assert not after.can_rate()
    assert after.card_view.attempt.field is not None
    assert after.card_view.attempt.field.line.text() == "12"


def test_a_number_that_was_checked_stays(application: Application, change: Change) -> None:
    drill = cast(DrillPage, shown(application, "drill"))
    drill.show_card(of_kind(application, "numeric"))
    assert drill.card_view.attempt.field is not None
    drill.card_view.attempt.field.line.setText("12")
    drill.reveal()
    said = drill.detail()
    after = cast(DrillPage, change())
    assert after.detail() == said
    assert after.can_rate()


def test_a_lever_that_was_pulled_stays_where_it_was(application: Application, change: Change) -> None:
    drill = cast(DrillPage, shown(application, "drill"))
    drill.show_card(of_kind(application, "lever"))
    assert drill.attempt is not None
    order = drill.attempt.options
    drill.pick(1)
    said = drill.detail()
    after = cast(DrillPage, change())
    assert after.attempt is not None
    assert after.attempt.options == order
    assert after.detail() == said


def test_a_session_goes_on(application: Application, change: Change) -> None:
    drill = cast(DrillPage, shown(application, "drill"))
    drill.cram(f"study:{application.pack.studies[0].id}")
    drill.reveal()
    drill.rate(list(drill.rating_actions)[2])
    assert drill.session is not None
    current = drill.session.current
    after = cast(DrillPage, change())
    assert after.session is drill.session
    assert after.item is not None
    assert after.item.item_id == current


def test_a_ticket_half_diagnosed_stays(application: Application, change: Change) -> None:
    page = cast(TicketPage, shown(application, "tickets"))
    page.open_ticket(next(iter(page._tickets)))
    page.pick(0)
    diagnosis, item = page.diagnosis, page.item
    after = cast(TicketPage, change())
    assert after.item == item
    assert after.diagnosis is diagnosis
    assert len(after.diagnosis.answered) == 1 if after.diagnosis else False
    after.show_next()
    after.open_ticket(item.item_id if item else "")
    assert after.diagnosis is diagnosis


def test_an_interview_goes_on(application: Application, change: Change, qtbot: QtBot) -> None:
    page = cast(InterviewPage, shown(application, "interview"))
    page.setup.boxes[1].setChecked(False)
    page.begin()
    assert page.session is not None
    while page.session.card is None:  # a ticket came first
        for _ in range(4):
            page.pick(0)
        page.go_on()
    page.sitting.question.notes.setPlainText("bytes per step")
    page.go_on()
    page.go_on()
    page.sitting.question.points.ticks[0].setChecked(True)
    session, item = page.session, page.session.item_id
    after = cast(InterviewPage, change())
    assert after.session is session
    assert session.item_id == item
    assert after.sitting.question.notes.toPlainText() == "bytes per step"
    assert after.sitting.question.points.ticked == [0]
    assert after.sitting.question.points.isVisible()
    assert not after.setup.boxes[1].isChecked()
    after.go_on()
    assert session.replies >= 1


def test_a_lesson_stays_at_its_line(application: Application, change: Change, qtbot: QtBot) -> None:
    study = application.pack.studies[0]
    page = cast(LessonPage, shown(application, f"study:{study.id}"))
    page.show_section(study.sections[2].id)
    qtbot.waitUntil(lambda: page.gist.reader.reading_position > 0)
    position = page.gist.reader.reading_position
    after = cast(LessonPage, change())
    qtbot.waitUntil(lambda: abs(after.gist.reader.reading_position - position) < 300)


def test_an_answer_in_the_lesson_and_a_program_stay(application: Application, change: Change) -> None:
    study = application.pack.studies[0]
    page = cast(LessonPage, shown(application, f"study:{study.id}"))
    page.show_card(study.cards[3].id)
    page.questions.toggle_answer()
    page.show_sandbox()
    assert page.sandbox is not None
    page.sandbox.editor.setPlainText("print('mine')")
    after = cast(LessonPage, change())
    assert after.sandbox is not None
    assert after.tabs.currentWidget() is after.sandbox
    assert after.sandbox.editor.toPlainText() == "print('mine')"
    after.show_questions()
    assert after.questions.current == study.cards[3]
    assert after.questions.revealed


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[RecordedClient]:
    """Have the live page of the window play back a recorded engine."""
    made: list[RecordedClient] = []

    def make(models_dir: object) -> RecordedClient:
        made.append(RecordedClient(batches=3))
        return made[-1]

    monkeypatch.setattr(ladder_engine.serving.client, "EngineClient", make)
    return made


def test_a_run_goes_on(application: Application, recorded: list[RecordedClient], change: Change) -> None:
    page = cast(LivePage, shown(application, "live"))
    page.head.picker.setCurrentIndex(2)
    page.run()
    page.frame()
    page.player.pause()
    page.seek(7)
    page.select(0)
    page.faces.turn_table()
    page.faces.turn_batch()
    page.faces.turn_lens()
    page.choosing.choose(Choice(kernels="interpret"))
    scenario = page.head.scenario
    after = cast(LivePage, change())
    assert len(recorded) == 1
    assert "close" not in recorded[0].calls
    assert after.head.scenario == scenario
    assert after.player.position == 7
    assert after.selection == 0
    assert after.watch.block_list.isVisible()
    assert after.watch.batch_table.isVisible()
    assert after.watch.lens.isVisible()
    assert after.transport.lens.isChecked()
    assert after.choosing.choice.kernels == "interpret"
    steps = after.player.last
    after.player.play()
    after.frame()
    after.frame()
    assert after.player.last > steps
    application.close()
    assert recorded[0].calls[-1] == "close"


def test_plots_stay_in_sight(
    application: Application, recorded: list[RecordedClient], change: Change
) -> None:
    page = cast(LivePage, shown(application, "live"))
    page.faces.turn_plots()
    after = cast(LivePage, change())
    assert after.watch.plotting
    assert after.transport.plots.isChecked()


def test_a_run_that_no_page_has_taken_over_ends_with_the_window(
    application: Application, recorded: list[RecordedClient], qapp: QApplication, change: Change
) -> None:
    page = cast(LivePage, shown(application, "live"))
    page.run()
    application.window.show_page("stats")
    change()
    assert "close" not in recorded[0].calls
    application.close()
    assert recorded[0].calls[-1] == "close"
