"""Settings, a reschedule and days away: what they move, and that the log still leads to every state."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from math import ceil
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from ladder_desktop.study import (
    Adjustment,
    Algorithm,
    Belongings,
    Desk,
    Item,
    Memory,
    Planner,
    Rating,
    StudyError,
    StudySettings,
)
from ladder_desktop.study.adjustment import Change
from ladder_desktop.study.scheduler import Scheduler
from ladder_desktop.study.studyday import Moment, study_day

from .conftest import TravelClock

ITEMS = [Item(f"pack/{number}", "card", "hub") for number in range(24)]
FIVE_SECONDS = timedelta(seconds=5)


@pytest.fixture
def items() -> list[Item]:
    return ITEMS


@pytest.fixture(scope="module")
def grown() -> Iterator[tuple[Path, datetime]]:
    """Return a folder with a few weeks of study, with fuzz and some items still in steps; and when they ended."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    clock, rng = TravelClock(), Random(7)
    with TemporaryDirectory(dir=memory) as folder:
        with Desk.open(Path(folder), clock, new_per_day=4) as desk:
            desk.register(ITEMS)
            for _ in range(16):
                for _ in range(7):
                    if item := desk.next_item():
                        rating = rng.choices(list(Rating), (2, 1, 6, 2))[0]
                        desk.answer(item.item_id, rating, FIVE_SECONDS)
                clock.wait(days=2)
        yield Path(folder), clock.at


@pytest.fixture
def desk(grown: tuple[Path, datetime], tmp_path: Path, clock: TravelClock) -> Iterator[Desk]:
    folder, clock.at = grown
    shutil.copy(folder / "progress.db", tmp_path)
    with Desk.open(tmp_path, clock) as desk:
        yield desk


def memories(desk: Desk) -> dict[str, Memory]:
    return {state.item.item_id: state.memory for state in desk.states() if state.memory}


def always_scheduled_by(desk: Desk, algorithm: Algorithm) -> dict[str, Memory]:
    """Schedule the whole log by one algorithm, an answer at a time."""
    scheduler = Scheduler(msgspec.structs.replace(algorithm, learning_steps=(), relearning_steps=()))
    states: dict[str, Memory] = {}
    for review in desk.history.reviews():
        moment = Moment(review.answered_at, review.study_day, review.utc_offset, review.local_date)
        before = states.get(review.item_id)
        states[review.item_id] = scheduler.answer(review.item_id, before, review.rating, moment)
    return states


# Settings


def test_settings_outlive_the_program_and_hold_for_the_next_answer(
    tmp_path: Path, clock: TravelClock, items: list[Item]
) -> None:
    with Desk.open(tmp_path, clock) as desk:
        desk.register(items)
        assert desk.settings == StudySettings()
        wanted = StudySettings(
            Algorithm(fuzz=False, desired_retention=0.97), new_per_day=2, reviews_per_day=50
        )
        desk.planner.change(wanted)
    with Desk.open(tmp_path, clock) as desk:
        assert desk.settings == wanted
        assert desk.counts().new == 2
        eager = desk.previews("pack/0")[Rating.EASY].interval
        desk.answer("pack/0", Rating.EASY, FIVE_SECONDS)
        assert desk.history.reviews()[0].algorithm == wanted.algorithm
        desk.planner.change(
            msgspec.structs.replace(wanted, algorithm=Algorithm(fuzz=False, desired_retention=0.8))
        )
        assert desk.previews("pack/1")[Rating.EASY].interval > eager
        assert desk.history.rebuild_mismatches() == []


