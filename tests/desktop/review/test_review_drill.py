from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from ladder_content.model import Pack
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.key_points import KeyPoint
from ladder_desktop.study import Desk, Preview, Rating, StudyError
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from .conftest import Seconds, TravelClock

pytestmark = pytest.mark.qt_log_ignore(
    "propagateSizeHints", extend=True
)  # the offscreen platform says so itself

Way = tuple[Callable[[DrillPage], None], Callable[[DrillPage, Rating], None]]


def press(key: Qt.Key) -> None:
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, key)


def reveal_by_key(page: DrillPage) -> None:
    press(Qt.Key.Key_Space)


def reveal_by_mouse(page: DrillPage) -> None:
    QTest.mouseClick(page.reveal_button, Qt.MouseButton.LeftButton)


def rate_by_key(page: DrillPage, rating: Rating) -> None:
    press(Qt.Key(Qt.Key.Key_0 + rating.value))


def rate_by_mouse(page: DrillPage, rating: Rating) -> None:
    QTest.mouseClick(page.rating_bar.buttons[rating], Qt.MouseButton.LeftButton)


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
    review = desk.reviews()[-1]
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
    assert [review.item_id for review in desk.reviews()] == ["demo/bandwidth", "demo/paging", "demo/baseline"]
    assert drill.item is None
    assert drill.done_view.isVisible()
    assert "Nothing is due" in drill.done_view.text
    assert "next card comes on" in drill.done_view.text
    with qtbot.waitSignal(drill.go) as went:
        QTest.mouseClick(drill.done_view.primary_button, Qt.MouseButton.LeftButton)
    assert went.args == ["tickets"]
    with qtbot.waitSignal(drill.go) as went:
        QTest.mouseClick(drill.done_view.secondary_button, Qt.MouseButton.LeftButton)
    assert went.args == ["study:runtime-ladder"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_space_and_enter_reveal_and_then_mean_good(drill: DrillPage, desk: Desk, key: Qt.Key) -> None:
    press(key)
    assert drill.card_view.revealed
    assert not desk.reviews()
    press(key)
    assert desk.reviews()[-1].rating is Rating.GOOD


def test_digits_do_nothing_before_the_answer_is_seen(drill: DrillPage, desk: Desk) -> None:
    for rating in Rating:
        rate_by_key(drill, rating)
        drill.rate(rating)
    assert not desk.reviews()


def test_undo_brings_each_card_back_and_names_the_rating(drill: DrillPage, desk: Desk, qtbot: QtBot) -> None:
    untouched = desk.states()
    for rating in (Rating.GOOD, Rating.HARD):
        press(Qt.Key.Key_Space)
        rate_by_key(drill, rating)
    for undone, item_id in (("Hard on paging", "demo/paging"), ("Good on bandwidth", "demo/bandwidth")):
        assert drill.undo_action.text() == f"Undo {undone}"
        with qtbot.waitSignal(drill.answered):
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
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
    QTest.mouseClick(drill.toast.undo_button, Qt.MouseButton.LeftButton)
    assert drill.item is not None
    assert drill.item.item_id == "demo/baseline"
    assert drill.card_view.isVisible()
    assert len(desk.reviews()) == 2


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
    QTest.mouseClick(points.ticks[0], Qt.MouseButton.LeftButton)
    row = points.ticks[2].parentWidget()
    assert isinstance(row, KeyPoint)
    text = row.childAt(row.rect().center())
    assert isinstance(text, QLabel)
    QTest.mouseClick(text, Qt.MouseButton.LeftButton)
    seconds.value += 3
    press(Qt.Key.Key_Space)
    review = desk.reviews()[-1]
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
    assert [review.duration_ms for review in desk.reviews()] == [2_000, 60_000]


def test_a_double_click_answers_once_and_reveals_nothing(drill: DrillPage, desk: Desk) -> None:
    press(Qt.Key.Key_Space)
    good = drill.rating_bar.buttons[Rating.GOOD]
    QTest.mouseClick(good, Qt.MouseButton.LeftButton)
    QTest.mouseDClick(good, Qt.MouseButton.LeftButton)
    QTest.mouseDClick(drill.reveal_button, Qt.MouseButton.LeftButton)
    assert len(desk.reviews()) == 1


def test_no_action_repeats_while_its_key_is_held(drill: DrillPage) -> None:
    assert drill.page_actions()
    for action in drill.page_actions():
        assert action.text()
        assert action.shortcuts()
        assert not action.autoRepeat()
        assert action.shortcutContext() is Qt.ShortcutContext.WidgetWithChildrenShortcut


def hold(key: Qt.Key, text: str) -> None:
    for repeat in (False, True, True, True):
        QTest.simulateEvent(
            QApplication.focusWidget(), True, key, Qt.KeyboardModifier.NoModifier, text, repeat, -1
        )


def test_a_key_held_down_counts_once(drill: DrillPage, desk: Desk) -> None:
    hold(Qt.Key.Key_Space, " ")
    assert drill.card_view.revealed
    assert not desk.reviews()
    hold(Qt.Key.Key_3, "3")
    assert len(desk.reviews()) == 1
    press(Qt.Key.Key_Space)
    drill.rating_bar.buttons[Rating.EASY].setFocus(Qt.FocusReason.TabFocusReason)
    hold(Qt.Key.Key_Return, "\r")
    assert [review.rating for review in desk.reviews()] == [Rating.GOOD, Rating.EASY]
    assert not drill.card_view.revealed


def test_keys_work_wherever_the_focus_is(drill: DrillPage, desk: Desk) -> None:
    for number, place in enumerate(("card_view", "tick", "button"), start=1):
        press(Qt.Key.Key_Space)
        widgets = {
            "card_view": drill.card_view,
            "tick": drill.card_view.points.ticks[0],
            "button": drill.rating_bar.buttons[Rating.AGAIN],
        }
        widgets[place].setFocus(Qt.FocusReason.TabFocusReason)
        assert QApplication.focusWidget() is widgets[place]
        press(Qt.Key.Key_4)
        assert len(desk.reviews()) == number
        assert desk.reviews()[-1].rating is Rating.EASY


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_a_button_reached_with_tab_is_pressed_by_space_and_enter(
    drill: DrillPage, desk: Desk, key: Qt.Key
) -> None:
    press(Qt.Key.Key_Space)
    for _ in range(20):
        if QApplication.focusWidget() is drill.rating_bar.buttons[Rating.HARD]:
            break
        press(Qt.Key.Key_Tab)
    press(key)
    assert [review.rating for review in desk.reviews()] == [Rating.HARD]


def test_a_point_reached_with_tab_is_ticked_by_space(drill: DrillPage, desk: Desk) -> None:
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is drill.card_view.points.ticks[0]
    press(Qt.Key.Key_Space)
    assert drill.card_view.points.ticked == [0]
    assert not desk.reviews()


def test_the_page_notices_a_new_study_day(drill: DrillPage, clock: TravelClock, qtbot: QtBot) -> None:
    for _ in range(3):
        press(Qt.Key.Key_Space)
        rate_by_key(drill, Rating.EASY)
    drill.ticker.setInterval(5)
    qtbot.wait(30)
    assert drill.item is None
    clock.at += timedelta(days=60)
    qtbot.waitUntil(lambda: drill.item is not None)
    assert drill.card_view.isVisible()
    assert drill.counts.text == "0 new, 0 learning, 3 due"


def test_a_learning_step_that_ends_is_counted_while_a_card_is_on_show(
    drill: DrillPage, clock: TravelClock, qtbot: QtBot
) -> None:
    press(Qt.Key.Key_Space)
    rate_by_key(drill, Rating.EASY)
    press(Qt.Key.Key_Space)
    drill.ticker.setInterval(5)
    clock.pass_by(days=60)
    qtbot.waitUntil(lambda: drill.counts.text == "2 new, 0 learning, 1 due")
    assert drill.item is not None
    assert drill.item.item_id == "demo/paging"
    assert drill.card_view.revealed


def test_the_timer_stops_with_the_page(drill: DrillPage) -> None:
    assert drill.ticker.isActive()
    drill.deactivate()
    assert not drill.ticker.isActive()


def test_a_question_gives_way_to_a_more_urgent_one_when_the_page_comes_back(
    drill: DrillPage, desk: Desk, clock: TravelClock
) -> None:
    drill.deactivate()
    desk.answer("demo/baseline", Rating.AGAIN, timedelta())
    clock.pass_by(minutes=2)
    drill.activate()
    assert drill.item is not None
    assert drill.item.item_id == "demo/baseline"


def test_an_error_of_the_desk_is_one_sentence_and_nothing_is_lost(
    drill: DrillPage, desk: Desk, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def full(*_: object) -> None:
        raise StudyError("progress.db cannot be written: the disk is full; free some space and rate again.")

    press(Qt.Key.Key_Space)
    QTest.mouseClick(drill.card_view.points.ticks[1], Qt.MouseButton.LeftButton)
    with monkeypatch.context() as patch:
        patch.setattr(desk, "answer", full)
        for _ in range(2):
            with qtbot.waitSignal(drill.failed) as failed:
                press(Qt.Key.Key_3)
            assert failed.args == [drill.notice.text]
            assert "disk is full" in drill.notice.text
        drill.look_again()
        assert drill.notice.isVisible()
    assert drill.card_view.revealed
    assert drill.card_view.points.ticked == [1]
    press(Qt.Key.Key_3)
    assert desk.reviews()[-1].detail == {"ticked": [1], "of": 3}
    assert not drill.notice.isVisible()


def test_a_desk_that_cannot_be_read_is_reported_once_and_not_every_tick(
    drill: DrillPage, desk: Desk, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def gone(*_: object) -> None:
        raise StudyError("progress.db is gone; put it back.")

    heard: list[str] = []
    drill.failed.connect(heard.append)
    with monkeypatch.context() as patch:
        patch.setattr(desk, "counts", gone)
        for _ in range(3):
            drill.look_again()
    assert heard == ["progress.db is gone; put it back."]


def test_an_answer_given_is_not_given_again_when_the_next_card_cannot_be_read(
    drill: DrillPage, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise StudyError("progress.db is gone; put it back.")

    press(Qt.Key.Key_Space)
    with monkeypatch.context() as patch:
        patch.setattr(desk, "next_item", gone)
        press(Qt.Key.Key_3)
        press(Qt.Key.Key_3)
        assert drill.notice.isVisible()
    assert len(desk.reviews()) == 1
    drill.look_again()
    assert drill.item is not None
    assert drill.item.item_id == "demo/paging"


def test_an_empty_pack_says_so(desk: Desk, pack: Pack, drill: DrillPage) -> None:
    desk.register([])
    drill.show_next()
    assert "no cards" in drill.done_view.text
