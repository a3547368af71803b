"""All the numbers of the statistics page, gathered at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection

from ladder_desktop.study.algorithm import Algorithm

from .activity import Streak, Today, streak_of, today_of
from .collection import Group, HardItem, by_study, group, hardest, read_items
from .daily import Day, read_days
from .forecast import DueDay, read_forecast
from .memories import (
    DAY_EDGES,
    DIFFICULTY_EDGES,
    RETENTIONS,
    Histogram,
    Load,
    histogram,
    load,
    read_memories,
)
from .share import NO_TESTS, Share

PERIODS: tuple[tuple[str, int | None], ...] = (
    ("today", 1),
    ("7 days", 7),
    ("30 days", 30),
    ("90 days", 90),
    ("a year", 365),
    ("ever", None),
)
FORECAST_DAYS = 30
HARDEST = 20


@dataclass(frozen=True, slots=True)
class Scope:
    """What the numbers are of: one study or all (None), and for answers the last so many study days or all (None)."""

    study_id: str | None = None
    days: int | None = None


@dataclass(frozen=True, slots=True)
class PeriodRetention:
    """The tests of the last so many study days."""

    name: str
    young: Share
    mature: Share

    @property
    def all(self) -> Share:
        """Young and mature together."""
        return self.young + self.mature


@dataclass(frozen=True, slots=True)
class Statistics:
    """Everything the page shows, for one scope.

    `days` are all on which something was answered. `studies`, `tags` and `hardest` keep to the scope's period.
    `target` is the desired retention of now; older answers may have been scheduled for another.
    """

    scope: Scope
    study_day: int
    target: float
    today: Today
    streak: Streak
    days: list[Day]
    forecast: list[DueDay]
    retention: list[PeriodRetention]
    studies: list[Group]
    tags: list[Group]
    hardest: list[HardItem]
    intervals: Histogram
    stabilities: Histogram
    difficulties: Histogram
    loads: list[Load]


def gather(
    db: Connection, scope: Scope, today: int, algorithm: Algorithm, tags: Mapping[str, Sequence[str]]
) -> Statistics:
    """Read and reckon everything; `tags` gives the tags of each item id, `today` is the study day of now."""
    days = read_days(db, scope.study_id)
    items = read_items(db, scope.study_id, _since(today, scope.days))
    memories = read_memories(db, scope.study_id)
    seconds = _seconds_an_answer(days)
    return Statistics(
        scope=scope,
        study_day=today,
        target=algorithm.desired_retention,
        today=today_of(days, today),
        streak=streak_of(days, today),
        days=days,
        forecast=read_forecast(db, scope.study_id, today, FORECAST_DAYS),
        retention=[_retention(name, days, today, length) for name, length in PERIODS],
        studies=by_study(items),
        tags=sorted(group(items, tags), key=lambda found: found.name.casefold()),
        hardest=hardest(items, HARDEST),
        intervals=histogram(memories[:, 0], DAY_EDGES),
        stabilities=histogram(memories[:, 1], DAY_EDGES),
        difficulties=histogram(memories[:, 2], DIFFICULTY_EDGES),
        loads=[
            load(memories[:, 1], algorithm, retention, seconds)
            for retention in sorted({*RETENTIONS, algorithm.desired_retention})
        ],
    )


def _since(today: int, days: int | None) -> int | None:
    return None if days is None else today - days + 1


def _retention(name: str, days: Sequence[Day], today: int, length: int | None) -> PeriodRetention:
    first = _since(today, length)
    within = [day for day in days if first is None or first <= day.study_day <= today]
    return PeriodRetention(
        name,
        sum((day.young for day in within), NO_TESTS),
        sum((day.mature for day in within), NO_TESTS),
    )


def _seconds_an_answer(days: Sequence[Day]) -> float | None:
    answers = sum(day.answers for day in days)
    return sum(day.milliseconds for day in days) / answers / 1000 if answers else None
