"""Looks through a large progress.db for damage beside the program, which does not wait for it."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection

LATER = 0.5  # seconds: not while the window opens


class Check:
    """One look through a whole file, on a connection and a thread of its own."""

    def __init__(self, path: Path) -> None:
        self.failed = False
        self._path = path
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="progress-check", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the look, wherever it is."""
        self._closing.set()
        self._thread.join()

    def wait(self) -> None:
        """Return when the look has ended by itself."""
        self._thread.join()

    def _run(self) -> None:
        if self._closing.wait(LATER):
            return
        with closing(sqlite3.connect(self._path)) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.set_progress_handler(self._closing.is_set, 1_000_000)
            try:
                found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                self.failed = found != "ok"
            except sqlite3.DatabaseError as error:
                damage = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
                self.failed = getattr(error, "sqlite_errorcode", 0) & 0xFF in damage


def is_whole(db: Connection) -> bool:
    """Look through a file at once."""
    return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
