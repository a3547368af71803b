"""Answers in words can be typed: the box, its keys, and what stands beside the answer. Nothing is graded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ladder_content.loader import bundled_pack, load_pack
from ladder_content.model import Pack
from ladder_desktop.preferences import Preferences
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.own_answer import OwnAnswer, marked, words_of
from ladder_desktop.study import Desk, Rating, items_of
from ladder_desktop.theme import load_theme
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack(bundled_pack())


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    preferences = Preferences.open(tmp_path)
    preferences.typed_answers = True
    return preferences


@pytest.fixture
def page(pack: Pack, preferences: Preferences, tmp_path: Path, qtbot: QtBot) -> Iterator[DrillPage]:
    with Desk.open(tmp_path) as desk:
        desk.register(items_of(pack))
        page = DrillPage(desk, pack, load_theme("light"), typing=preferences)
        qtbot.addWidget(page)
        with qtbot.waitExposed(page):
            page.show()
        page.activate()
        yield page
        page.deactivate()


def show(page: DrillPage, pack: Pack, kind: str) -> None:
    page.show_card(next(card.id for study in pack.studies for card in study.cards if card.kind == kind))
    page.focus_target().setFocus()


@pytest.mark.parametrize("kind", ["qa", "cloze"])
def test_what_was_typed_stands_beside_the_answer(
    page: DrillPage, pack: Pack, kind: str, qtbot: QtBot
) -> None:
    show(page, pack, kind)
    box = page.card_view.attempt.box
    assert box is not None
    assert page.focus_target() is box
    qtbot.keyClicks(box, "the prefill queue, 3 times")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.keyClicks(box, "and more")
    assert not page.can_rate()
    qtbot.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert page.can_rate()
    shown = page.card_view.attempt.findChild(OwnAnswer)
    assert shown is not None
    assert "3 times\nand more" in shown.accessibleName()
    assert page.attempt is not None
    assert page.attempt.right is None
    assert page.attempt.suggestion is Rating.GOOD
    assert page.detail()["typed"] == "the prefill queue, 3 times\nand more"
    page.rate(Rating.HARD)
    assert page.desk.history.reviews()[-1].rating is Rating.HARD


def test_an_empty_box_leaves_space_to_the_page(page: DrillPage, pack: Pack, qtbot: QtBot) -> None:
    show(page, pack, "qa")
    box = page.card_view.attempt.box
    assert box is not None
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert page.can_rate()
    assert page.card_view.attempt.findChild(OwnAnswer) is None
    assert "typed" not in page.detail()


def test_the_box_comes_and_goes_with_the_setting(
    page: DrillPage, pack: Pack, preferences: Preferences, qtbot: QtBot
) -> None:
    show(page, pack, "qa")
    page.typing_action.trigger()
    assert page.card_view.attempt.box is None
    assert preferences.typed_answers is False
    page.typing_action.trigger()
    assert page.card_view.attempt.box is not None
    show(page, pack, "lever")
    assert page.card_view.attempt.box is None


def test_words_that_the_answer_has_too_are_marked(pack: Pack) -> None:
    known = frozenset({"weight", "batch"})
    assert marked("All <weights>, the BATCH", known) == "All &lt;<b>weights</b>&gt;, the <b>BATCH</b>"
    cloze = next(card for study in pack.studies for card in study.cards if card.kind == "cloze")
    assert "queue" in words_of(cloze)
    assert "the" not in words_of(cloze)
