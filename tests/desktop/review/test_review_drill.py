from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.key_points import KeyPoint
from ladder_desktop.study import Desk, Preview, Rating
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from .conftest import Seconds, TravelClock, click, press

Way = tuple[Callable[[DrillPage], None], Callable[[DrillPage, Rating], None]]


def reveal_by_key(page: DrillPage) -> None:
    press(Qt.Key.Key_Space)


def reveal_by_mouse(page: DrillPage) -> None:
    click(page.reveal_button)


def rate_by_key(page: DrillPage, rating: Rating) -> None:
    press(Qt.Key(Qt.Key.Key_0 + rating.value))


def rate_by_mouse(page: DrillPage, rating: Rating) -> None:
    click(page.rating_bar.buttons[rating])


@pytest.fixture(params=["keyboard", "mouse"])
def way(request: pytest.FixtureRequest) -> Way:
    return (reveal_by_key, rate_by_key) if request.param == "keyboard" else (reveal_by_mouse, rate_by_mouse)


@pytest.mark.parametrize("rating", Rating)
def test_a_card_from_question_to_rating(
    drill: DrillPage, desk: Desk, way: Way, rating: Rating, qtbot: QtBot
) -> None:
    reveal, rate = way
    assert drill.counts.text == "3 new, 0 learning, 0 due"
    assert not drill.rating_bar.isVisible()
    reveal(drill)
    assert drill.card_view.revealed
    printed = drill.rating_bar.buttons[rating].interval
    expected: Preview = desk.previews("demo/bandwidth")[rating]
    with qtbot.waitSignal(drill.answered):
        rate(drill, rating)
    review = desk.history.reviews()[-1]
    assert (review.item_id, review.rating) == ("demo/bandwidth", rating)
    assert printed == expected.label
    assert printed in drill.toast.text
    assert not drill.card_view.revealed
    assert drill.item is not None
    assert drill.item.item_id == "demo/paging"
    assert drill.counts.text == (
        "2 new, 0 learning, 0 due" if rating == Rating.EASY else "2 new, 1 learning, 0 due"
    )


@pytest.mark.parametrize("rating", Rating)
@pytest.mark.parametrize("history", [(), (Rating.GOOD,), (Rating.GOOD, Rating.GOOD)])
def test_what_is_printed_is_what_happens(
    drill: DrillPage, desk: Desk, clock: TravelClock, history: tuple[Rating, ...], rating: Rating
) -> None:
    for past in history:
        clock.at = max(clock.at, desk.answer("demo/bandwidth", past, timedelta()).due)
    drill.show_next()
    assert drill.item is not None
    assert drill.item.item_id == "demo/bandwidth"
    press(Qt.Key.Key_Return)
    printed = drill.rating_bar.buttons[rating].interval
    before = clock.now()
    rate_by_key(drill, rating)
    memory = desk.memory("demo/bandwidth")
    assert memory is not None
    if memory.due_at is None:
        assert printed == f"{memory.interval} d"
    else:
        minutes = (memory.due_at / 1000 - before.timestamp()) / 60
        assert printed == f"{round(minutes)} min"


def test_the_whole_pack_until_nothing_is_due(drill: DrillPage, desk: Desk, way: Way, qtbot: QtBot) -> None:
    reveal, rate = way
    for _ in range(3):
        reveal(drill)
        rate(drill, Rating.EASY)
    assert [review.item_id for review in desk.history.reviews()] == [
        "demo/bandwidth",
        "demo/paging",
        "demo/baseline",
    ]
    assert drill.item is None
    assert drill.done_view.isVisible()
    assert "Nothing is due" in drill.done_view.text
    assert "next card comes on" in drill.done_view.text
    with qtbot.waitSignal(drill.go) as went:
        click(drill.done_view.primary_button)
    assert went.args == ["tickets"]
    with qtbot.waitSignal(drill.go) as went:
        click(drill.done_view.secondary_button)
    assert went.args == ["study:runtime-ladder"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_space_and_enter_reveal_and_then_mean_good(drill: DrillPage, desk: Desk, key: Qt.Key) -> None:
    press(key)
    assert drill.card_view.revealed
    assert not desk.history.reviews()
    press(key)
    assert desk.history.reviews()[-1].rating is Rating.GOOD


def test_digits_do_nothing_before_the_answer_is_seen(drill: DrillPage, desk: Desk) -> None:
    for rating in Rating:
        rate_by_key(drill, rating)
        drill.rate(rating)
    assert not desk.history.reviews()


def test_undo_brings_each_card_back_and_names_the_rating(drill: DrillPage, desk: Desk, qtbot: QtBot) -> None:
    untouched = desk.states()
    for rating in (Rating.GOOD, Rating.HARD):
        press(Qt.Key.Key_Space)
        rate_by_key(drill, rating)
    for undone, item_id in (("Hard on paging", "demo/paging"), ("Good on bandwidth", "demo/bandwidth")):
        assert drill.undo_action.text() == f"Undo {undone}"
        with qtbot.waitSignal(drill.answered):
            press(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert drill.toast.text == f"Undid {undone}"
        assert drill.item is not None
        assert drill.item.item_id == item_id
        assert not drill.card_view.revealed
    assert desk.states() == untouched
    assert not drill.undo_action.isEnabled()
    drill.undo()
    assert desk.states() == untouched


def test_undo_from_the_toast_and_from_the_done_state(drill: DrillPage, desk: Desk) -> None:
    for _ in range(3):
        press(Qt.Key.Key_Space)
        rate_by_key(drill, Rating.EASY)
    click(drill.toast.undo_button)
    assert drill.item is not None
    assert drill.item.item_id == "demo/baseline"
    assert drill.card_view.isVisible()
    assert len(desk.history.reviews()) == 2


def test_undoing_a_ticket_leaves_the_card_on_show_alone(drill: DrillPage, desk: Desk) -> None:
    desk.answer("demo/manuals", Rating.GOOD, timedelta())
    drill.look_again()
    press(Qt.Key.Key_Space)
    drill.undo()
    assert drill.toast.text == "Undid Good on manuals"
    assert drill.card_view.revealed
    assert drill.item is not None
    assert drill.item.item_id == "demo/bandwidth"


def test_ticked_points_and_time_are_kept_with_the_review(
    drill: DrillPage, desk: Desk, seconds: Seconds
) -> None:
    seconds.value += 9
    press(Qt.Key.Key_Space)
    points = drill.card_view.points
    click(points.ticks[0])
    row = points.ticks[2].parentWidget()
    assert isinstance(row, KeyPoint)
    text = row.childAt(row.rect().center())
    assert isinstance(text, QLabel)
    click(text)
    seconds.value += 3
    press(Qt.Key.Key_Space)
    review = desk.history.reviews()[-1]
    assert review.detail == {"ticked": [0, 2], "of": 3}
    assert review.duration_ms == 12_000
    assert not any(tick.isChecked() for tick in points.ticks)


def test_time_is_capped_and_stands_still_while_the_page_is_away(
    drill: DrillPage, desk: Desk, seconds: Seconds
) -> None:
    seconds.value += 2
    drill.deactivate()
    seconds.value += 500
    drill.activate()
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_Space)
    seconds.value += 500
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_Space)
    seconds.value += 4
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_Space)
    assert [review.duration_ms for review in desk.history.reviews()] == [2_000, 60_000, 4_000]


def test_the_toast_leaves_by_itself(drill: DrillPage, qtbot: QtBot) -> None:
    drill.toast.timer.setInterval(5)
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_3)
    qtbot.waitUntil(lambda: not drill.toast.isVisible())
