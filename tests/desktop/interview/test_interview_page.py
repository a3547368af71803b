"""A mock interview by keyboard and by mouse, from setting it up to comparing two of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from ladder_content.model import Pack
from ladder_desktop.interview.interview_page import InterviewPage
from ladder_desktop.interview.report import by_step, by_study, change, percent, weakest
from ladder_desktop.study import Desk, Interview, Rating, Reply, Setting, items_of
from ladder_desktop.theme import apply, load_theme
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(qapp: QApplication, qtbot: QtBot, pack: Pack, tmp_path: Path) -> Iterator[InterviewPage]:
    theme = load_theme("light")
    apply(qapp, theme)
    desk = Desk.open(tmp_path)
    desk.register(items_of(pack))
    made = InterviewPage(desk, pack, theme, random=Random(5))
    made.resize(1040, 800)
    made.show()
    qtbot.waitExposed(made)
    made.activate()
    yield made
    made.deactivate()
    made.shutdown()
    desk.close()
    made.deleteLater()


def desk_of(page: InterviewPage) -> Desk:
    return page._desk


def go_on(page: InterviewPage, qtbot: QtBot) -> None:
    qtbot.keyClick(page.focusWidget() or page, Qt.Key.Key_Return, CTRL)


def sit(page: InterviewPage, qtbot: QtBot, points: int) -> None:
    """Sit a whole interview by keyboard, ticking so many points of each question."""
    go_on(page, qtbot)
    while page.session is not None:
        if page.session.part == "ticket":
            while page.session.diagnosis is not None and page.session.diagnosis.current is not None:
                qtbot.keyClick(page.focusWidget() or page, Qt.Key.Key_A)
        else:
            go_on(page, qtbot)
            go_on(page, qtbot)
            for tick in page.sitting.question.points.ticks[:points]:
                tick.setChecked(True)
        go_on(page, qtbot)


def test_by_keyboard_from_beginning_to_debrief(page: InterviewPage, qtbot: QtBot) -> None:
    sit(page, qtbot, points=2)
    assert page.debrief.isVisible()
    (interview,) = desk_of(page).history.interviews()
    assert len(interview.replies) == 8
    assert sum(reply.kind == "ticket" for reply in interview.replies) == 1
    assert all(reply.hit == 2 for reply in interview.replies if reply.kind == "card")
    assert len(desk_of(page).history.reviews()) == 8, "each answer is in the schedule"
    qtbot.keyClick(page.focusWidget() or page, Qt.Key.Key_Escape)
    assert page.setup.isVisible()
    assert page.setup.past.rowCount() == 1


def test_by_mouse_the_parts_of_a_question_come_one_after_another(page: InterviewPage, qtbot: QtBot) -> None:
    qtbot.mouseClick(page.setup.begin, Qt.MouseButton.LeftButton)
    view = page.sitting.question
    qtbot.keyClicks(view.notes, "bytes first")
    assert not view._follow_up.isVisible()
    qtbot.mouseClick(page.sitting._next, Qt.MouseButton.LeftButton)
    assert view._follow_up.isVisible()
    assert not view._answer.isVisible(), "the follow-up is answered before anything is shown"
    qtbot.mouseClick(page.sitting._next, Qt.MouseButton.LeftButton)
    assert view._answer.isVisible()
    view.points.ticks[0].toggle()
    view.follow_up_said.toggle()
    qtbot.mouseClick(page.sitting._next, Qt.MouseButton.LeftButton)
    (interview,) = desk_of(page).history.interviews()
    assert (interview.replies[0].hit, interview.replies[0].notes) == (2, "bytes first")
    assert page.session is not None
    assert view.notes.toPlainText() == ""


def test_an_interview_that_is_left_early_keeps_what_was_answered(page: InterviewPage, qtbot: QtBot) -> None:
    page.begin()
    page.end()
    assert page.setup.isVisible(), "nothing answered, nothing to debrief"
    page.begin()
    for _ in range(3):
        page.go_on()
    page.end()
    assert page.debrief.isVisible()
    assert len(desk_of(page).history.interviews()[0].replies) == 1


def test_without_a_study_there_is_no_interview(page: InterviewPage, qtbot: QtBot) -> None:
    for box in page.setup.boxes:
        box.setChecked(False)
    assert not page.setup.begin.isEnabled()
    page.begin()
    assert page.session is None


def test_two_interviews_are_compared_and_an_item_leads_to_its_place(
    page: InterviewPage, qtbot: QtBot
) -> None:
    sit(page, qtbot, points=0)
    page.show_setup()
    sit(page, qtbot, points=9)
    assert page.debrief.other.count() == 1
    newest, oldest = desk_of(page).history.interviews()
    assert newest.share > oldest.share
    assert page.debrief.other.currentText() == f"{oldest.local_date}, {percent(oldest.share)}"
    with qtbot.waitSignal(page.go) as signal:
        qtbot.keyClick(page.debrief._items.table, Qt.Key.Key_Return)
    item_id = newest.replies[0].item_id.partition("/")[2]
    assert signal.args is not None
    assert signal.args[0].endswith(f"/qa/{item_id}")


def test_the_clock_stands_while_another_page_is_shown(page: InterviewPage) -> None:
    page.begin()
    assert page.session is not None
    page.deactivate()
    left = page.session.left
    assert page.session.left == left
    assert not page._second.isActive()
    page.activate()
    assert page._second.isActive()


def reply(item_id: str, hit: int, steps: dict[str, bool] | None = None) -> Reply:
    return Reply(item_id, "ticket" if steps else "card", Rating.HARD, hit, 4, steps or {}, "", 1.0)


def test_scores_by_study_and_by_step() -> None:
    setting = Setting(30, ("a", "b"))
    now = Interview(
        "n",
        setting,
        "2026-11-30",
        2,
        (reply("a1", 4), reply("a2", 2), reply("b1", 1, {"shape": True, "bound": False})),
    )
    then = Interview("t", setting, "2026-11-29", 1, (reply("b1", 0, {"shape": False, "bound": False}),))
    studies = by_study(now, then, {"a": "A", "b": "B", "c": "C"}, lambda item_id: item_id[0])
    assert [(one.key, one.asked, one.share, one.before) for one in studies] == [
        ("a", 2, 0.75, None),
        ("b", 1, 0.25, 0.0),
    ]
    assert [change(one) for one in studies] == ["", "+25"]
    assert [(one.key, one.share, one.before) for one in by_step(now, then)] == [
        ("shape", 1.0, 0.0),
        ("bound", 0.0, 0.0),
    ]
    assert [one.item_id for one in weakest(now.replies)] == ["b1", "a2"]
