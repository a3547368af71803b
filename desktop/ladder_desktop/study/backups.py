"""Copies of progress.db: one a day, made through SQLite's own backup, thinned with age, and the way back to one.

Twelve days are kept, then one copy a week for ten weeks, then one a month for nine months.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import date, datetime
from pathlib import Path

import msgspec

from .errors import StudyError
from .store import APPLICATION_ID, FILE_NAME

DAYS, WEEKS, MONTHS = 12, 10, 9
KEPT_BEFORE_RESTORE = 5
_DAILY = re.compile(r"progress-(\d{4}-\d\d-\d\d)\.db")


class Backup(msgspec.Struct, frozen=True):
    """A copy that can be read: its file, its day, and how many reviews it holds."""

    path: Path
    day: date
    reviews: int

    @property
    def sentence(self) -> str:
        """Say what it is."""
        return f"{self.day:%a} {self.day.day} {self.day:%b %Y}: {self.reviews:,} reviews"


class Backups:
    """The copies in `data_dir`/backups. StudyError, one sentence, if one cannot be made or taken back."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / "backups"
        self._progress = data_dir / FILE_NAME

    def make_if_due(self, today: date) -> Path | None:
        """Copy progress.db if there is no copy of today yet; None if there is one, or nothing to copy.

        A damaged file is not copied over the good copies. Thins the older ones afterwards.
        """
        target = self.folder / f"progress-{today.isoformat()}.db"
        if target.exists() or not self._progress.exists() or reviews_in(self._progress) is None:
            return None
        self._copy(self._progress, target)
        for path in _superfluous(self._daily(), today):
            path.unlink(missing_ok=True)
        return target

    def all(self) -> list[Backup]:
        """Return the copies that can be read, the newest first."""
        found = [
            Backup(path, day, reviews)
            for day, path in self._daily().items()
            if (reviews := reviews_in(path)) is not None
        ]
        return sorted(found, key=lambda backup: backup.day, reverse=True)

    def restore(self, path: Path, now: datetime) -> Path | None:
        """Make progress.db what the copy is, in one transaction. Returns where the present one was put.

        A sound progress.db is written over through SQLite, so that other programs that have it open see the whole
        copy or none of it; a damaged one is moved aside first.
        """
        if reviews_in(path) is None:
            raise StudyError(f"{path} is no sound copy of your progress; choose another one.")
        aside = self._set_aside(now)
        try:
            with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(self._progress)) as target:
                source.backup(target)
        except sqlite3.Error as error:
            raise StudyError(
                f"{self._progress} could not be written ({error}); close other programs that use it and try again."
            ) from error
        return aside

    def _set_aside(self, now: datetime) -> Path | None:
        if not self._progress.exists():
            return None
        aside = self.folder / f"before-restore-{now:%Y%m%d-%H%M%S}.db"
        if reviews_in(self._progress) is not None:
            self._copy(self._progress, aside)
        else:
            _moved(self._progress, aside)
        for old in sorted(self.folder.glob("before-restore-*.db"))[:-KEPT_BEFORE_RESTORE]:
            old.unlink(missing_ok=True)
        return aside

    def _daily(self) -> dict[date, Path]:
        if not self.folder.is_dir():
            return {}
        names = ((_DAILY.fullmatch(path.name), path) for path in self.folder.iterdir())
        return {date.fromisoformat(found[1]): path for found, path in names if found}

    def _copy(self, source: Path, target: Path) -> None:
        """Copy one moment of a database; the file is there whole or not at all."""
        draft = target.with_suffix(f".{os.getpid()}.part")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(draft)) as copy:
                live.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
            draft.replace(target)
        except (OSError, sqlite3.Error) as error:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise StudyError(
                f"No copy of your progress could be put into {target.parent} ({error})."
            ) from error


def reviews_in(path: Path) -> int | None:
    """Return how many reviews a progress file holds; None if it is damaged, another program's or not there."""
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            ours = db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
            if not ours or db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                return None
            return int(db.execute("SELECT count(*) FROM reviews").fetchone()[0])
    except sqlite3.Error:
        return None


def _moved(damaged: Path, aside: Path) -> None:
    """Move a damaged database with its log, so that nothing of it is lost and nothing of it stays."""
    try:
        aside.parent.mkdir(parents=True, exist_ok=True)
        for ending in ("-wal", "-shm", ""):
            part = damaged.with_name(damaged.name + ending)
            if part.exists():
                part.replace(aside.with_name(aside.name + ending))
    except OSError as error:
        raise StudyError(f"{damaged} could not be moved aside ({error.strerror}).") from error


def _superfluous(daily: dict[date, Path], today: date) -> Iterable[Path]:
    """Yield the copies that age has made one too many: of each week or month its oldest stays."""
    weeks: set[tuple[int, int]] = set()
    months: set[tuple[int, int]] = set()
    for day in sorted(daily):
        age = (today - day).days
        week, month = day.isocalendar()[:2], (day.year, day.month)
        if age < DAYS:
            continue
        if age < DAYS + 7 * WEEKS:
            if week in weeks:
                yield daily[day]
            weeks.add(week)
        elif age < DAYS + 7 * WEEKS + 31 * MONTHS:
            if month in months:
                yield daily[day]
            months.add(month)
        else:
            yield daily[day]
