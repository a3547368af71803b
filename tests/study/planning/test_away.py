"""Days away: what they move, and what that costs."""

from __future__ import annotations

from math import ceil

import msgspec
import pytest
from ladder_desktop.study import (
    Desk,
    Memory,
    Rating,
    StudyError,
)
from ladder_desktop.study.studyday import study_day

from tests.study.conftest import TravelClock

from .conftest import FIVE_SECONDS, memories


def recall(memory: Memory, day: int) -> float:
    factor = 0.9 ** (-1 / 0.1542) - 1
    return float((1 + factor * max(0, day - memory.last_day) / memory.stability) ** -0.1542)


def test_days_away_leave_nothing_due_meanwhile_and_say_what_it_costs(desk: Desk, clock: TravelClock) -> None:
    today = study_day(clock.now(), clock.where)
    before = memories(desk)
    first, last = today + 2, today + 9
    plan = desk.planner.plan_away(first, last)
    due = {each for each, memory in before.items() if memory.due_day and first <= memory.due_day <= last}
    assert {move.item_id for move in plan.moves} == due
    assert len(due) >= 3
    assert all(today <= move.to_day < first for move in plan.advanced)
    assert all(move.to_day > last for move in plan.postponed)
    home = sum(1 - recall(before[each], before[each].due_day or 0) for each in due)
    waiting = sum(1 - recall(before[each], last + 1) for each in due)
    planned = sum(1 - recall(before[move.item_id], move.to_day) for move in plan.moves)
    assert (plan.forgotten_at_home, plan.forgotten_without_plan, plan.forgotten) == pytest.approx(
        (home, waiting, planned)
    )
    assert plan.forgotten <= plan.forgotten_without_plan
    load = dict(enumerate(plan.load_after, start=plan.load_from))
    room = max(1, ceil(2 * len(due) / 8))
    assert all(load[move.to_day] <= room for move in plan.moves)
    for move in plan.postponed:  # may wait, or found no room before
        lost = move.recall_before - recall(before[move.item_id], last + 1)
        earliest = max(today, before[move.item_id].last_day + 1)
        assert lost <= 0.02 or all(load[day] >= room for day in range(earliest, first))
    assert memories(desk) == before
    assert desk.planner.apply_away(plan) == len(due)
    after = memories(desk)
    for move in plan.moves:
        assert after[move.item_id].due_day == move.to_day
        assert after[move.item_id].stability == before[move.item_id].stability
    assert not any(memory.due_day and first <= memory.due_day <= last for memory in after.values())
    assert [adjustment.reason for adjustment in desk.history.adjustments()] == ["away"]
    assert desk.history.rebuild_mismatches() == []
    shown = range(plan.load_from, plan.load_from + len(plan.load_after))
    days = [max(today, memory.due_day) for memory in after.values() if memory.due_day is not None]
    assert [days.count(day) for day in shown] == list(plan.load_after)
    days = [max(today, memory.due_day) for memory in before.values() if memory.due_day is not None]
    assert [days.count(day) for day in shown] == list(plan.load_before)


def test_no_day_is_filled_beyond_the_limit(desk: Desk, clock: TravelClock) -> None:
    today = study_day(clock.now(), clock.where)
    desk.planner.change(msgspec.structs.replace(desk.settings, reviews_per_day=1))
    plan = desk.planner.plan_away(today + 1, today + 12)
    given = [move.to_day for move in plan.moves]
    outside = [
        day
        for memory in memories(desk).values()
        if memory.due_day is not None and not today < (day := max(today, memory.due_day)) <= today + 12
    ]
    assert all(given.count(day) + outside.count(day) <= 1 for day in given)


def test_what_was_answered_meanwhile_is_left_alone(desk: Desk, clock: TravelClock) -> None:
    today = study_day(clock.now(), clock.where)
    plan = desk.planner.plan_away(today, today + 9)
    assert plan.advanced == ()
    answered = plan.moves[0].item_id
    desk.answer(answered, Rating.EASY, FIVE_SECONDS)
    kept = memories(desk)[answered]
    assert desk.planner.apply_away(plan) == len(plan.moves) - 1
    assert memories(desk)[answered] == kept
    assert desk.history.rebuild_mismatches() == []


@pytest.mark.parametrize(
    ("first", "last", "says"),
    [(3, 2, "before the first"), (-1, 2, "in the past"), (1, 400, "at most 365")],
)
def test_days_that_make_no_sense(desk: Desk, clock: TravelClock, first: int, last: int, says: str) -> None:
    today = study_day(clock.now(), clock.where)
    with pytest.raises(StudyError, match=says):
        desk.planner.plan_away(today + first, today + last)
