"""What to study next: learning items, then reviews, then new ones. Questions to an open database.

Anki's order and learn-ahead: an item in steps is shown once its time has come, before anything else; when nothing
else is left, it is shown up to 20 minutes early, so that nobody sits waiting for a ten-minute step, and not twice in a
row while another waits. Reviews and new items whose siblings were answered today let the others pass: an answer that
has just been read gives its sibling away.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from sqlite3 import Connection
from typing import Any

import msgspec

from .records import Counts, Item
from .studyday import day_start, from_ms, study_day, to_ms

LEARN_AHEAD = timedelta(minutes=20)

_ITEM = "SELECT item_id, kind, study_id"
_IN_PACK = "position IS NOT NULL AND (:kind IS NULL OR kind = :kind)"
_SHOWN = """item_id NOT IN (
    SELECT item_id FROM marks WHERE suspended OR buried_day BETWEEN :today AND :today + 1)"""
_UNSEEN = "seen = 0"
_LEARNING = f"FROM cards JOIN items USING (item_id) WHERE due_at IS NOT NULL AND {_IN_PACK} AND {_SHOWN}"
_REVIEW = f"FROM cards JOIN items USING (item_id) WHERE due_day <= :today AND {_IN_PACK} AND {_SHOWN}"
_NEW = f"FROM items WHERE {_IN_PACK} AND {_UNSEEN} AND {_SHOWN}"

# All that are due, from an index alone, less the few of them that are hidden, of another kind or in no pack.
_DUE = """SELECT
    (SELECT count(*) FROM cards WHERE due_day <= :today) -
    (SELECT count(*) FROM cards WHERE due_day <= :today AND item_id IN (
        SELECT item_id FROM items WHERE position IS NULL UNION
        SELECT item_id FROM items WHERE kind = :other_kind UNION
        SELECT item_id FROM marks WHERE suspended OR buried_day BETWEEN :today AND :today + 1))"""

# The topics of what was answered today, each with the place in the log of its newest answer.
_TOUCHED = """WITH touched AS MATERIALIZED (
    SELECT topic, max(seq) AS seq FROM reviews JOIN kin USING (item_id) WHERE study_day = :today GROUP BY topic)"""
_RESTED = f"""{_TOUCHED}, rested AS MATERIALIZED (
    SELECT item_id, max(seq) AS seq FROM kin JOIN touched USING (topic) GROUP BY item_id)"""
_SIBLINGS = "FROM kin JOIN touched USING (topic) WHERE kin.item_id = items.item_id"

# Later than today: every item that is not suspended, with the day it would come and the day it was buried on.
_LATER = f"LEFT JOIN marks USING (item_id) WHERE {_IN_PACK} AND suspended IS NOT 1"
_REVIEWS_LATER = (
    f"SELECT max(due_day, :today + 1) AS day, buried_day FROM cards JOIN items USING (item_id) {_LATER} "
    "AND due_day IS NOT NULL"
)
_NEW_LATER = f"SELECT :today + 1 AS day, buried_day FROM items {_LATER} AND {_UNSEEN}"
_LEARNING_LATER = (
    f"SELECT min(due_at), buried_day FROM cards JOIN items USING (item_id) {_LATER} "
    "AND due_at IS NOT NULL GROUP BY buried_day"
)


class Limits(msgspec.Struct, frozen=True):
    """How many new items and how many reviews a study day brings at most."""

    new_per_day: int
    reviews_per_day: int


class Agenda:
    """The queue as it stands at one instant in one zone, for one kind of item or for all (None).

    The daily limits hold for what is asked for: so many cards, so many tickets, or so many of both.
    """

    def __init__(self, db: Connection, now: datetime, zone: tzinfo, limits: Limits, kind: str | None) -> None:
        self._db = db
        self._now = now
        self._zone = zone
        self._limits = limits
        self._parameters = {
            "kind": kind,
            "other_kind": {"card": "ticket", "ticket": "card"}.get(kind or ""),
            "now": to_ms(now),
            "ahead": to_ms(now + LEARN_AHEAD),
            "today": study_day(now, zone),
        }

    def next_item(self) -> Item | None:
        """Return the first of: learning due, reviews due (longest due first), new within the limit, learning soon."""
        return (
            self._first(f"{_ITEM} {_LEARNING} AND due_at <= :now ORDER BY due_at, position LIMIT 1")
            or (self._spaced(_REVIEW, "due_day, position") if self._reviews_left() else None)
            or (self._spaced(_NEW, "position") if self._new_left() else None)
            or self._first(
                f"{_ITEM} {_LEARNING} AND due_at <= :ahead "
                "ORDER BY item_id = (SELECT item_id FROM reviews ORDER BY seq DESC LIMIT 1), due_at, position LIMIT 1"
            )
        )

    def counts(self) -> Counts:
        """Count what `next_item` would hand out if every answer sent its item far away."""
        return Counts(
            new=self._value(f"SELECT count(*) FROM (SELECT 1 {_NEW} LIMIT :limit)", limit=self._new_left()),
            learning=self._value(f"SELECT count(*) {_LEARNING} AND due_at <= :ahead"),
            due=min(self._value(_DUE), self._reviews_left()),
        )

    def next_due_at(self) -> datetime | None:
        """Return from when `next_item` gives something: now, later, or None if it never will."""
        if self.next_item():
            return self._now.astimezone(UTC)
        moments = [
            self._unburied(from_ms(due_at) - LEARN_AHEAD, buried_day)
            for due_at, buried_day in self._db.execute(_LEARNING_LATER, self._parameters)
        ]
        for rows, limit in (
            (_REVIEWS_LATER, self._limits.reviews_per_day),
            (_NEW_LATER, self._limits.new_per_day),
        ):
            day = self._value(
                "SELECT min(CASE WHEN buried_day - day IN (0, 1) THEN buried_day + 1 ELSE day END) "
                f"FROM ({rows})"
            )
            if limit and day is not None:
                moments.append(day_start(day, self._zone))
        return min(moments, default=None)

    def _spaced(self, rows: str, order: str) -> Item | None:
        """Return the first none of whose siblings were answered today, or else whose siblings rested longest."""
        return self._first(
            f"{_TOUCHED} {_ITEM} {rows} AND NOT EXISTS (SELECT 1 {_SIBLINGS}) ORDER BY {order} LIMIT 1"
        ) or self._first(
            f"{_RESTED} {_ITEM} {rows} "
            f"ORDER BY (SELECT seq FROM rested WHERE rested.item_id = items.item_id), {order} LIMIT 1"
        )

    def _unburied(self, moment: datetime, buried_day: int | None) -> datetime:
        """Return the first instant from `moment` on at which an item buried on that day is in the queue."""
        day = study_day(max(moment, self._now), self._zone)
        if buried_day is None or buried_day - day not in (0, 1):
            return moment
        return day_start(buried_day + 1, self._zone)

    def _new_left(self) -> int:
        return self._left("new", self._limits.new_per_day, "interval_before IS NULL")

    def _reviews_left(self) -> int:
        return self._left("reviews", self._limits.reviews_per_day, "interval_before > 0")

    def _left(self, extra: str, limit: int, counted: str) -> int:
        """Return how many of a sort the day still allows, with what the person wanted on top.

        The interval before tells the sort, and is in an index of the day: NULL of what was new, 0 in steps.
        """
        done: int = self._value(
            "SELECT count(*) FROM reviews JOIN items USING (item_id) "
            f"WHERE study_day = :today AND {counted} AND (:kind IS NULL OR kind = :kind)"
        )
        wanted: int = self._value(
            f"SELECT coalesce(sum({extra}), 0) FROM extras "
            "WHERE study_day = :today AND (:kind IS NULL OR kind = :kind)"
        )
        return max(0, limit + wanted - done)

    def _first(self, sql: str) -> Item | None:
        row = self._db.execute(sql, self._parameters).fetchone()
        return None if row is None else Item(*row)

    def _value(self, sql: str, **more: object) -> Any:
        return self._db.execute(sql, {**self._parameters, **more}).fetchone()[0]