def test_another_window_sees_the_change_at_once(
    tmp_path: Path, clock: TravelClock, items: list[Item]
) -> None:
    with Desk.open(tmp_path, clock) as desk, Desk.open(tmp_path, clock) as other:
        desk.register(items)
        desk.planner.change(StudySettings(Algorithm(learning_steps=(30,))))
        assert other.previews("pack/0")[Rating.AGAIN].interval == timedelta(seconds=30)
        other.answer("pack/0", Rating.GOOD, FIVE_SECONDS)
        assert desk.history.reviews()[0].algorithm.learning_steps == (30,)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: StudySettings(new_per_day=-1), "New cards a day must lie between 0 and 9999, not -1."),
        (lambda: StudySettings(reviews_per_day=10_000), "Reviews a day must lie between"),
        (lambda: Algorithm(desired_retention=0.5), "Desired retention must lie between 0.70 and 0.99"),
        (lambda: Algorithm(learning_steps=(0,)), "steps must be longer than nothing"),
        (lambda: Algorithm(maximum_interval=0), "maximum interval must lie between"),
        (lambda: Algorithm(parameters=(1.0,) * 20), "parameters cannot be used"),
    ],
)
def test_nonsense_is_one_sentence(make: Callable[[], object], says: str) -> None:
    with pytest.raises(StudyError, match=says):
        make()


# Rescheduling


def test_rescheduling_by_what_always_held_moves_nothing(desk: Desk) -> None:
    before = desk.states()
    assert len(memories(desk)) > 15
    assert desk.planner.change(desk.settings, reschedule=True) == 0
    assert desk.states() == before
    assert desk.history.adjustments() == []


@pytest.mark.parametrize(
    "algorithm",
    [
        Algorithm(desired_retention=0.8),
        Algorithm(desired_retention=0.95, maximum_interval=9),
        Algorithm(parameters=(0.5, 2.0, 4.0, 12.0, *Algorithm().parameters[4:]), fuzz=False),
    ],
    ids=["retention", "ceiling", "weights"],
)
def test_a_reschedule_is_as_if_it_had_always_held(desk: Desk, algorithm: Algorithm) -> None:
    before = memories(desk)
    expected = always_scheduled_by(desk, algorithm)
    wanted = msgspec.structs.replace(desk.settings, algorithm=algorithm)
    shift = desk.planner.preview(wanted)
    assert memories(desk) == before
    moved = desk.planner.change(wanted, reschedule=True)
    after = memories(desk)
    assert moved == sum(after[item_id] != before[item_id] for item_id in before) > 5
    for item_id, memory in after.items():
        assert memory.stability == pytest.approx(expected[item_id].stability, rel=1e-9)
        assert memory.difficulty == pytest.approx(expected[item_id].difficulty, rel=1e-9)
        assert (memory.phase, memory.due_at, memory.reps) == (
            before[item_id].phase,
            before[item_id].due_at,
            before[item_id].reps,
        )
        if memory.phase == "review":
            assert (memory.interval, memory.due_day) == (
                expected[item_id].interval,
                expected[item_id].due_day,
            )
    reviews = [item_id for item_id in before if before[item_id].phase == "review"]
    assert shift.sooner == sum(after[each].interval < before[each].interval for each in reviews)
    assert shift.later == sum(after[each].interval > before[each].interval for each in reviews)
    assert desk.planner.preview(wanted).before == shift.after
    assert desk.history.rebuild_mismatches() == []


def test_the_load_is_what_falls_due_each_day(desk: Desk, clock: TravelClock) -> None:
    today = study_day(clock.now(), clock.where)
    shift = desk.planner.preview(desk.settings)
    assert shift.before == shift.after
    due = [memory.due_day for memory in memories(desk).values() if memory.due_day is not None]
    assert shift.before[0] == sum(day <= today for day in due)
    assert list(shift.before[1:]) == [due.count(today + ahead) for ahead in range(1, 30)]
    desk.register(ITEMS[:3])
    known = [memories(desk).get(item.item_id) for item in ITEMS[:3]]
    assert sum(desk.planner.preview(desk.settings).before) <= sum(memory is not None for memory in known)


