from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from ladder_content.model import STEP_NAMES, Metric, Pack
from ladder_desktop.review.readings import Reading, Readings
from ladder_desktop.review.step_view import Verdict
from ladder_desktop.review.ticket_page import TicketPage
from ladder_desktop.study import Desk, Rating, StudyError
from ladder_desktop.theme import Theme
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from .conftest import Seconds, TravelClock, click, press

Pick = Callable[[TicketPage, int], None]


def pick_by_letter(page: TicketPage, place: int) -> None:
    press(Qt.Key(Qt.Key.Key_A + place))


def pick_by_digit(page: TicketPage, place: int) -> None:
    press(Qt.Key(Qt.Key.Key_1 + place))


def pick_by_mouse(page: TicketPage, place: int) -> None:
    assert page.board.current is not None
    click(page.board.current.buttons[place])


@pytest.fixture(params=[pick_by_letter, pick_by_digit, pick_by_mouse])
def pick(request: pytest.FixtureRequest) -> Pick:
    found: Pick = request.param
    return found


def place_of(page: TicketPage, correct: bool) -> int:
    assert page.diagnosis is not None
    assert page.diagnosis.current is not None
    options = page.diagnosis.shown(page.diagnosis.current)
    return next(place for place, option in enumerate(options) if option.correct == correct)


def answer_all(page: TicketPage, pick: Pick, *answers: bool) -> None:
    for correct in answers:
        pick(page, place_of(page, correct))


def verdicts(page: TicketPage) -> list[str]:
    QApplication.processEvents()  # what was put into a layout is shown with the next event
    return [each.accessibleName() for each in page.board.findChildren(Verdict) if each.isVisibleTo(page)]


def texts(page: TicketPage) -> str:
    QApplication.processEvents()
    return "\n".join(label.text() for label in page.board.findChildren(QLabel) if label.isVisibleTo(page))


@pytest.mark.parametrize(
    ("answers", "suggestion"),
    [
        ((True, True, True, True), Rating.GOOD),
        ((True, False, True, True), Rating.HARD),
        ((True, False, False, True), Rating.AGAIN),
        ((False, False, False, False), Rating.AGAIN),
    ],
)
def test_a_ticket_from_the_list_to_the_suggested_rating(
    tickets: TicketPage,
    desk: Desk,
    pack: Pack,
    pick: Pick,
    answers: tuple[bool, ...],
    suggestion: Rating,
    seconds: Seconds,
    qtbot: QtBot,
) -> None:
    press(Qt.Key.Key_Return)
    seconds.value += 200
    answer_all(tickets, pick, *answers)
    assert f"{sum(answers)} of 4 right at the first try" in texts(tickets)
    assert "TTFT grows with the prompt" in texts(tickets)
    assert suggestion.name.capitalize() in tickets.suggestion.text()
    emphasised = [each for each, button in tickets.rating_bar.buttons.items() if button.property("role")]
    assert emphasised == [suggestion]
    printed = tickets.rating_bar.buttons[suggestion].interval
    assert printed == desk.previews("demo/manuals")[suggestion].label
    with qtbot.waitSignal(tickets.answered):
        press(Qt.Key.Key_Space)
    review = desk.history.reviews()[-1]
    assert (review.item_id, review.rating, review.duration_ms) == ("demo/manuals", suggestion, 200_000)
    assert review.detail is not None
    assert review.detail["right"] == sum(answers)
    picked = review.detail["picked"]
    assert isinstance(picked, dict)
    for step, correct in zip(pack.studies[0].tickets[0].steps, answers, strict=True):
        assert step.options[picked[step.name]].correct == correct
    assert printed in tickets.toast.text
    assert tickets.list.isVisible()


@pytest.mark.parametrize("rating", Rating)
@pytest.mark.parametrize("by_key", [True, False])
def test_the_choice_of_the_rating_is_the_persons(
    tickets: TicketPage, desk: Desk, rating: Rating, by_key: bool
) -> None:
    press(Qt.Key.Key_Space)
    answer_all(tickets, pick_by_letter, True, True, True, True)
    if by_key:
        press(Qt.Key(Qt.Key.Key_0 + rating.value))
    else:
        button = tickets.rating_bar.buttons[rating]
        click(button, double=True)
    assert [review.rating for review in desk.history.reviews()] == [rating]


