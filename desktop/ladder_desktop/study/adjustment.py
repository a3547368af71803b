"""A line of the log that no answer made: a reschedule, or days away, moved when items come back.

The log stays the truth. An adjustment says after which review it came, what it changed in each item and by which
rules; replaying the log applies it in its place and checks it, so that every state still follows from the log.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from .algorithm import Algorithm
from .records import Memory

Reason = Literal["reschedule", "away"]


class Timing(msgspec.Struct, frozen=True, array_like=True):
    """What an adjustment may change: the memory's strength, and after how many study days the item comes back.

    An item in review is due `interval` days after its last answer; for one in steps the interval is 0 and stays so.
    """

    stability: float
    difficulty: float
    interval: int


class Change(msgspec.Struct, frozen=True, array_like=True):
    """One item's timing before and after."""

    item_id: str
    before: Timing
    after: Timing


class Adjustment(msgspec.Struct, frozen=True):
    """Several items were moved at once. `after_review` is the newest review of the log then, None if there was none.

    For a reschedule `algorithm` is what the whole history was scheduled by anew; days away leave strengths as they are.
    """

    adjustment_id: str  # UUID
    after_review: str | None
    reason: Reason
    made_at: int  # milliseconds since 1970-01-01 UTC
    study_day: int
    utc_offset: int  # seconds east of UTC
    local_date: str  # ISO calendar date
    algorithm: Algorithm
    changes: tuple[Change, ...]


def timing_of(memory: Memory) -> Timing:
    """Return what an adjustment could change in a memory."""
    return Timing(memory.stability, memory.difficulty, memory.interval)


def retimed(memory: Memory, timing: Timing) -> Memory:
    """Return a memory with another timing; it is due that many study days after its last answer."""
    return msgspec.structs.replace(
        memory,
        stability=timing.stability,
        difficulty=timing.difficulty,
        interval=timing.interval,
        due_day=None if memory.due_day is None else memory.last_day + timing.interval,
    )