def test_study_goes_on_after_a_reschedule_and_the_log_still_holds(desk: Desk, clock: TravelClock) -> None:
    wanted = msgspec.structs.replace(desk.settings, algorithm=Algorithm(desired_retention=0.85))
    desk.planner.change(wanted, reschedule=True)
    for _ in range(12):
        if item := desk.next_item():
            desk.answer(item.item_id, Rating.GOOD, FIVE_SECONDS)
    clock.wait(days=5)
    desk.planner.change(
        msgspec.structs.replace(wanted, algorithm=Algorithm(desired_retention=0.93)), reschedule=True
    )
    desk.answer("pack/0", Rating.AGAIN, FIVE_SECONDS)
    assert [adjustment.reason for adjustment in desk.history.adjustments()] == ["reschedule"] * 2
    assert desk.history.rebuild_mismatches() == []
    right = desk.states()
    desk.history.rebuild()
    assert desk.states() == right


def test_a_log_with_adjustments_travels(
    desk: Desk, tmp_path: Path, clock: TravelClock, items: list[Item]
) -> None:
    desk.planner.change(
        msgspec.structs.replace(desk.settings, algorithm=Algorithm(desired_retention=0.8)), reschedule=True
    )
    desk.answer("pack/1", Rating.GOOD, FIVE_SECONDS)
    text = msgspec.json.encode(desk.history.adjustments())
    moved = msgspec.json.decode(text, type=list[Adjustment])
    assert moved == desk.history.adjustments()
    with Desk.open(tmp_path / "other", clock) as other:
        other.history.insert_reviews(desk.history.reviews(), items, Belongings(adjustments=tuple(moved)))
        other.register(items)
        assert memories(other) == memories(desk)
        assert other.history.adjustments() == moved
        assert other.history.rebuild_mismatches() == []


def _shift_first(adjustment: Adjustment, **changes: object) -> Adjustment:
    first, *rest = adjustment.changes
    after = msgspec.structs.replace(first.after, **changes)
    return msgspec.structs.replace(adjustment, changes=(msgspec.structs.replace(first, after=after), *rest))


@pytest.mark.parametrize(
    ("forge", "says"),
    [
        (lambda a: _shift_first(a, interval=3), "records another outcome than reschedule"),
        (lambda a: _shift_first(a, stability=99.0), "records another outcome than reschedule"),
        (lambda a: msgspec.structs.replace(a, reason="away"), None),
        (lambda a: msgspec.structs.replace(a, after_review="nowhere"), "follows a review that is not there"),
        (lambda a: msgspec.structs.replace(a, after_review=None), "starts from a state"),
        (lambda a: msgspec.structs.replace(a, study_day=3), "holds a time that cannot be"),
        (
            lambda a: msgspec.structs.replace(a, algorithm=Algorithm(desired_retention=0.99)),
            "another outcome",
        ),
    ],
)
def test_a_forged_adjustment_is_refused(
    desk: Desk,
    tmp_path: Path,
    clock: TravelClock,
    items: list[Item],
    forge: Callable[[Adjustment], Adjustment],
    says: str | None,
) -> None:
    desk.planner.change(
        msgspec.structs.replace(desk.settings, algorithm=Algorithm(desired_retention=0.8)), reschedule=True
    )
    (adjustment,) = desk.history.adjustments()
    with Desk.open(tmp_path / "other", clock) as other:
        if says is None:  # a retention moves no strength, so days away could have done the same
            other.history.insert_reviews(
                desk.history.reviews(), items, Belongings(adjustments=(forge(adjustment),))
            )
            return
        with pytest.raises(StudyError, match=says):
            other.history.insert_reviews(
                desk.history.reviews(), items, Belongings(adjustments=(forge(adjustment),))
            )
        assert other.history.reviews() == []
        assert other.history.adjustments() == []


