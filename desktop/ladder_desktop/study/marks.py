"""What a person sets on items: bury, suspend, flag. And what the eighth lapse does: a leech is suspended."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from sqlite3 import Connection

import msgspec

from .clock import Clock
from .errors import StudyError
from .journal import Journal
from .records import Hidden, Mark, action_name
from .store import Store
from .studyday import study_day

FLAGS = ("no flag", "red", "orange", "green", "blue")
LEECH_LAPSES = 8  # at the eighth lapse, and then at every fourth, as in Anki

_MARK = "suspended, leech, flag, buried_day"
_WRITE = f"INSERT INTO marks (item_id, {_MARK}) VALUES (?, ?, ?, ?, ?)"


class Marks:
    """The marks of all items. Each call is one action that can be undone."""

    def __init__(self, store: Store, journal: Journal, clock: Clock) -> None:
        self._store = store
        self._journal = journal
        self._clock = clock

    def of(self, item_id: str) -> Mark:
        """Return the marks of one item."""
        with self._store.reading() as db:
            return read_mark(db, item_id)

    def suspend(self, item_ids: Collection[str]) -> None:
        """Keep items out of the queue until somebody takes them back."""
        self._change("Suspend", item_ids, lambda mark: msgspec.structs.replace(mark, suspended=True))

    def unsuspend(self, item_ids: Collection[str]) -> None:
        """Take items back into the queue; a leech stays marked as one."""
        self._change("Unsuspend", item_ids, lambda mark: msgspec.structs.replace(mark, suspended=False))

    def bury(self, item_ids: Collection[str]) -> None:
        """Set items aside until the next study day."""
        today = self._today()
        self._change("Bury", item_ids, lambda mark: msgspec.structs.replace(mark, buried_day=today))

    def unbury(self, item_ids: Collection[str]) -> None:
        """Take items back that were set aside."""
        self._change("Unbury", item_ids, lambda mark: msgspec.structs.replace(mark, buried_day=None))

    def flag(self, item_ids: Collection[str], flag: int) -> None:
        """Flag items: 1 red, 2 orange, 3 green, 4 blue, 0 none."""
        if not 0 <= flag < len(FLAGS):
            raise StudyError(f"A flag is a number from 0 to {len(FLAGS) - 1}, not {flag}.")
        verb = f"Flag {FLAGS[flag]} on" if flag else "Unflag"
        self._change(verb, item_ids, lambda mark: msgspec.structs.replace(mark, flag=flag))

    def forgive(self, item_ids: Collection[str]) -> None:
        """Take the name of leech from items."""
        self._change("Not a leech:", item_ids, lambda mark: msgspec.structs.replace(mark, leech=False))

    def hidden(self, kind: str | None = None) -> Hidden:
        """Count what waits outside the queue; an item that is both buried and suspended is suspended."""
        with self._store.reading() as db:
            row = db.execute(
                """SELECT count(*) FILTER (WHERE NOT suspended), count(*) FILTER (WHERE suspended)
                   FROM marks JOIN items USING (item_id)
                   WHERE position IS NOT NULL AND (:kind IS NULL OR kind = :kind)
                   AND (suspended OR buried_day BETWEEN :today AND :today + 1)""",
                {"kind": kind, "today": self._today()},
            ).fetchone()
        return Hidden(*row)

    def buried(self, kind: str | None = None) -> list[str]:
        """Return the items that are set aside today."""
        today = self._today()
        with self._store.reading() as db:
            rows = db.execute(
                """SELECT item_id FROM marks JOIN items USING (item_id)
                   WHERE buried_day BETWEEN ? AND ? AND (? IS NULL OR kind = ?)""",
                (today, today + 1, kind, kind),
            )
            return [item_id for (item_id,) in rows]

    def _change(self, verb: str, item_ids: Collection[str], change: Callable[[Mark], Mark]) -> None:
        """Change some marks in one action, if any of them is not so already."""
        label, item_id = naming(verb, item_ids)
        with self._journal.action(label, item_id) as db:
            for each in item_ids:
                known = read_mark(db, each)
                if change(known) != known:
                    write_mark(db, each, change(known))

    def _today(self) -> int:
        return study_day(self._clock.now(), self._clock.zone())


def naming(verb: str, item_ids: Collection[str]) -> tuple[str, str | None]:
    """Return the label of an action on these items, and the item if it is only one."""
    if len(item_ids) == 1:
        (only,) = item_ids
        return action_name(verb, only), only
    return f"{verb} {len(item_ids)} cards", None


def read_mark(db: Connection, item_id: str) -> Mark:
    """Return the marks of an item."""
    row = db.execute(f"SELECT {_MARK} FROM marks WHERE item_id = ?", (item_id,)).fetchone()
    return Mark() if row is None else _mark(row)


def all_marks(db: Connection) -> dict[str, Mark]:
    """Return the marks of every item that has any."""
    return {row[0]: _mark(row[1:]) for row in db.execute(f"SELECT item_id, {_MARK} FROM marks")}


def write_mark(db: Connection, item_id: str, mark: Mark) -> None:
    """Store the marks of an item; StudyError if it was never registered."""
    if not db.execute("SELECT 1 FROM items WHERE item_id = ?", (item_id,)).fetchone():
        raise StudyError(f"{item_id} is in no pack that is loaded; load its pack and try again.")
    db.execute("DELETE FROM marks WHERE item_id = ?", (item_id,))
    if mark != Mark():
        db.execute(_WRITE, (item_id, mark.suspended, mark.leech, mark.flag, mark.buried_day))


def is_leech(lapses: int) -> bool:
    """Say whether the lapse just counted makes an item a leech, or shows again that it is one."""
    return lapses >= LEECH_LAPSES and (lapses - LEECH_LAPSES) % (LEECH_LAPSES // 2) == 0


def _mark(row: Sequence[int | None]) -> Mark:
    suspended, leech, flag, buried_day = row
    return Mark(bool(suspended), bool(leech), flag or 0, buried_day)
