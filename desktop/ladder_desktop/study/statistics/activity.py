"""Today's work, and days studied in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .daily import Day
from .share import NO_TESTS, Share


@dataclass(frozen=True, slots=True)
class Today:
    """What was done since 04:00."""

    answers: int
    again: int
    milliseconds: int
    introduced: int
    tested: Share


@dataclass(frozen=True, slots=True)
class Streak:
    """Study days in a row: up to today (or up to yesterday while today is still empty), and the longest ever."""

    current: int
    longest: int


def today_of(days: Sequence[Day], today: int) -> Today:
    """Return what was done on study day `today`."""
    for day in days:
        if day.study_day == today:
            return Today(day.answers, day.again, day.milliseconds, day.introduced, day.tested)
    return Today(0, 0, 0, 0, NO_TESTS)


def streak_of(days: Sequence[Day], today: int) -> Streak:
    """Return the runs of study days without a gap; days after `today`, from a wrong clock, count for none."""
    run, longest, last = 0, 0, None
    for day in days:
        if day.study_day > today:
            break
        run = run + 1 if last is not None and day.study_day == last + 1 else 1
        longest = max(longest, run)
        last = day.study_day
    return Streak(run if last is not None and last >= today - 1 else 0, longest)