def test_each_change_is_one_step_of_undo_and_redo(desk: Desk, tmp_path: Path, clock: TravelClock) -> None:
    seen = [(desk.settings, desk.states(), desk.history.adjustments())]
    today = study_day(clock.now(), clock.where)
    for act in (
        lambda: desk.planner.change(msgspec.structs.replace(desk.settings, new_per_day=7)),
        lambda: desk.planner.change(
            msgspec.structs.replace(desk.settings, algorithm=Algorithm(desired_retention=0.8)),
            reschedule=True,
        ),
        lambda: desk.planner.apply_away(desk.planner.plan_away(today + 1, today + 9)),
        lambda: desk.answer("pack/0", Rating.GOOD, FIVE_SECONDS),
    ):
        act()
        seen.append((desk.settings, desk.states(), desk.history.adjustments()))
    assert all(one != other for one, other in pairwise(seen))
    desk.close()
    names = ["Good on 0", "Days away", "Reschedule", "Change of settings"]
    with Desk.open(tmp_path, clock) as desk:
        for name, before in zip(names, reversed(seen[:-1]), strict=True):
            assert desk.undo() == f"Undid {name}"
            assert (desk.settings, desk.states(), desk.history.adjustments()) == before
            assert desk.history.rebuild_mismatches() == []
        for name, after in zip(reversed(names), seen[1:], strict=True):
            assert desk.redo() == f"Redid {name}"
            assert (desk.settings, desk.states(), desk.history.adjustments()) == after
            assert desk.history.rebuild_mismatches() == []


def test_an_answer_while_it_is_reckoned_counts_in_the_reschedule(
    desk: Desk, tmp_path: Path, clock: TravelClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another connection answers between the reckoning and the storing: nothing of either is lost."""
    wanted = msgspec.structs.replace(desk.settings, algorithm=Algorithm(desired_retention=0.8))
    answered = next(state.item.item_id for state in desk.states() if state.memory)
    reckon, answers = Planner._rescheduled, []

    def reckon_while_somebody_answers(planner: Planner, *rest: Any) -> tuple[Change, ...]:
        changes = reckon(planner, *rest)
        if not answers:
            with Desk.open(tmp_path, clock) as other:
                answers.append(other.answer(answered, Rating.GOOD, FIVE_SECONDS))
        return changes

    monkeypatch.setattr(Planner, "_rescheduled", reckon_while_somebody_answers)
    desk.planner.change(wanted, reschedule=True)
    assert answers[0].review_id in {review.review_id for review in desk.history.reviews()}
    assert desk.history.rebuild_mismatches() == []
    assert desk.planner.preview(wanted).sooner == desk.planner.preview(wanted).later == 0


DIES = """
import os, signal, sys
from pathlib import Path
import msgspec
from ladder_desktop.study import Algorithm, Desk
from ladder_desktop.study import adjustments
applied = adjustments.apply
def apply_and_die(*arguments):
    applied(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
adjustments.apply = apply_and_die
desk = Desk.open(Path(sys.argv[1]))
desk.planner.change(msgspec.structs.replace(desk.settings, algorithm=Algorithm(desired_retention=0.8)), True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_a_reschedule_that_was_killed_in_the_middle_has_changed_nothing(desk: Desk, tmp_path: Path) -> None:
    before = (
        desk.settings,
        desk.states(),
        desk.history.reviews(),
        desk.history.adjustments(),
        desk.undo_label(),
    )
    killed = subprocess.run(
        [sys.executable, "-c", DIES, tmp_path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert (
        desk.settings,
        desk.states(),
        desk.history.reviews(),
        desk.history.adjustments(),
        desk.undo_label(),
    ) == before
    assert desk.history.rebuild_mismatches() == []


def test_what_changes_nothing_is_no_step(desk: Desk) -> None:
    label = desk.undo_label()
    desk.planner.change(desk.settings, reschedule=True)
    assert desk.undo_label() == label


def test_what_is_suspended_weighs_on_no_day(desk: Desk) -> None:
    load = desk.planner.preview(desk.settings).before
    late = [item_id for item_id, memory in memories(desk).items() if memory.due_day is not None]
    desk.marks.suspend(late)
    assert sum(load) > 0
    assert sum(desk.planner.preview(desk.settings).before) == 0


# Days away


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
