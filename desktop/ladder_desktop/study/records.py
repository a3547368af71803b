"""The plain values that cross the study room's wall. `msgspec.json` writes and reads each of them as it stands."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import IntEnum
from typing import Literal

import msgspec

from .algorithm import Algorithm

Kind = Literal["card", "ticket"]
Phase = Literal["learning", "review", "relearning"]


class Rating(IntEnum):
    """How well an item was remembered; the number is the key on the keyboard and FSRS's own."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


class Item(msgspec.Struct, frozen=True):
    """Something to study. `item_id` is "<pack id>/<card or ticket id>" and never changes once published."""

    item_id: str
    kind: Kind
    study_id: str


def action_name(verb: str, item_id: str) -> str:
    """Name what was done to one item, without its pack: "Good on hub-prefill-bound"."""
    return f"{verb} {item_id.partition('/')[2]}"


class Mark(msgspec.Struct, frozen=True):
    """What a person, or the eighth lapse, has marked an item with.

    `flag` is 0 for none or 1 to 4, the red, orange, green and blue of Anki. Buried on a study day, an item stays
    away on it, and on the day before for somebody who flew west or whose clock ran ahead.
    """

    suspended: bool = False
    leech: bool = False
    flag: int = 0
    buried_day: int | None = None

    def buried(self, today: int) -> bool:
        """Say whether the item is set aside on a study day."""
        return self.buried_day is not None and today <= self.buried_day <= today + 1


class Hidden(msgspec.Struct, frozen=True):
    """How many items wait outside the queue: buried until the next study day, suspended until taken back."""

    buried: int
    suspended: int


class Counts(msgspec.Struct, frozen=True):
    """What is waiting now: new within today's limit, learning within the learn-ahead, reviews due."""

    new: int
    learning: int
    due: int


class Preview(msgspec.Struct, frozen=True):
    """What pressing a rating now would do. `due` is UTC; `interval` is whole study days once in review."""

    rating: Rating
    due: datetime
    interval: timedelta
    label: str


class Answered(msgspec.Struct, frozen=True):
    """What pressing a rating did. `state_name` is the phase the item is in now; `due` is UTC.

    `leech`: the item was forgotten so often that it was suspended.
    """

    item_id: str
    rating: Rating
    due: datetime
    review_id: str
    state_name: Phase
    leech: bool = False


class Memory(msgspec.Struct, frozen=True):
    """All that scheduling knows about an item that has been answered at least once.

    An item in steps (learning, relearning) is due at an instant, `due_at`; an item in review is due on a study
    day, `due_day`, from its 04:00 on. Exactly one of the two is set. `interval` is the number of study days
    given at the last answer, 0 in steps.
    """

    phase: Phase
    step: int | None  # index of the learning or relearning step; None in review
    stability: float  # days until the chance of recall falls to 90 %
    difficulty: float  # 1 to 10
    due_at: int | None  # milliseconds since 1970-01-01 UTC
    due_day: int | None  # days since 1970-01-01
    interval: int
    reps: int
    lapses: int  # times Again was pressed in review
    last_at: int  # milliseconds since 1970-01-01 UTC
    last_day: int  # the study day of the last answer


class CardState(msgspec.Struct, frozen=True):
    """An item, what is remembered of it (None while it is new) and how it is marked."""

    item: Item
    memory: Memory | None
    mark: Mark = Mark()


class Review(msgspec.Struct, frozen=True):
    """One line of the log: an answer, when and where it was given, and what it did."""

    review_id: str  # UUID
    item_id: str
    rating: Rating
    answered_at: int  # milliseconds since 1970-01-01 UTC
    study_day: int
    utc_offset: int  # seconds east of UTC
    local_date: str  # ISO calendar date
    duration_ms: int
    before: Memory | None  # None: the item was new
    after: Memory
    detail: dict[str, object] | None  # JSON: for a ticket, what was picked in each step
    algorithm: Algorithm
