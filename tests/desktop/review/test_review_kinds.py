"""Numeric, cloze and lever cards: answered, judged, rated as suggested or as one likes; and the way to the lab."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest
from ladder_content.model import Card, Expected, Option, Pack
from ladder_desktop.review.attempt import Attempt
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.lab_link import LabLink
from ladder_desktop.review.ticket_page import TicketPage
from ladder_desktop.study import Desk, Rating
from ladder_desktop.theme import Theme
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from .conftest import TravelClock, click, make_card, press

CTRL = Qt.KeyboardModifier.ControlModifier
NUMERIC = make_card(
    "kv",
    "How many bytes of KV does one token of an 8B model leave?",
    kind="numeric",
    expected=Expected(value=131072, unit="B/token", tolerance=0.02),
    lab="long-prompts",
)
CLOZE = make_card(
    "reads",
    "A decode step reads {{all **weights**}} once, so at batch 1 it runs at {{`1` FLOP/B [F1.09]}}.",
    kind="cloze",
)
LEVER = make_card(
    "tail",
    "TTFT has a tail and TPOT is flat. Which lever first?",
    kind="lever",
    options=(
        Option(text="Chunked prefill", why="It lets decode steps in between.", correct=True),
        Option(text="Tensor parallel", why="It speeds every step, and the queue stays."),
        Option(text="A larger batch", why="It makes each step longer."),
    ),
)


@pytest.fixture
def pack(pack: Pack, first: Card) -> Pack:
    """The usual pack with the card that a test asks for before its own."""
    study = pack.studies[0]
    tickets = tuple(replace(ticket, lab="long-prompts") for ticket in study.tickets)
    return replace(pack, studies=(replace(study, cards=(first, *study.cards), tickets=tickets),))


@pytest.fixture
def first() -> Card:
    return NUMERIC


def seen(widget: QWidget) -> str:
    QApplication.processEvents()  # what was put into a layout is shown with the next event
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def type_text(text: str) -> None:
    QTest.keyClicks(QApplication.focusWidget(), text)


@pytest.mark.parametrize(
    ("typed", "rating", "words"),
    [
        ("131072", Rating.GOOD, "Right"),
        ("128 KiB", Rating.GOOD, "Right"),
        ("1.3e5", Rating.GOOD, "Right"),
        ("64 KiB", Rating.AGAIN, "Wrong"),
    ],
)
@pytest.mark.parametrize("way", ["enter", "button"])
def test_a_number_is_typed_checked_and_rated_as_suggested(
    drill: DrillPage, desk: Desk, typed: str, rating: Rating, words: str, way: str
) -> None:
    field = drill.card_view.attempt.field
    assert field is not None
    assert QApplication.focusWidget() is field.line
    type_text(typed)
    if way == "enter":
        press(Qt.Key.Key_Return)
    else:
        click(drill.reveal_button)
    assert drill.card_view.revealed
    told = seen(drill.card_view)
    assert "131,072 B/token" in told
    assert f"{words}: you typed {typed}" in told
    assert drill.rating_bar.buttons[rating].property("role") == "primary"
    assert drill.suggestion.text() == f"Suggested: {rating.name.capitalize()}"
    press(Qt.Key.Key_Space)
    review = desk.history.reviews()[-1]
    assert review.rating is rating
    assert review.detail == {"ticked": [], "of": 3, "typed": typed, "right": rating is Rating.GOOD}


def test_the_call_stays_the_persons_own(drill: DrillPage, desk: Desk) -> None:
    type_text("1")
    press(Qt.Key.Key_Return)
    press(Qt.Key.Key_2)
    assert desk.history.reviews()[-1].rating is Rating.HARD
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_Space)  # the next card is answered aloud: Space is Good again
    assert desk.history.reviews()[-1].rating is Rating.GOOD


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_an_empty_field_is_skipped(drill: DrillPage, desk: Desk, key: Qt.Key) -> None:
    press(key)
    assert drill.card_view.revealed
    assert "The result" in seen(drill.card_view)
    assert drill.suggestion.text() == ""
    assert drill.rating_bar.buttons[Rating.GOOD].property("role") == "primary"
    press(Qt.Key.Key_3)
    assert desk.history.reviews()[-1].detail == {"ticked": [], "of": 3}


def test_what_is_no_number_is_refused_and_can_be_mended(drill: DrillPage) -> None:
    type_text("12 apples")
    press(Qt.Key.Key_Return)
    assert not drill.card_view.revealed
    assert "does not read as a number of B/token" in seen(drill.card_view)
    field = drill.card_view.attempt.field
    assert field is not None
    assert QApplication.focusWidget() is field.line
    field.line.selectAll()
    type_text("131 072")
    assert not field.note.isVisible()
    press(Qt.Key.Key_Return)
    assert "Right" in seen(drill.card_view)


def test_undo_works_from_the_empty_field(drill: DrillPage, desk: Desk) -> None:
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_3)
    press(Qt.Key.Key_Z, CTRL)
    assert desk.history.reviews() == []
    field = drill.card_view.attempt.field
    assert field is not None
    assert field.line.text() == ""
    type_text("12")
    press(Qt.Key.Key_Z, CTRL)  # in a text it is the text's
    assert field.line.text() == ""


def test_digits_go_into_the_field_and_rate_nothing(drill: DrillPage, desk: Desk) -> None:
    type_text("1234")
    assert not drill.card_view.revealed
    assert desk.history.reviews() == []


class TestCloze:
    @pytest.fixture
    def first(self) -> Card:
        return CLOZE

    def test_blanks_give_nothing_away_and_are_filled_on_reveal(self, drill: DrillPage) -> None:
        question = drill.card_view.findChild(QLabel, "question")
        assert question is not None
        assert "weights" not in question.text()
        assert "FLOP" not in question.text()
        assert "weights" not in drill.card_view.accessibleName()
        assert question.text().count("<span style=") == 2
        press(Qt.Key.Key_Space)
        assert "all <strong>weights</strong>" in question.text()
        assert "1</code> FLOP/B" in question.text()
        assert question.text().count("<span style=") == 2
        assert drill.suggestion.text() == ""

    def test_it_is_rated_like_any_card(self, drill: DrillPage, desk: Desk) -> None:
        press(Qt.Key.Key_Space)
        press(Qt.Key.Key_Space)
        assert desk.history.reviews()[-1].rating is Rating.GOOD
        assert desk.history.reviews()[-1].detail == {"ticked": [], "of": 3}


class TestLever:
    @pytest.fixture
    def first(self) -> Card:
        return LEVER

    @pytest.mark.parametrize("position", [0, 1, 2])
    @pytest.mark.parametrize("way", ["letter", "digit", "mouse"])
    def test_an_option_is_picked_judged_and_kept(
        self, drill: DrillPage, desk: Desk, position: int, way: str
    ) -> None:
        assert drill.attempt is not None
        option = LEVER.options[position]
        place = drill.attempt.options.index(option)
        if way == "mouse":
            click(drill.card_view.attempt.buttons[place])
        else:
            press(Qt.Key((Qt.Key.Key_A if way == "letter" else Qt.Key.Key_1) + place))
        assert drill.card_view.revealed
        told = seen(drill.card_view)
        assert option.text in told
        assert option.why in told
        assert LEVER.options[0].why in told
        assert ("Your answer" in told) is not option.correct
        rating = Rating.GOOD if option.correct else Rating.AGAIN
        assert drill.suggestion.text() == f"Suggested: {rating.name.capitalize()}"
        press(Qt.Key.Key_Return)
        review = desk.history.reviews()[-1]
        assert review.rating is rating
        assert review.detail == {"ticked": [], "of": 3, "picked": position, "right": option.correct}

    def test_looking_without_a_pick_shows_the_right_one(self, drill: DrillPage, desk: Desk) -> None:
        press(Qt.Key.Key_Space)
        told = seen(drill.card_view)
        assert "The right answer" in told
        assert LEVER.options[0].why in told
        assert "larger batch" not in told
        press(Qt.Key.Key_4)
        assert desk.history.reviews()[-1].detail == {"ticked": [], "of": 3}

    def test_a_letter_without_an_option_does_nothing(self, drill: DrillPage) -> None:
        press(Qt.Key.Key_D)
        press(Qt.Key.Key_4)
        assert not drill.card_view.revealed

    def test_options_are_reached_with_tab(self, drill: DrillPage, desk: Desk) -> None:
        press(Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is drill.card_view.attempt.buttons[0]
        press(Qt.Key.Key_Return)
        assert drill.attempt is not None
        assert drill.attempt.chosen is drill.attempt.options[0]


def test_options_stand_in_another_order_now_and_then() -> None:
    shuffle = Random(3)
    orders = {tuple(option.text for option in Attempt(LEVER, shuffle).options) for _ in range(40)}
    assert len(orders) == 6


def test_a_second_pick_and_a_pick_nowhere_change_nothing() -> None:
    attempt = Attempt(LEVER, Random(1))
    assert not attempt.pick(3)
    assert not attempt.pick(-1)
    assert attempt.detail() == {}
    assert attempt.pick(1)
    before = attempt.detail()
    assert not attempt.pick(0)
    assert attempt.detail() == before


@pytest.mark.parametrize("way", ["mouse", "keys"])
def test_the_lab_is_one_step_from_the_answer(drill: DrillPage, way: str) -> None:
    wanted: list[str] = []
    drill.go.connect(wanted.append)
    link = drill.card_view.lab
    assert not link.isVisible()
    press(Qt.Key.Key_Space)
    assert link.isVisible()
    if way == "mouse":
        click(link)
    else:
        press(Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is link
        press(Qt.Key.Key_Return)
    assert wanted == ["live:long-prompts"]
    assert drill.card_view.revealed
    press(Qt.Key.Key_3)
    press(Qt.Key.Key_Space)
    assert not link.isVisible()


def test_the_lab_of_a_ticket_stands_with_its_evidence(tickets: TicketPage) -> None:
    wanted: list[str] = []
    tickets.go.connect(wanted.append)
    press(Qt.Key.Key_Space)
    for _ in range(4):
        assert not tickets.findChildren(LabLink)
        press(Qt.Key.Key_A)
    (link,) = tickets.findChildren(LabLink)
    tickets.board.right.ensureWidgetVisible(link)
    click(link)
    assert wanted == ["live:long-prompts"]


@pytest.mark.parametrize("way", ["mouse", "keys"])
def test_a_ticket_runs_two_levers_side_by_side_once_it_is_answered(
    desk: Desk,
    pack: Pack,
    theme: Theme,
    clock: TravelClock,
    on_screen: Callable[[QWidget], None],
    way: str,
) -> None:
    variants = {"long-prompts": ("budget 32", "budget 512")}
    page = TicketPage(desk, pack, theme, clock, variants=variants.__getitem__)
    on_screen(page)
    wanted: list[str] = []
    page.go.connect(wanted.append)
    press(Qt.Key.Key_Space)
    for _ in range(4):
        assert not page.findChildren(LabLink)
        press(Qt.Key.Key_A)
    (link,) = page.findChildren(LabLink)
    assert link.text().startswith("Run it: budget 32 beside budget 512")
    assert "budget 32 beside budget 512" in link.accessibleName()
    page.board.right.ensureWidgetVisible(link)
    if way == "mouse":
        click(link)
    else:
        link.setFocus(Qt.FocusReason.TabFocusReason)
        press(Qt.Key.Key_Return)
    assert wanted == ["live:long-prompts?compare"]
    page.deactivate()


def test_a_ticket_is_led_to_as_it_was_left(tickets: TicketPage) -> None:
    first = tickets.list.current_id
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_A)
    answered = tickets.diagnosis
    assert first is not None
    tickets.show_ticket(first.partition("/")[2])
    assert tickets.diagnosis is answered
    tickets.show_next()
    tickets.show_ticket(first.partition("/")[2])
    assert tickets.diagnosis is answered
    with pytest.raises(LookupError):
        tickets.show_ticket("no-such-ticket")
    assert tickets.diagnosis is answered


BAD = "<b>x</b><img src=x onerror=alert(1)>[r](javascript:x)"


class TestHostile:
    @pytest.fixture(params=["numeric", "cloze", "lever"])
    def first(self, request: pytest.FixtureRequest) -> Card:
        options = (
            Option(text=BAD, why=BAD, correct=True),
            Option(text="b", why=BAD),
            Option(text="c", why="c"),
        )
        return {
            "numeric": replace(NUMERIC, question=BAD, expected=Expected(value=1, unit=BAD, tolerance=0.5)),
            "cloze": replace(CLOZE, question=f"{BAD} \ue000 &#xE001; {{{{{BAD}}}}} `{{{{code}}}}` \ue005"),
            "lever": replace(LEVER, question=BAD, options=options),
        }[request.param]

    def test_texts_of_a_stranger_are_text(self, drill: DrillPage) -> None:
        for _ in range(2):
            for label in drill.card_view.findChildren(QLabel):
                plain = label.textFormat() is Qt.TextFormat.PlainText
                links = set(re.findall("href=[^ >]*", label.text()))
                assert plain or ("<img" not in label.text() and links <= {'href="fact:F1.09"'})
            press(Qt.Key.Key_Space)


@pytest.mark.parametrize("card", [NUMERIC, CLOZE, LEVER], ids=lambda card: card.kind)
def test_everything_the_keyboard_reaches_has_a_name(drill: DrillPage, card: Card) -> None:
    drill.card_view.show_question(drill.pack.studies[0], card, Attempt(card, Random(1)))
    for _ in range(2):
        reached = [
            widget for widget in drill.findChildren(QWidget) if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        ]
        assert [widget for widget in reached if not widget.accessibleName()] == []
        drill.card_view.reveal()