def test_each_answer_is_judged_at_once_with_its_reason(tickets: TicketPage, pack: Pack, pick: Pick) -> None:
    steps = pack.studies[0].tickets[0].steps
    press(Qt.Key.Key_Return)
    answer_all(tickets, pick, True)
    right = steps[0].options[0]
    assert verdicts(tickets) == [f"Right: {right.text}. {right.why}"]
    answer_all(tickets, pick, False)
    _, wrong, corrected = verdicts(tickets)
    assert wrong.startswith("Your answer: ")
    right = steps[1].options[0]
    assert corrected == f"The right answer: {right.text}. {right.why}"
    assert steps[2].prompt in texts(tickets)
    assert steps[3].prompt not in texts(tickets)
    assert not tickets.rating_bar.isVisible()


def test_nothing_can_be_rated_before_the_fourth_step(tickets: TicketPage, desk: Desk) -> None:
    press(Qt.Key.Key_Return)
    for _ in STEP_NAMES:
        tickets.rate(Rating.GOOD)
        press(Qt.Key.Key_Space)
        assert not desk.history.reviews()
        answer_all(tickets, pick_by_letter, True)


def test_a_letter_without_an_option_does_nothing(tickets: TicketPage) -> None:
    press(Qt.Key.Key_Return)
    press(Qt.Key.Key_F)
    assert tickets.diagnosis is not None
    assert not tickets.diagnosis.picked


def test_the_keys_on_offer_are_those_of_the_step(tickets: TicketPage) -> None:
    press(Qt.Key.Key_Space)
    assert tickets.diagnosis is not None
    while (step := tickets.diagnosis.current) is not None:
        offered = [action for action in tickets._pick_actions if action.isEnabled()]
        assert len(offered) == len(step.options)
        last = offered[-1].text().removeprefix("Option ")
        assert f"A to {last} answers" in [label.text() for label in tickets.findChildren(QLabel)]
        pick_by_letter(tickets, 0)
    assert not any(action.isEnabled() for action in tickets._pick_actions)


def test_a_tile_beside_a_higher_one_keeps_its_value_under_its_name(theme: Theme, qtbot: QtBot) -> None:
    readings = Readings(theme)
    qtbot.addWidget(readings)
    readings.show_metrics([Metric("short", "1 GB/s"), Metric("long", "one word after another " * 9)])
    readings.resize(300, 400)
    readings.show()
    name, value = readings.findChildren(Reading)[0].findChildren(QLabel)
    assert name.height() <= name.heightForWidth(name.width())
    assert value.height() <= value.heightForWidth(value.width())


def test_keys_held_and_double_clicks_answer_one_step(tickets: TicketPage) -> None:
    press(Qt.Key.Key_Return)
    for repeat in (False, True, True):
        QTest.simulateEvent(
            QApplication.focusWidget(), True, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, "a", repeat, -1
        )
    assert tickets.diagnosis is not None
    assert len(tickets.diagnosis.picked) == 1
    for answered in (2, 3):
        assert tickets.board.current is not None
        click(tickets.board.current.buttons[0], double=True)
        assert len(tickets.diagnosis.picked) == answered


def test_an_option_reached_with_tab_is_picked_by_space(tickets: TicketPage) -> None:
    press(Qt.Key.Key_Return)
    press(Qt.Key.Key_Tab)
    press(Qt.Key.Key_Tab)
    assert tickets.board.current is not None
    assert QApplication.focusWidget() is tickets.board.current.buttons[1]
    assert tickets.diagnosis is not None
    second = tickets.diagnosis.shown(tickets.board.current.step)[1]
    press(Qt.Key.Key_Space)
    assert tickets.diagnosis.chosen(tickets.diagnosis.answered[0]) == second


