from __future__ import annotations

from datetime import timedelta

import pytest
from ladder_content.model import Pack
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.study import Desk, Rating, StudyError
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from .conftest import TravelClock, click, press


def test_the_page_notices_a_new_study_day(drill: DrillPage, clock: TravelClock, qtbot: QtBot) -> None:
    for _ in range(3):
        press(Qt.Key.Key_Space)
        press(Qt.Key.Key_4)
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
    press(Qt.Key.Key_4)
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
    click(drill.card_view.points.ticks[1])
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
    assert desk.history.reviews()[-1].detail == {"ticked": [1], "of": 3}
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
    assert len(desk.history.reviews()) == 1
    drill.look_again()
    assert drill.item is not None
    assert drill.item.item_id == "demo/paging"


def test_an_empty_pack_says_so(desk: Desk, pack: Pack, drill: DrillPage) -> None:
    desk.register([])
    drill.show_next()
    assert "no cards" in drill.done_view.text
