"""What an interview asks, and what the log gives back of it."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from ladder_desktop.study import (
    CardState,
    Desk,
    Item,
    Memory,
    Rating,
    Reply,
    Setting,
    detail_of,
    draw,
    interview_rating,
    new_interview_id,
)
from ladder_desktop.study.interview import weakness

TODAY = 20_000


def state(name: str, kind: str = "card", study: str = "a", **memory: float) -> CardState:
    item = Item(f"p/{name}", kind, study)  # type: ignore[arg-type]
    if not memory:
        return CardState(item, None)
    days = int(memory.get("days", 0))
    known = Memory(
        phase="review",
        step=None,
        stability=memory.get("stability", 10.0),
        difficulty=memory.get("difficulty", 5.0),
        due_at=None,
        due_day=TODAY,
        interval=10,
        reps=3,
        lapses=int(memory.get("lapses", 0)),
        last_at=0,
        last_day=TODAY - days,
    )
    return CardState(item, known)


CARDS = [state(f"c{number}", study="ab"[number % 2]) for number in range(40)]
TICKETS = [state(f"t{number}", "ticket", "ab"[number % 2]) for number in range(10)]


@pytest.mark.parametrize(
    ("minutes", "cards", "tickets"), [(5, 1, 0), (15, 2, 1), (30, 7, 1), (45, 10, 2), (60, 13, 3)]
)
def test_an_interview_holds_what_its_minutes_hold(minutes: int, cards: int, tickets: int) -> None:
    asked = draw(CARDS + TICKETS, Setting(minutes, ("a", "b")), TODAY, Random(1))
    kinds = Counter(one.item.kind for one in asked)
    assert (kinds["card"], kinds["ticket"]) == (cards, tickets)
    assert len({one.item.item_id for one in asked}) == len(asked)
    assert minutes < 15 or 3 * cards + 7 * tickets <= minutes
    assert asked[0].item.kind == "card"


def test_it_asks_only_about_the_studies_that_were_chosen() -> None:
    asked = draw(CARDS + TICKETS, Setting(60, ("b",)), TODAY, Random(2))
    assert {one.item.study_id for one in asked} == {"b"}


def test_few_items_are_all_asked_and_none_gives_none() -> None:
    assert len(draw(CARDS[:3], Setting(60, ("a", "b")), TODAY, Random(3))) == 3
    assert draw([], Setting(60, ("a",)), TODAY, Random(3)) == []


@pytest.mark.parametrize(
    ("weak", "strong"),
    [
        (state("x", lapses=3, days=1), state("y", lapses=0, days=1)),
        (state("x", days=30, stability=10), state("y", days=2, stability=10)),
        (state("x", difficulty=9, days=1), state("y", difficulty=2, days=1)),
        (state("x"), state("y", days=1, stability=50)),
    ],
)
def test_what_lapsed_faded_or_is_hard_weighs_more(weak: CardState, strong: CardState) -> None:
    assert weakness(weak, TODAY) > weakness(strong, TODAY) > 0


def test_the_first_place_is_drawn_in_proportion_to_the_weights() -> None:
    """Of two items the share of first places is w / (w + v): exact for this way of drawing."""
    weak, strong = state("x", lapses=6, days=40, stability=10), state("y", days=1, stability=100)
    w, v = weakness(weak, TODAY), weakness(strong, TODAY)
    random, draws = Random(7), 20_000
    first = sum(
        draw([weak, strong], Setting(5, ("a",)), TODAY, random)[0].item.item_id == "p/x" for _ in range(draws)
    )
    expected = draws * w / (w + v)
    assert (first - expected) ** 2 / (expected * v / (w + v)) < 10.83  # chi-square, one degree, p = 0.001


def test_a_clock_set_back_makes_no_weight_zero_or_less() -> None:
    assert weakness(state("x", days=-400, stability=0.1, difficulty=1), TODAY) > 0


@pytest.mark.parametrize(
    ("share", "rating"),
    [
        (1.0, Rating.GOOD),
        (0.8, Rating.GOOD),
        (0.79, Rating.HARD),
        (0.5, Rating.HARD),
        (0.49, Rating.AGAIN),
        (0, Rating.AGAIN),
    ],
)
def test_the_rating_follows_the_points(share: float, rating: Rating) -> None:
    assert interview_rating(share) == rating


def test_an_interview_comes_back_from_the_log_and_goes_with_undo(tmp_path: Path) -> None:
    setting = Setting(30, ("a", "b"))
    with Desk.open(tmp_path) as desk:
        desk.register([Item("p/c", "card", "a"), Item("p/t", "ticket", "b")])
        desk.answer("p/c", Rating.GOOD, timedelta(seconds=3), {"ticked": [0]})  # no interview
        first, second = new_interview_id(), new_interview_id()
        card = Reply("p/c", "card", Rating.HARD, 3, 5, {}, "spoke of bytes", 61.5)
        ticket = Reply("p/t", "ticket", Rating.AGAIN, 1, 4, {"shape": True, "bound": False}, "", 200.0)
        for interview_id, replies in ((first, (card, ticket)), (second, (card,))):
            for reply in replies:
                detail = detail_of(interview_id, setting, reply)
                desk.answer(reply.item_id, reply.rating, timedelta(seconds=reply.seconds), detail)
        newest, oldest = desk.history.interviews()
        assert (oldest.interview_id, oldest.setting, oldest.replies) == (first, setting, (card, ticket))
        assert oldest.share == pytest.approx((3 / 5 + 1 / 4) / 2)
        assert newest.replies == (card,)
        assert desk.memory("p/c") == desk.history.reviews()[-1].after
        desk.undo()
        assert [one.interview_id for one in desk.history.interviews()] == [first]


def test_a_detail_that_somebody_made_up_breaks_nothing(tmp_path: Path) -> None:
    with Desk.open(tmp_path) as desk:
        desk.register([Item("p/c", "card", "a")])
        for detail in ({"interview": "x"}, {"interview": {"id": 7, "steps": [], "notes": 3, "hit": "x"}}):
            desk.answer("p/c", Rating.GOOD, timedelta(), detail)  # type: ignore[arg-type]
        (one,) = desk.history.interviews()
        assert one.replies[0].asked == 0
        assert one.share == 0
