from __future__ import annotations

import pytest
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.study import Desk, Rating
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from .conftest import click, hold, press


def test_a_double_click_answers_once_and_reveals_nothing(drill: DrillPage, desk: Desk) -> None:
    click(drill.reveal_button, double=True)
    assert drill.card_view.revealed
    assert not desk.history.reviews()
    near = drill.rating_bar.buttons[Rating.GOOD]
    near.setFixedWidth(drill.reveal_button.width())
    drill.rating_bar.buttons[Rating.AGAIN].hide()  # Good now lies where the next "Show answer" will be
    drill.rating_bar.buttons[Rating.EASY].hide()
    drill.rating_bar.buttons[Rating.HARD].hide()
    click(near, double=True)
    assert len(desk.history.reviews()) == 1
    assert not drill.card_view.revealed


def test_no_action_repeats_while_its_key_is_held(drill: DrillPage) -> None:
    assert drill.page_actions()
    with_keys = [action for action in drill.page_actions() if action.shortcuts()]
    assert len(with_keys) > 10
    for action in with_keys:
        assert action.text()
        assert not action.autoRepeat()
        assert action.shortcutContext() is Qt.ShortcutContext.WidgetWithChildrenShortcut


def test_a_key_held_down_counts_once(drill: DrillPage, desk: Desk) -> None:
    hold(Qt.Key.Key_Space, " ")
    assert drill.card_view.revealed
    assert not desk.history.reviews()
    hold(Qt.Key.Key_3, "3")
    assert len(desk.history.reviews()) == 1
    press(Qt.Key.Key_Space)
    drill.rating_bar.buttons[Rating.EASY].setFocus(Qt.FocusReason.TabFocusReason)
    hold(Qt.Key.Key_Return, "\r")
    assert [review.rating for review in desk.history.reviews()] == [Rating.GOOD, Rating.EASY]
    assert not drill.card_view.revealed


def test_a_key_held_on_a_button_that_stays_presses_it_once(drill: DrillPage) -> None:
    for _ in range(3):
        press(Qt.Key.Key_Space)
        press(Qt.Key.Key_4)
    wanted: list[str] = []
    drill.go.connect(wanted.append)
    drill.done_view.primary_button.setFocus(Qt.FocusReason.TabFocusReason)
    hold(Qt.Key.Key_Return, "\r")
    assert wanted == ["tickets"]


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
        assert len(desk.history.reviews()) == number
        assert desk.history.reviews()[-1].rating is Rating.EASY


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
    assert [review.rating for review in desk.history.reviews()] == [Rating.HARD]


def test_a_point_ticked_with_the_mouse_leaves_space_to_mean_good(drill: DrillPage, desk: Desk) -> None:
    press(Qt.Key.Key_Space)
    click(drill.card_view.points.ticks[1])
    press(Qt.Key.Key_Space)
    review = desk.history.reviews()[-1]
    assert review.rating is Rating.GOOD
    assert review.detail == {"ticked": [1], "of": 3}


def test_a_point_reached_with_tab_is_ticked_by_space(drill: DrillPage, desk: Desk) -> None:
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is drill.card_view.points.ticks[0]
    press(Qt.Key.Key_Space)
    assert drill.card_view.points.ticked == [0]
    assert not desk.history.reviews()
