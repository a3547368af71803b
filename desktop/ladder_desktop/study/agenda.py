"""What to study next: learning items, then reviews, then new ones. Questions to an open database.

Anki's order and learn-ahead: an item in steps is shown once its time has come, before anything else; when nothing
else is left, it is shown up to 20 minutes early, so that nobody sits waiting for a ten-minute step.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from sqlite_utils import Database

from .records import Counts, Item
from .studyday import day_start, from_ms, study_day, to_ms

LEARN_AHEAD = timedelta(minutes=20)

_ITEM = "SELECT item_id, kind, study_id"
_IN_PACK = "position IS NOT NULL AND (:kind IS NULL OR kind = :kind)"
_LEARNING = f"FROM cards JOIN items USING (item_id) WHERE due_at IS NOT NULL AND {_IN_PACK}"
_REVIEW = f"FROM cards JOIN items USING (item_id) WHERE due_day IS NOT NULL AND {_IN_PACK}"
_NEW = f"FROM items WHERE {_IN_PACK} AND NOT EXISTS (SELECT 1 FROM cards WHERE cards.item_id = items.item_id)"


@dataclass(frozen=True, slots=True)
class Agenda:
    """The queue as it stands at one instant in one zone, for one kind of item or for all (None).

    The daily limit of new items holds for what is asked for: so many cards, so many tickets, or so many of both.
    """

    db: Database
    now: datetime
    zone: tzinfo
    new_per_day: int
    kind: str | None

    def next_item(self) -> Item | None:
        """Return the first of: learning due, reviews due (longest due first), new within the limit, learning soon."""
        return (
            self._first(f"{_ITEM} {_LEARNING} AND due_at <= :now ORDER BY due_at, position")
            or self._first(f"{_ITEM} {_REVIEW} AND due_day <= :today ORDER BY due_day, position")
            or (self._first(f"{_ITEM} {_NEW} ORDER BY position") if self._new_left() else None)
            or self._first(f"{_ITEM} {_LEARNING} AND due_at <= :ahead ORDER BY due_at, position")
        )

    def counts(self) -> Counts:
        """Count what `next_item` would hand out if every answer sent its item far away."""
        return Counts(
            new=min(self._value(f"SELECT count(*) {_NEW}"), self._new_left()),
            learning=self._value(f"SELECT count(*) {_LEARNING} AND due_at <= :ahead"),
            due=self._value(f"SELECT count(*) {_REVIEW} AND due_day <= :today"),
        )

    def next_due_at(self) -> datetime | None:
        """Return from when `next_item` gives something: now, later, or None if it never will."""
        if self.next_item():
            return self.now.astimezone(UTC)
        moments = []
        if (due_at := self._value(f"SELECT min(due_at) {_LEARNING}")) is not None:
            moments.append(from_ms(due_at) - LEARN_AHEAD)
        if (due_day := self._value(f"SELECT min(due_day) {_REVIEW}")) is not None:
            moments.append(day_start(due_day, self.zone))
        if self.new_per_day and self._value(f"SELECT count(*) {_NEW}"):
            moments.append(day_start(self._today() + 1, self.zone))
        return min(moments, default=None)

    def _today(self) -> int:
        return study_day(self.now, self.zone)

    def _new_left(self) -> int:
        introduced: int = self._value(
            "SELECT count(*) FROM reviews JOIN items USING (item_id) "
            "WHERE before IS NULL AND study_day = :today AND (:kind IS NULL OR kind = :kind)"
        )
        return max(0, self.new_per_day - introduced)

    def _first(self, sql: str) -> Item | None:
        row = self.db.execute(f"{sql} LIMIT 1", self._parameters()).fetchone()
        return None if row is None else Item(*row)

    def _value(self, sql: str) -> Any:
        return self.db.execute(sql, self._parameters()).fetchone()[0]

    def _parameters(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "now": to_ms(self.now),
            "ahead": to_ms(self.now + LEARN_AHEAD),
            "today": self._today(),
        }
