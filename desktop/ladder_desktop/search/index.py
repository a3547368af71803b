"""The index: an SQLite file with full-text search, made from the pack again whenever its content has changed.

The file holds nothing that is not in the pack: one that is damaged, or of another pack or another version, is thrown
away and made anew. Where the folder cannot be written, the index lives in memory.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
from ladder_content.model import Pack

from ladder_desktop.search.entry import Entry, entries_of
from ladder_desktop.search.query import match_all, match_any

FILE = "search.db"
VERSION = "1"  # of the table and of what entry.py makes; another number makes every index anew
_TABLE = """
CREATE VIRTUAL TABLE entry USING fts5(
    title, body, aside, kind UNINDEXED, place UNINDEXED, target UNINDEXED,
    tokenize = "unicode61 remove_diacritics 2", prefix = '2 3'
)"""
_FIND = """
SELECT kind, title, place, snippet(entry, 1, char(2), char(3), '…', 18), target
FROM entry WHERE entry MATCH ? ORDER BY bm25(entry, 6.0, 1.0, 1.5), rowid LIMIT ?"""


@dataclass(frozen=True)
class Hit:
    """A place that was found, best first in a list of them.

    `kind` is section, map, box, arrow, card, program, ticket, reference or fact; `target` is what `go` takes.
    `marks` are the spans (start, end) of `excerpt` that hold what was looked for.
    """

    kind: str
    title: str
    where: str
    excerpt: str
    target: str
    marks: tuple[tuple[int, int], ...] = ()


class _StoppedError(Exception):
    """The index is to be closed while it is being made."""


class SearchIndex:
    """Finds places of one pack. Opening costs nothing; the index is made when it is first used or prepared.

    Safe to use from several threads. Close it when the pack goes.
    """

    def __init__(self, path: Path, pack: Pack) -> None:
        self._path = path
        self._pack = pack
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._connection: sqlite3.Connection | None = None
        self._worker: threading.Thread | None = None

    @classmethod
    def open(cls, data_dir: Path, pack: Pack) -> SearchIndex:
        """Return the index of a pack in a person's data folder; nothing is read or written yet."""
        return cls(data_dir / FILE, pack)

    def prepare_in_background(self) -> None:
        """Make the index in a thread if it is not there, so that the first search need not wait for it."""
        if self._worker is None:
            self._worker = threading.Thread(target=self._prepare_quietly, name="search-index")
            self._worker.start()

    def prepare(self) -> None:
        """Make the index if it is not there."""
        with self._lock:
            self._ready()

    def find(self, text: str, limit: int = 20) -> list[Hit]:
        """Return what holds every word of a text, or else what holds some of them; the best first.

        A text without a letter or a digit finds nothing. No text is an error.
        """
        expression = match_all(text)
        if not expression or limit < 1:
            return []
        with self._lock:
            return self._search(expression, limit) or self._search(match_any(text), limit)

    def close(self) -> None:
        """Stop what runs and let go of the file; the index is used no more."""
        self._closing.set()
        if self._worker is not None:
            self._worker.join()
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _prepare_quietly(self) -> None:
        with suppress(_StoppedError):
            self.prepare()

    def _search(self, expression: str, limit: int) -> list[Hit]:
        try:
            rows = self._ready().execute(_FIND, (expression, limit)).fetchall()
        except sqlite3.DatabaseError:  # damaged beyond what opening could see
            self._discard()
            rows = self._ready().execute(_FIND, (expression, limit)).fetchall()
        return [_hit(*row) for row in rows]

    def _ready(self) -> sqlite3.Connection:
        if self._connection is None:
            key = _key(self._pack)
            self._connection = self._existing(key) or self._made(key)
        return self._connection

    def _existing(self, key: str) -> sqlite3.Connection | None:
        if not self._path.is_file():
            return None
        connection = None
        try:
            connection = sqlite3.connect(self._path, check_same_thread=False)
            if connection.execute("SELECT key FROM pack").fetchone() == (key,):
                return connection
        except sqlite3.Error:
            pass
        if connection is not None:
            connection.close()
        return None

    def _made(self, key: str) -> sqlite3.Connection:
        """Make the file beside its place and put it there whole; without a place, make it in memory."""
        draft = self._path.with_name(f".{FILE}.{os.getpid()}")
        try:
            draft.unlink(missing_ok=True)
            with closing(sqlite3.connect(draft)) as connection:
                self._fill(connection, key)
            draft.replace(self._path)
            return sqlite3.connect(self._path, check_same_thread=False)
        except (OSError, sqlite3.Error):
            connection = sqlite3.connect(":memory:", check_same_thread=False)
            self._fill(connection, key)
            return connection
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    def _fill(self, connection: sqlite3.Connection, key: str) -> None:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")  # whoever finds half a file throws it away
        with connection:
            connection.execute(_TABLE)
            for entry in entries_of(self._pack):
                if self._closing.is_set():
                    raise _StoppedError
                connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", _row(entry))
            connection.execute("CREATE TABLE pack (key TEXT)")
            connection.execute("INSERT INTO pack VALUES (?)", (key,))

    def _discard(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def _key(pack: Pack) -> str:
    """Return what changes with any word of a pack."""
    return hashlib.blake2b(VERSION.encode() + msgspec.msgpack.encode(pack), digest_size=16).hexdigest()


def _row(entry: Entry) -> tuple[str, ...]:
    return entry.title, entry.body, entry.aside, entry.kind, entry.where, entry.target


def _hit(kind: str, title: str, where: str, marked: str, target: str) -> Hit:
    """Return a row as a hit; the excerpt comes with its matches between two control characters."""
    text, marks, start = "", list[tuple[int, int]](), 0
    for piece in " ".join(marked.split()).replace("\x03", "\x02").split("\x02"):
        inside = start == 1
        if inside and piece:
            marks.append((len(text), len(text) + len(piece)))
        text, start = text + piece, 1 - start
    return Hit(kind, title, where, text, target, tuple(marks))
