"""What a person did, so that it can be undone and redone, over restarts. Every room that changes rows goes through it.

While an action is open, temporary triggers watch the tables named in UNDOABLE and keep, for each row that appears,
changes or goes, what it was before. Undoing puts these rows back, the newest change first, and by the same triggers
learns what redoing has to put back. A table joins by adding its name; its key never changes in a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection

import msgspec

from .store import Store

UNDOABLE = ("cards", "reviews", "adjustments", "settings", "marks", "extras", "notes", "edits", "own_cards")
KEPT = 1000  # actions that can be undone; older ones are forgotten
FORGET_EVERY = 16  # actions: an answer need not wait for it each time

_ACTION = "SELECT action_id, label, item_id FROM actions"


class Action(msgspec.Struct, frozen=True):
    """One thing a person did. `item_id` is the item it was about, None if it was about several or none."""

    action_id: int
    label: str
    item_id: str | None


class Journal:
    """The actions of a store, oldest first: those done, then those undone and not yet redone."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._action_id: int | None = None
        self._steps = 0
        store.db.create_function("recording", 0, self._recording)
        store.db.create_function("next_step", 0, self._next_step)
        store.db.create_function("image", -1, _image, deterministic=True)
        for table in UNDOABLE:
            _watch(store.db, table)

    @contextmanager
    def action(self, label: str, item_id: str | None = None) -> Iterator[Connection]:
        """Do something that can be undone, in one transaction; what was undone before cannot be redone any more.

        `label` says what it is in the middle of a sentence: "Undid {label}". An action that changes no row is none.
        """
        with self._store.writing() as db:
            db.execute("DELETE FROM actions WHERE undone = 1")
            cursor = db.execute("INSERT INTO actions (label, item_id) VALUES (?, ?)", (label, item_id))
            assert cursor.lastrowid is not None
            with self._watching(cursor.lastrowid):
                yield db
            if not self._steps:
                db.execute("DELETE FROM actions WHERE action_id = ?", (cursor.lastrowid,))
            if cursor.lastrowid % FORGET_EVERY == 0:
                db.execute("DELETE FROM actions WHERE action_id <= ?", (cursor.lastrowid - KEPT,))

    def last(self) -> Action | None:
        """Return what `undo` would take back."""
        with self._store.reading() as db:
            return _last(db)

    def next(self) -> Action | None:
        """Return what `redo` would do again."""
        with self._store.reading() as db:
            return _next(db)

    def undo(self) -> Action | None:
        """Take back the newest action and return it; None if there is none."""
        with self._store.writing() as db:
            return self._turn(db, _last(db), undone=1)

    def redo(self) -> Action | None:
        """Do the action again that was undone last, and return it; None if there is none."""
        with self._store.writing() as db:
            return self._turn(db, _next(db), undone=0)

    def _turn(self, db: Connection, action: Action | None, undone: int) -> Action | None:
        """Put back every row an action changed; what stands there now is kept for the way back."""
        if action is None:
            return None
        number = (action.action_id,)
        changes = db.execute(
            "SELECT name, key, before FROM changes WHERE action_id = ? ORDER BY step DESC", number
        ).fetchall()
        db.execute("DELETE FROM changes WHERE action_id = ?", number)
        with self._watching(action.action_id):
            for table, key, before in changes:
                _put_back(db, table, msgspec.json.decode(key), before and msgspec.json.decode(before))
        db.execute("UPDATE actions SET undone = ? WHERE action_id = ?", (undone, action.action_id))
        return action

    @contextmanager
    def _watching(self, action_id: int) -> Iterator[None]:
        self._action_id, self._steps = action_id, 0
        try:
            yield
        finally:
            self._action_id = None

    def _recording(self) -> int | None:
        return self._action_id

    def _next_step(self) -> int:
        self._steps += 1
        return self._steps


def _last(db: Connection) -> Action | None:
    row = db.execute(f"{_ACTION} WHERE undone = 0 ORDER BY action_id DESC LIMIT 1").fetchone()
    return None if row is None else Action(*row)


def _next(db: Connection) -> Action | None:
    row = db.execute(f"{_ACTION} WHERE undone = 1 ORDER BY action_id LIMIT 1").fetchone()
    return None if row is None else Action(*row)


def _put_back(db: Connection, table: str, key: dict[str, object], row: dict[str, object] | None) -> None:
    if row is None:
        db.execute(
            f"DELETE FROM {table} WHERE {' AND '.join(f'{name} = ?' for name in key)}", [*key.values()]
        )
        return
    names, others = ", ".join(row), [name for name in row if name not in key]
    changed = ", ".join(f"{name} = excluded.{name}" for name in others)
    db.execute(
        f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))}) "
        f"ON CONFLICT ({', '.join(key)}) DO {f'UPDATE SET {changed}' if others else 'NOTHING'}",
        [*row.values()],
    )


def _watch(db: Connection, table: str) -> None:
    """Keep what a row of `table` was, whenever it changes while an action is open."""
    columns = db.execute(f"PRAGMA table_info({table})").fetchall()
    names = [column[1] for column in columns]
    keys = [column[1] for column in columns if column[5]]
    for event, row, before in (
        ("INSERT", "NEW", "NULL"),
        ("UPDATE", "NEW", _call(names, "OLD")),
        ("DELETE", "OLD", _call(names, "OLD")),
    ):
        db.execute(f"""
            CREATE TEMP TRIGGER watch_{table}_{event} AFTER {event} ON main.{table} WHEN recording() IS NOT NULL
            BEGIN
                INSERT INTO changes VALUES (recording(), next_step(), '{table}', {_call(keys, row)}, {before});
            END""")


def _call(names: list[str], row: str) -> str:
    """Return the SQL of an image of some columns."""
    pairs = ", ".join(f"'{name}', {row}.{name}" for name in names)
    return f"image({pairs})"


def _image(*pairs: str | int | float | None) -> str:
    """Return names and values as JSON; every number comes back to the last bit, which SQLite's own JSON does not do."""
    return msgspec.json.encode(dict(zip(pairs[::2], pairs[1::2], strict=True))).decode()
