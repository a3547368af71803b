"""Bury, suspend, flag and leech, sibling spacing, daily limits: what leaves the queue, and when it comes back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ladder_desktop.study import Counts, Desk, Hidden, Item, Mark, Rating, StudyError
from ladder_desktop.study.marks import is_leech

from .conftest import PLAIN, TravelClock

SECOND = timedelta(seconds=1)


def names(desk: Desk, most: int = 99) -> list[str]:
    """Answer whatever comes with Easy, and return what came."""
    order: list[str] = []
    while (item := desk.next_item()) and len(order) < most:
        order.append(item.item_id.removeprefix("pack/"))
        desk.answer(item.item_id, Rating.EASY, SECOND)
    return order


# Bury


def test_a_buried_card_comes_back_at_four(desk: Desk, clock: TravelClock) -> None:
    clock.set("2026-10-24 22:00", "Europe/Paris")  # the clocks go back in this night
    desk.register([Item("pack/card-0", "card", "hub")])
    desk.marks.bury(["pack/card-0"])
    assert (desk.next_item(), desk.counts(), desk.marks.hidden()) == (None, Counts(0, 0, 0), Hidden(1, 0))
    clock.set("2026-10-25 03:59", "Europe/Paris")
    assert desk.next_item() is None
    clock.set("2026-10-25 04:00", "Europe/Paris")
    assert desk.next_item() == Item("pack/card-0", "card", "hub")
    assert desk.marks.hidden() == Hidden(0, 0)


@pytest.mark.parametrize(
    ("local", "zone", "hidden"),
    [
        ("2026-03-08 05:00", "Europe/Paris", True),
        ("2026-03-07 23:30", "America/New_York", True),  # half an hour later, after a flight west
        ("2026-03-08 03:59", "America/New_York", True),
        ("2026-03-09 03:59", "America/New_York", True),  # clocks went forward in between
        ("2026-03-09 04:00", "America/New_York", False),
        ("2026-03-09 04:10", "Pacific/Auckland", False),  # east: its next day has begun
        ("2026-03-08 04:10", "Europe/Paris", True),  # the clock was set back by some minutes
        ("2025-03-08 05:00", "Europe/Paris", False),  # by a year: the card must not be lost for that long
        ("2027-03-08 05:00", "Europe/Paris", False),
    ],
)
def test_buried_until_the_next_study_day_wherever_the_person_is(
    desk: Desk, clock: TravelClock, local: str, zone: str, hidden: bool
) -> None:
    clock.set("2026-03-08 04:30", "Europe/Paris")
    desk.register([Item("pack/card-0", "card", "hub")])
    desk.marks.bury(["pack/card-0"])
    clock.set(local, zone)
    assert (desk.next_item() is None) == hidden
    assert (desk.marks.hidden() == Hidden(1, 0)) == hidden
    assert (desk.marks.buried() == ["pack/card-0"]) == hidden


def test_buried_cards_can_be_taken_back_at_once(desk: Desk) -> None:
    desk.marks.bury(["pack/card-0", "pack/card-1"])
    assert desk.undo_label() == "Bury 2 cards"
    assert names(desk, 1) == ["card-2"]
    desk.marks.unbury(desk.marks.buried())
    assert names(desk, 1) == ["card-0"]


def test_a_buried_step_waits_for_the_next_day(desk: Desk, clock: TravelClock) -> None:
    desk.register([Item("pack/card-0", "card", "hub")])
    desk.answer("pack/card-0", Rating.GOOD, SECOND)
    desk.marks.bury(["pack/card-0"])
    assert desk.next_due_at() == datetime(2026, 10, 21, 4, tzinfo=UTC)
    clock.at = datetime(2026, 10, 21, 4, tzinfo=UTC)
    assert desk.next_item()


# Suspend, flag, leech


def test_a_suspended_card_stays_away_until_taken_back(desk: Desk, clock: TravelClock) -> None:
    desk.register([Item("pack/card-0", "card", "hub")])
    desk.marks.suspend(["pack/card-0"])
    clock.wait(days=400)
    assert (desk.next_item(), desk.next_due_at(), desk.marks.hidden("card")) == (None, None, Hidden(0, 1))
    assert desk.marks.hidden("ticket") == Hidden(0, 0)
    desk.marks.unsuspend(["pack/card-0"])
    assert desk.next_item()


def test_a_flag_is_one_of_four_or_none(desk: Desk) -> None:
    desk.marks.flag(["pack/card-0"], 4)
    assert desk.marks.of("pack/card-0") == Mark(flag=4)
    assert desk.undo_label() == "Flag blue on card-0"
    desk.marks.flag(["pack/card-0"], 0)
    assert desk.marks.of("pack/card-0") == Mark()
    for wrong in (-1, 5):
        with pytest.raises(StudyError, match="0 to 4"):
            desk.marks.flag(["pack/card-0"], wrong)


def test_marking_what_nobody_registered_is_refused_whole(desk: Desk) -> None:
    with pytest.raises(StudyError, match="pack/nothing"):
        desk.marks.suspend(["pack/card-0", "pack/nothing"])
    assert desk.marks.of("pack/card-0") == Mark()
    assert desk.undo_label() is None


def test_doing_what_is_done_already_is_no_action(desk: Desk) -> None:
    desk.marks.suspend(["pack/card-0"])
    desk.undo()
    desk.marks.unsuspend(["pack/card-0"])
    assert desk.undo_label() is None


def lapse(desk: Desk, clock: TravelClock, item_id: str) -> bool:
    """Bring an item to review and forget it; return whether that made it a leech."""
    desk.answer(item_id, Rating.EASY, SECOND)
    clock.wait(days=30)
    leech = desk.answer(item_id, Rating.AGAIN, SECOND).leech
    clock.wait(days=1)
    return leech


def test_the_eighth_lapse_suspends_a_leech_and_each_fourth_after_it(desk: Desk, clock: TravelClock) -> None:
    card = "pack/card-0"
    leeches = []
    for number in range(1, 17):
        if lapse(desk, clock, card):
            leeches.append(number)
            assert desk.marks.of(card) == Mark(suspended=True, leech=True)
            desk.marks.unsuspend([card])
            assert desk.marks.of(card) == Mark(leech=True)
    assert leeches == [8, 12, 16]
    assert [number for number in range(30) if is_leech(number)] == [8, 12, 16, 20, 24, 28]
    desk.marks.forgive([card])
    assert desk.marks.of(card) == Mark()


def test_undoing_the_answer_that_made_a_leech_takes_the_mark_too(desk: Desk, clock: TravelClock) -> None:
    for _ in range(7):
        lapse(desk, clock, "pack/card-0")
    desk.marks.flag(["pack/card-0"], 2)
    desk.answer("pack/card-0", Rating.EASY, SECOND)
    clock.wait(days=30)
    assert desk.answer("pack/card-0", Rating.AGAIN, SECOND).leech
    assert desk.marks.of("pack/card-0") == Mark(suspended=True, leech=True, flag=2)
    assert desk.undo() == "Undid Again on card-0"
    assert desk.marks.of("pack/card-0") == Mark(flag=2)
    assert desk.redo() == "Redid Again on card-0"
    assert desk.marks.of("pack/card-0") == Mark(suspended=True, leech=True, flag=2)


def test_a_ticket_is_never_suspended_by_lapses(desk: Desk, clock: TravelClock) -> None:
    assert not any(lapse(desk, clock, "pack/ticket-0") for _ in range(9))


# Siblings


@pytest.fixture
def family(desk: Desk) -> Desk:
    """Six cards: 0, 1 and 2 share a fact; 3 shares another with 2; 4 and 5 stand alone."""
    cards = [Item(f"pack/{number}", "card", "hub") for number in range(6)]
    kin = {"pack/0": ["f1"], "pack/1": ["f1"], "pack/2": ["f1", "f2"], "pack/3": ["f2"]}
    desk.register(cards, kin)
    return desk


def test_siblings_let_the_others_pass_and_then_come_by_longest_rest(family: Desk) -> None:
    assert names(family) == ["0", "3", "4", "5", "1", "2"]


def test_reviews_are_spaced_like_new_ones(family: Desk, clock: TravelClock) -> None:
    names(family)
    clock.wait(days=60)
    order = names(family)
    assert order[0] == "0"
    assert sorted(order[:4]) == ["0", "3", "4", "5"]
    assert order[4:] == ["1", "2"]


def test_a_new_day_knows_no_siblings_of_the_day_before(family: Desk, clock: TravelClock) -> None:
    assert names(family, 1) == ["0"]
    clock.set("2026-10-21 03:59")
    assert names(family, 1) == ["3"]
    clock.set("2026-10-21 04:00")
    assert names(family, 1) == ["1"]


# Limits and learn-ahead


def test_reviews_stop_at_the_days_limit(tmp_path: Path, clock: TravelClock) -> None:
    with Desk.open(tmp_path, clock, PLAIN, reviews_per_day=3) as desk:
        desk.register([Item(f"pack/{number}", "card", "hub") for number in range(5)])
        assert len(names(desk)) == 5
        clock.wait(days=60)
        assert desk.counts() == Counts(0, 0, 3)
        assert len(names(desk)) == 3
        assert desk.counts() == Counts(0, 0, 0)
        assert desk.next_due_at() == datetime(2026, 12, 20, 4, tzinfo=UTC)
        desk.more_today("card", reviews=1)
        assert desk.undo_label() == "1 more card today"
        assert len(names(desk)) == 1
        clock.wait(days=1)
        assert len(names(desk)) == 1


def test_answers_in_steps_take_nothing_of_the_days_reviews(tmp_path: Path, clock: TravelClock) -> None:
    with Desk.open(tmp_path, clock, PLAIN, reviews_per_day=2) as desk:
        desk.register([Item(f"pack/{number}", "card", "hub") for number in range(4)])
        names(desk, 3)
        clock.wait(days=60)
        desk.answer("pack/3", Rating.AGAIN, SECOND)  # new
        desk.answer("pack/3", Rating.AGAIN, SECOND)  # learning
        assert desk.counts().due == 2
        desk.answer("pack/0", Rating.AGAIN, SECOND)  # a review, forgotten
        desk.answer("pack/0", Rating.AGAIN, SECOND)  # relearning
        assert desk.counts().due == 1


def test_more_new_cards_are_for_today_only(tmp_path: Path, clock: TravelClock) -> None:
    with Desk.open(tmp_path, clock, PLAIN, new_per_day=1) as desk:
        desk.register([Item(f"pack/{number}", "card", "hub") for number in range(9)])
        assert names(desk) == ["0"]
        desk.more_today("card", new=2)
        desk.more_today("card", new=1)
        assert names(desk) == ["1", "2", "3"]
        clock.wait(days=1)
        assert names(desk) == ["4"]


def test_learn_ahead_does_not_return_a_card_at_once_while_another_waits(desk: Desk) -> None:
    desk.register([Item("pack/card-0", "card", "hub"), Item("pack/card-1", "card", "hub")])
    desk.answer("pack/card-0", Rating.GOOD, SECOND)  # in ten minutes
    desk.answer("pack/card-1", Rating.AGAIN, SECOND)  # in one
    assert desk.next_item() == Item("pack/card-0", "card", "hub")
    desk.answer("pack/card-0", Rating.EASY, SECOND)
    assert desk.next_item() == Item("pack/card-1", "card", "hub")
    desk.answer("pack/card-1", Rating.AGAIN, SECOND)
    assert desk.next_item() == Item("pack/card-1", "card", "hub")  # alone, nobody shall sit waiting
