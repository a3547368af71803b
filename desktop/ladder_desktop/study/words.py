"""A person's own words: a note beside an item, and an own wording over what the pack says.

The pack is never changed. An edit keeps what the pack said when it was made, so that a pack which has changed its mind
since can be shown beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sqlite3 import Connection

import msgspec

from .errors import StudyError
from .journal import Journal
from .records import action_name
from .store import Store


class Note(msgspec.Struct, frozen=True):
    """What a person wrote beside an item."""

    item_id: str
    text: str


class Edit(msgspec.Struct, frozen=True):
    """One field of an item in a person's own words; `original` is what the pack said then."""

    item_id: str
    field: str
    own: str
    original: str


class Words:
    """Notes and edits of all items. Each call that writes is one action that can be undone."""

    def __init__(self, store: Store, journal: Journal) -> None:
        self._store = store
        self._journal = journal

    def note(self, item_id: str) -> str:
        """Return the note on an item, empty if there is none."""
        with self._store.reading() as db:
            row = db.execute("SELECT text FROM notes WHERE item_id = ?", (item_id,)).fetchone()
        return row[0] if row else ""

    def notes(self) -> list[Note]:
        """Return all notes, by item."""
        with self._store.reading() as db:
            return all_notes(db)

    def write_note(self, item_id: str, text: str) -> None:
        """Put a note on an item, or with an empty text take it away."""
        text = text.strip()
        if text == self.note(item_id):
            return
        verb = "Note on" if text else "Removing the note on"
        with self._journal.action(action_name(verb, item_id), item_id) as db:
            _known(db, item_id)
            db.execute("DELETE FROM notes WHERE item_id = ?", (item_id,))
            if text:
                insert_notes(db, [Note(item_id, text)])

    def edits(self, item_id: str) -> list[Edit]:
        """Return the own wording of an item, field by field."""
        with self._store.reading() as db:
            return all_edits(db, item_id)

    def all_edits(self) -> list[Edit]:
        """Return the own wording of every item, by item and field."""
        with self._store.reading() as db:
            return all_edits(db)

    def edit(self, item_id: str, own: Mapping[str, str], originals: Mapping[str, str]) -> None:
        """Reword some fields of an item. A field that says what the pack says loses its own wording."""
        wanted = [
            Edit(item_id, field, text, originals[field])
            for field, text in sorted(own.items())
            if text != originals[field]
        ]
        kept = [edit for edit in self.edits(item_id) if edit.field not in own]
        if sorted(kept + wanted, key=lambda edit: edit.field) == self.edits(item_id):
            return
        with self._journal.action(action_name("Edit of", item_id), item_id) as db:
            _known(db, item_id)
            for field in own:
                db.execute("DELETE FROM edits WHERE item_id = ? AND field = ?", (item_id, field))
            insert_edits(db, wanted)


def insert_notes(db: Connection, notes: Iterable[Note]) -> None:
    """Store notes of items that have none."""
    rows = [(note.item_id, note.text) for note in notes]
    db.executemany("INSERT INTO notes (item_id, text) VALUES (?, ?)", rows)


def insert_edits(db: Connection, edits: Iterable[Edit]) -> None:
    """Store own wording of fields that have none."""
    rows = [(edit.item_id, edit.field, edit.own, edit.original) for edit in edits]
    db.executemany("INSERT INTO edits (item_id, field, own, original) VALUES (?, ?, ?, ?)", rows)


def all_notes(db: Connection) -> list[Note]:
    """Return every note, by item."""
    return [Note(*row) for row in db.execute("SELECT item_id, text FROM notes ORDER BY item_id")]


def all_edits(db: Connection, item_id: str | None = None) -> list[Edit]:
    """Return the own wording of one item or of all, by item and field."""
    rows = db.execute(
        "SELECT item_id, field, own, original FROM edits WHERE ?1 IS NULL OR item_id = ?1 ORDER BY item_id, field",
        (item_id,),
    )
    return [Edit(*row) for row in rows]


def _known(db: Connection, item_id: str) -> None:
    if not db.execute("SELECT 1 FROM items WHERE item_id = ?", (item_id,)).fetchone():
        raise StudyError(f"{item_id} is in no pack that is loaded; load its pack and try again.")
