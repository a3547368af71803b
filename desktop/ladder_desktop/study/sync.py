"""Has the disk keep what was committed, a moment later and beside the program, so that nobody waits for a disk.

A commit is in the hands of the operating system at once: it survives the death of the program. Against a power cut it
has to be on the disk too, and that takes a disk anything from 0.1 to 200 ms. So a thread does it: what was committed
up to a second (SOON) before a power cut may be lost, and never more; the database is whole in any case.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path

SOON = 1.0  # seconds from a commit to its sync; commits in between share one
LONG = (
    4 << 20
)  # bytes of log from which it is folded into the file, here too and not within somebody's answer


class Syncer:
    """Syncs one write-ahead log. Its thread starts with the first commit and ends with `close`."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._owed = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def committed(self) -> None:
        """Say that something was committed."""
        self._owed.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="progress-sync", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the thread; the store syncs what is left when it closes."""
        self._closing.set()
        self._owed.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while self._owed.wait() and not self._closing.wait(SOON):
            self._owed.clear()
            if self._closing.is_set():  # set before the line above, which would have the thread wait for ever
                return
            with suppress(OSError):  # the log is gone once it is folded into the file; that is a sync as well
                sync(self._log)
                if self._log.stat().st_size > LONG:
                    fold(self._log)


def sync(log: Path) -> None:
    """Return when the disk has what the operating system holds of a file; OSError if there is none.

    Opened apart from SQLite, which holds no lock on its log: closing this handle takes none away.
    """
    handle = os.open(log, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fold(log: Path) -> None:
    """Copy what the log holds into its database, as far as no reader still needs it; nobody is kept waiting."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(log.with_name(log.name.removesuffix("-wal")))) as connection,
    ):
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
