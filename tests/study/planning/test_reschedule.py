"""A reschedule: what it moves, and that the log still leads to every state."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ladder_desktop.study import (
    Algorithm,
    Desk,
    Memory,
    Planner,
    Rating,
)
from ladder_desktop.study.adjustment import Change
from ladder_desktop.study.scheduler import Scheduler
from ladder_desktop.study.studyday import Moment, study_day

from tests.study.conftest import TravelClock

from .conftest import FIVE_SECONDS, ITEMS, memories


def always_scheduled_by(desk: Desk, algorithm: Algorithm) -> dict[str, Memory]:
    """Schedule the whole log by one algorithm, an answer at a time."""
    scheduler = Scheduler(msgspec.structs.replace(algorithm, learning_steps=(), relearning_steps=()))
    states: dict[str, Memory] = {}
    for review in desk.history.reviews():
        moment = Moment(review.answered_at, review.study_day, review.utc_offset, review.local_date)
        before = states.get(review.item_id)
        states[review.item_id] = scheduler.answer(review.item_id, before, review.rating, moment)
    return states


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
