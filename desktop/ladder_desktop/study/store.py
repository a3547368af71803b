"""progress.db: opened with care, written in whole transactions, its faults told in one sentence.

WAL with synchronous=NORMAL: what was committed survives a killed process, and is on the disk a moment later (see
sync.py for what a power cut can take). Foreign keys hold on every connection. Any number of processes may use the file;
each waits a moment for the other's write.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection

from .check import Check, is_whole
from .errors import DamagedError, StudyError
from .sync import Syncer

FILE_NAME = "progress.db"
SCHEMA_VERSION = 5  # the number of steps in migrations.py; progress.db carries it as its user_version
APPLICATION_ID = 0x52_4C_44_52  # "RLDR", where `file` and other programs look for the kind of a database
BUSY_SECONDS = 5.0
_PAUSE_SECONDS = 0.01
CACHE_KIB = 32_768
LONGEST_LOG = 16_000  # pages; long before, the syncer folds the log into the file
CHECKED_AT_ONCE = (
    4 << 20
)  # bytes; a larger file is checked beside the program, and what is wrong told at the next call

_BUSY = "{path} is in use by another program; close that program and try again."
_FULL = (
    "{path} cannot grow because the disk is full; free some space and try again, nothing stored was changed."
)
_LOCKED_AWAY = (
    "{path} cannot be written; allow writing to it and its folder, or choose another folder with --data."
)
_UNREADABLE = "{path} could not be read or written ({error}); check the disk and try again."
_DAMAGED = "{path} is damaged and was left as it is; go back to a daily copy (runtime-ladder backups restore), or move it elsewhere and start anew."
_SENTENCES = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: _LOCKED_AWAY,
    sqlite3.SQLITE_CANTOPEN: _LOCKED_AWAY,
    sqlite3.SQLITE_PERM: _LOCKED_AWAY,
    sqlite3.SQLITE_IOERR: _UNREADABLE,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}


class Store:
    """One connection to progress.db. Every method raises StudyError for what is wrong outside the program."""

    def __init__(self, data_dir: Path) -> None:
        """Open or create `data_dir`/progress.db and bring it to the present version."""
        self.path = data_dir / FILE_NAME
        try:
            data_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyError(
                f"The data folder {data_dir} cannot be made ({error.strerror}); choose another with --data."
            ) from error
        with self._sentences():
            self.db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with self._sentences():
                self._refuse_what_is_not_ours()
                self._prepare()
            self._syncer = Syncer(self.path.with_name(f"{FILE_NAME}-wal"))
            self._check = None if self.path.stat().st_size < CHECKED_AT_ONCE else Check(self.path)
        except BaseException:
            self.db.close()
            raise

    def close(self) -> None:
        """Close the connection; SQLite folds the write-ahead log into the file."""
        self._syncer.close()
        if self._check is not None:
            self._check.close()
        self.db.close()

    def _refuse_what_is_damaged(self) -> None:
        if self._check is not None and self._check.failed:
            raise StudyError(_DAMAGED.format(path=self.path))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read one moment of the store: what another process writes meanwhile is not seen before the block ends."""
        self._refuse_what_is_damaged()
        with self._transaction("BEGIN") as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Hold one transaction: all of it is stored when the block ends, or none of it.

        It takes the write lock at once, and not at the first write, so that nothing read inside the block can be
        changed by another process before the block writes.
        """
        self._refuse_what_is_damaged()
        with self._transaction("BEGIN IMMEDIATE") as db:
            yield db
        self._syncer.committed()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Connection]:
        with self._sentences():
            self.db.execute(begin)
            try:
                yield self.db
                self.db.commit()
            except BaseException:
                self.db.rollback()
                raise

    def _refuse_what_is_not_ours(self) -> None:
        """Look at the file without changing it."""
        version = self._pragma("user_version")
        if version > SCHEMA_VERSION:
            raise StudyError(
                f"{self.path} was written by a newer Runtime Ladder (version {version}, this one knows up to "
                f"{SCHEMA_VERSION}) and was left as it is; update Runtime Ladder or choose another folder with --data."
            )
        has_tables = self.db.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table'").fetchone()
        if has_tables and self._pragma("application_id") != APPLICATION_ID:
            raise StudyError(
                f"{self.path} is another program's database and was left as it is; choose another folder with --data."
            )
        if self.path.stat().st_size < CHECKED_AT_ONCE and not is_whole(self.db):
            raise DamagedError(_DAMAGED.format(path=self.path))

    def _prepare(self) -> None:
        self.db.execute("PRAGMA foreign_keys = ON")
        self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.execute("PRAGMA temp_store = MEMORY")
        self.db.execute(f"PRAGMA wal_autocheckpoint = {LONGEST_LOG}")
        self.db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        self._turn_to_wal()
        # A file that is read-only is found out now, and not at the first answer.
        with self._transaction("BEGIN IMMEDIATE") as db:
            if self._pragma("user_version") < SCHEMA_VERSION:
                _migrate(db)
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _turn_to_wal(self) -> None:
        """Wait here for who else writes the new file: for this change SQLite may say "busy" at once."""
        last = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self.db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                    raise
            time.sleep(_PAUSE_SECONDS)

    def _pragma(self, name: str) -> int:
        return int(self.db.execute(f"PRAGMA {name}").fetchone()[0])

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn what SQLite says about the file into a sentence; what it says about our SQL stays an error of ours."""
        try:
            yield
        except sqlite3.Error as error:
            sentence = _SENTENCES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
            if sentence is None:
                raise
            kind = DamagedError if sentence is _DAMAGED else StudyError
            raise kind(sentence.format(path=self.path, error=error)) from error


def _migrate(db: Connection) -> None:
    """Take the steps a file has not taken. What it needs loads here: most files are of this version already."""
    from sqlite_utils import Database

    from .migrations import migrations

    migrations.apply(Database(db, execute_plugins=False))
