"""Days away: what would fall due meanwhile comes a little earlier or later, wherever that costs least. Pure.

An item that keeps well may wait; one that would lose more than two points of recall by waiting comes before the person
leaves, if there is a day for it. So that nobody comes back to a heap, no day takes more than twice what a day away
would have held, nor more than the daily limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil

import msgspec
import numpy as np

from .errors import StudyError
from .histories import chance_of_recall
from .records import Memory

LONGEST = 365
MAY_LOSE = 0.02  # of the chance of recall, by waiting until the return
CROWDED = 2  # times the mean of the days away is as much as another day may hold
LOAD_DAYS = 14  # shown on either side


class Move(msgspec.Struct, frozen=True):
    """One item that comes back on another study day; `recall` is the chance of it on either day."""

    item_id: str
    from_day: int
    to_day: int
    recall_before: float
    recall_after: float


class AwayPlan(msgspec.Struct, frozen=True):
    """What to move for the days `first` to `last`, both away.

    `forgotten_*` is how many of the items that move can be expected to be forgotten: were nobody away, by this plan,
    or were all to wait until the return. `load_*` is what waits on each day from `load_from` on, by no plan and by
    this one.
    """

    first: int
    last: int
    advanced: tuple[Move, ...]
    postponed: tuple[Move, ...]
    forgotten_at_home: float
    forgotten: float
    forgotten_without_plan: float
    load_from: int
    load_before: tuple[int, ...]
    load_after: tuple[int, ...]

    @property
    def moves(self) -> tuple[Move, ...]:
        """All of them."""
        return self.advanced + self.postponed


def check_days(first: int, last: int, today: int) -> None:
    """StudyError, one sentence, if days away make no sense."""
    if last < first:
        raise StudyError("The last day away must not come before the first.")
    if first < today:
        raise StudyError("The first day away must not lie in the past.")
    if last - first >= LONGEST:
        raise StudyError(f"Plan at most {LONGEST} days away at once.")


def plan_away(
    memories: Mapping[str, Memory], parameters: Sequence[float], today: int, days: tuple[int, int], limit: int
) -> AwayPlan:
    """Return what to move; `memories` are the items in the queue, `limit` the most reviews of a day."""
    first, last = days
    check_days(first, last, today)
    reviews = {item_id: memory for item_id, memory in memories.items() if memory.due_day is not None}
    due = {item_id: max(memory.due_day or 0, today) for item_id, memory in reviews.items()}
    away = [item_id for item_id, day in due.items() if first <= day <= last]
    load = Counter(day for item_id, day in due.items() if not first <= day <= last)
    before = Counter(due.values())

    def recall(item_id: str, day: int) -> float:
        memory = reviews[item_id]
        elapsed = np.float64(max(0, day - memory.last_day))
        return float(chance_of_recall(np.float64(memory.stability), elapsed, parameters))  # type: ignore[arg-type]

    loss = {item_id: recall(item_id, due[item_id]) - recall(item_id, last + 1) for item_id in away}
    room = min(limit, max(1, ceil(CROWDED * len(away) / (last - first + 1))))
    away.sort(key=lambda item_id: (-loss[item_id], item_id))
    target: dict[str, int] = {}
    for item_id in away:
        if loss[item_id] > MAY_LOSE:
            earliest = max(today, reviews[item_id].last_day + 1)
            day = _free(range(first - 1, earliest - 1, -1), load, room)
            if day is not None:
                target[item_id] = day
                load[day] += 1
    for item_id in away:
        if item_id not in target:
            day = _free(range(last + 1, last + 1 + LONGEST), load, room) or last + 1
            target[item_id] = day
            load[day] += 1
    moves = [
        Move(item_id, due[item_id], day, recall(item_id, due[item_id]), recall(item_id, day))
        for item_id, day in target.items()
    ]
    shown = range(max(today, first - LOAD_DAYS), last + 1 + LOAD_DAYS)
    return AwayPlan(
        first=first,
        last=last,
        advanced=tuple(move for move in moves if move.to_day < first),
        postponed=tuple(move for move in moves if move.to_day > last),
        forgotten_at_home=sum(1 - move.recall_before for move in moves),
        forgotten=sum(1 - move.recall_after for move in moves),
        forgotten_without_plan=sum(1 - recall(item_id, last + 1) for item_id in away),
        load_from=shown.start,
        load_before=tuple(before[day] for day in shown),
        load_after=tuple(load[day] for day in shown),
    )


def _free(days: Iterable[int], load: Counter[int], room: int) -> int | None:
    return next((day for day in days if load[day] < room), None)
