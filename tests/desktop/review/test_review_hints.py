"""Hints: what they cost, what they strike out, what they show, and that they are kept."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_content.model import Pack, Ticket
from ladder_desktop.review.cited import deciding_reading
from ladder_desktop.review.diagnosis import Diagnosis
from ladder_desktop.review.readings import Reading
from ladder_desktop.review.ticket_page import TicketPage
from ladder_desktop.study import Desk, Rating
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from .conftest import click, make_ticket, press

USED = 5  # "KV blocks in use: 41 %"


def answer(diagnosis: Diagnosis, correct: bool) -> None:
    assert diagnosis.current is not None
    options = diagnosis.shown(diagnosis.current)
    open_places = set(range(len(options))) - set(diagnosis.struck(diagnosis.current))
    diagnosis.pick(next(place for place in sorted(open_places) if options[place].correct == correct))


def deciding(ticket: Ticket) -> Ticket:
    """The ticket with reasons that name a reading."""
    evidence = "KV blocks in use are low, so memory is free. If the TPOT fell, the diagnosis would be wrong."
    return msgspec.structs.replace(ticket, evidence=evidence)


@given(
    st.integers(0, 1000),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_a_point_for_each_right_step_less_one_for_each_hint(
    seed: int, asked: list[int], answers: list[bool]
) -> None:
    diagnosis = Diagnosis(make_ticket("t", "T"), Random(seed))
    hints = 0
    for times, correct in zip(asked, answers, strict=True):
        step = diagnosis.current
        assert step is not None
        taken = [option for _ in range(times) if (option := diagnosis.strike()) is not None]
        assert len(taken) == min(times, len(step.options) - 2)
        assert not any(option.correct for option in taken)
        assert len(set(taken)) == len(taken)
        hints += len(taken)
        answer(diagnosis, correct)
    assert diagnosis.right == sum(answers)
    assert diagnosis.hints == hints
    assert diagnosis.points == max(0, sum(answers) - hints)
    assert diagnosis.suggestion == {4: Rating.GOOD, 3: Rating.HARD}.get(diagnosis.points, Rating.AGAIN)


def test_a_struck_option_cannot_be_picked_and_two_are_always_left(pack: Pack) -> None:
    diagnosis = Diagnosis(pack.studies[0].tickets[0], Random(3))
    step = diagnosis.current
    assert step is not None
    assert diagnosis.strike() is not None
    assert diagnosis.strike() is None
    (struck,) = diagnosis.struck(step)
    assert diagnosis.pick(struck) is None
    assert not diagnosis.picked


def test_the_reading_that_the_reasons_cite_is_shown_once(pack: Pack) -> None:
    ticket = deciding(pack.studies[0].tickets[0])
    assert deciding_reading(ticket, ticket.steps[0]) == USED
    diagnosis = Diagnosis(ticket, Random(3))
    assert diagnosis.show_reading() == ticket.metrics[USED]
    assert diagnosis.reading == (1, USED)
    answer(diagnosis, True)
    assert not diagnosis.can_show_reading
    assert diagnosis.show_reading() is None
    assert diagnosis.hints == 1


def test_reasons_that_cite_nothing_show_nothing(pack: Pack) -> None:
    ticket = msgspec.structs.replace(
        pack.studies[0].tickets[0], evidence="If the TPOT fell to 19 ms, look again."
    )
    assert deciding_reading(ticket, ticket.steps[0]) is None
    diagnosis = Diagnosis(ticket, Random(3))
    assert not diagnosis.can_show_reading
    assert diagnosis.show_reading() is None
    assert diagnosis.hints == 0


def test_the_log_keeps_the_hints_by_step(pack: Pack) -> None:
    ticket = deciding(pack.studies[0].tickets[0])
    diagnosis = Diagnosis(ticket, Random(3))
    struck = diagnosis.strike()
    answer(diagnosis, True)
    diagnosis.show_reading()
    for _ in range(3):
        answer(diagnosis, True)
    hints = diagnosis.detail()["hints"]
    assert isinstance(hints, dict)
    assert hints == {"shape": [ticket.steps[0].options.index(struck)], "bound": ["KV blocks in use"]}


def test_a_ticket_without_hints_logs_none(pack: Pack) -> None:
    diagnosis = Diagnosis(pack.studies[0].tickets[0], Random(3))
    for _ in range(4):
        answer(diagnosis, True)
    assert "hints" not in diagnosis.detail()


def texts(page: TicketPage) -> list[str]:
    QApplication.processEvents()
    return [label.text() for label in page.findChildren(QLabel) if label.isVisibleTo(page)]


def answer_on(page: TicketPage, correct: bool) -> None:
    assert page.diagnosis is not None
    step = page.diagnosis.current
    assert step is not None
    options, struck = page.diagnosis.shown(step), page.diagnosis.struck(step)
    place = next(p for p, option in enumerate(options) if option.correct == correct and p not in struck)
    press(Qt.Key(Qt.Key.Key_A + place))


@pytest.mark.parametrize("by_key", [True, False])
def test_a_hint_on_the_board_from_the_key_to_the_log(tickets: TicketPage, desk: Desk, by_key: bool) -> None:
    press(Qt.Key.Key_Return)
    view = tickets.board.current
    assert view is not None
    if by_key:
        press(Qt.Key.Key_H)
    else:
        click(view.hints.strike)
    (struck,) = [button for button in view.buttons if not button.isEnabled()]
    assert struck.accessibleName().endswith("(struck out)")
    assert "A hint costs 1 point, one hint taken" in texts(tickets)
    place = view.buttons.index(struck)
    press(Qt.Key(Qt.Key.Key_A + place))
    click(struck)
    assert tickets.diagnosis is not None
    assert not tickets.diagnosis.picked
    for correct in (True, False, True, True):
        answer_on(tickets, correct)
    assert "3 of 4, one hint: 2 points" in texts(tickets)
    assert tickets.suggestion.text() == "Suggested: Again (2 points)"
    press(Qt.Key.Key_Space)
    review = desk.history.reviews()[-1]
    assert review.rating is Rating.AGAIN
    assert review.detail is not None
    assert list(review.detail["hints"]) == ["shape"]  # type: ignore[call-overload]


@pytest.mark.parametrize("by_key", [True, False])
def test_the_reading_is_marked_on_the_dashboard(tickets: TicketPage, by_key: bool) -> None:
    press(Qt.Key.Key_Return)
    assert tickets.diagnosis is not None
    tickets.diagnosis.ticket = deciding(tickets.diagnosis.ticket)
    tickets.refresh()
    tickets.board.show_hint()
    if by_key:
        press(Qt.Key.Key_R)
    else:
        assert tickets.board.current is not None
        click(tickets.board.current.hints.reading)
    marked = [
        tile.accessibleName() for tile in tickets.findChildren(Reading) if tile.property("marked") == "true"
    ]
    assert marked == ["KV blocks in use: 41 %, decides step 1"]
    assert "◆ decides step 1: KV blocks in use" in texts(tickets)


def test_leaving_and_undoing_keep_the_hints(tickets: TicketPage) -> None:
    press(Qt.Key.Key_Return)
    press(Qt.Key.Key_H)
    assert tickets.board.current is not None
    before = [button.isEnabled() for button in tickets.board.current.buttons]
    assert before.count(False) == 1
    press(Qt.Key.Key_Escape)
    press(Qt.Key.Key_Return)
    assert tickets.board.current is not None
    assert [button.isEnabled() for button in tickets.board.current.buttons] == before
    for _ in range(4):
        answer_on(tickets, True)
    press(Qt.Key.Key_2)
    press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert "4 of 4, one hint: 3 points" in texts(tickets)


def test_hints_end_with_the_steps(tickets: TicketPage) -> None:
    press(Qt.Key.Key_Return)
    for _ in range(4):
        answer_on(tickets, True)
    press(Qt.Key.Key_H)
    press(Qt.Key.Key_R)
    assert tickets.diagnosis is not None
    assert tickets.diagnosis.hints == 0
    assert "4 of 4 right at the first try" in texts(tickets)
