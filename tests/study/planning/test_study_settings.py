"""Settings that schedule: kept, seen by every window at once, refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from ladder_desktop.study import (
    Algorithm,
    Desk,
    Item,
    Rating,
    StudyError,
    StudySettings,
)

from tests.study.conftest import TravelClock

from .conftest import FIVE_SECONDS


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