def test_undo_goes_back_to_the_answers_so_that_only_the_rating_is_given_again(
    tickets: TicketPage, desk: Desk
) -> None:
    untouched = desk.states()
    press(Qt.Key.Key_Return)
    answer_all(tickets, pick_by_letter, True, False, True, True)
    before = verdicts(tickets)
    press(Qt.Key.Key_1)
    press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert tickets.toast.text == "Undid Again on manuals"
    assert desk.states() == untouched
    assert verdicts(tickets) == before
    press(Qt.Key.Key_2)
    review = desk.history.reviews()[-1]
    assert review.rating is Rating.HARD
    assert review.detail is not None
    assert review.detail["right"] == 3


def test_undoing_what_was_rated_elsewhere_leaves_the_list(tickets: TicketPage, desk: Desk) -> None:
    desk.answer("demo/bandwidth", Rating.GOOD, timedelta())
    desk.answer("demo/manuals", Rating.GOOD, timedelta())
    tickets.look_again()
    for sentence in ("Undid Good on manuals", "Undid Good on bandwidth"):
        tickets.undo()
        assert tickets.toast.text == sentence
        assert tickets.list.isVisible()


def test_a_ticket_that_was_left_goes_on_where_it_stood(tickets: TicketPage) -> None:
    press(Qt.Key.Key_Return)
    answer_all(tickets, pick_by_letter, False, True)
    before = verdicts(tickets)
    press(Qt.Key.Key_Escape)
    assert tickets.list.isVisible()
    assert tickets.item is None
    press(Qt.Key.Key_Return)
    assert verdicts(tickets) == before


def test_the_list_says_where_each_ticket_stands(
    tickets: TicketPage, desk: Desk, clock: TravelClock, qtbot: QtBot
) -> None:
    assert [(e.item_id, e.state.standing) for e in tickets.list.entries] == [
        ("demo/manuals", "new"),
        ("demo/chats", "new"),
    ]
    press(Qt.Key.Key_Return)
    answer_all(tickets, pick_by_letter, True, True, True, True)
    press(Qt.Key.Key_4)
    assert [(e.item_id, e.state.standing) for e in tickets.list.entries] == [
        ("demo/chats", "new"),
        ("demo/manuals", "done"),
    ]
    assert tickets.list.entries[1].spoken.startswith("The first token takes a second, done, back on ")
    assert tickets.list.current_id == "demo/chats"
    tickets.ticker.setInterval(5)
    clock.pass_by(days=60)
    qtbot.waitUntil(lambda: tickets.list.entries[0].state.standing == "due")
    assert tickets.list.entries[0].item_id == "demo/manuals"
    assert tickets.list.current_id == "demo/chats"
    assert tickets.counts.text == "1 new, 0 learning, 1 due"


@pytest.mark.parametrize("way", ["enter", "space", "click", "button"])
def test_every_way_to_open_a_ticket(tickets: TicketPage, way: str) -> None:
    tickets.list.setCurrentRow(1)
    if way == "click":
        middle = tickets.list.visualItemRect(tickets.list.item(1)).center()
        QTest.mouseClick(tickets.list.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    elif way == "button":
        click(tickets.open_button)
    else:
        press(Qt.Key.Key_Return if way == "enter" else Qt.Key.Key_Space)
    assert tickets.item is not None
    assert tickets.item.item_id == "demo/chats"


def test_an_error_of_the_desk_keeps_the_answers(
    tickets: TicketPage, desk: Desk, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def full(*_: object) -> None:
        raise StudyError("progress.db cannot be written: the disk is full; free some space and rate again.")

    press(Qt.Key.Key_Return)
    answer_all(tickets, pick_by_letter, True, True, True, True)
    with monkeypatch.context() as patch:
        patch.setattr(desk, "answer", full)
        with qtbot.waitSignal(tickets.failed):
            press(Qt.Key.Key_3)
    assert tickets.notice.isVisible()
    press(Qt.Key.Key_3)
    assert len(desk.history.reviews()) == 1
