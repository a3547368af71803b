"""How a person wants to be scheduled: retention, steps, limits and weights. Kept in progress.db, one row."""

from __future__ import annotations

from functools import lru_cache
from sqlite3 import Connection

import msgspec

from .algorithm import Algorithm
from .errors import StudyError
from .log import ensure_algorithm

NEW_PER_DAY = 20
REVIEWS_PER_DAY = 200
MOST_PER_DAY = 9999


class StudySettings(msgspec.Struct, frozen=True):
    """What schedules the next answer, and how many new items and reviews a study day brings at most.

    StudyError, one sentence, if one of them makes no sense. The limits hold for cards and for tickets each.
    """

    algorithm: Algorithm = msgspec.field(default_factory=Algorithm)
    new_per_day: int = NEW_PER_DAY
    reviews_per_day: int = REVIEWS_PER_DAY

    def __post_init__(self) -> None:
        for name, value in (("New cards", self.new_per_day), ("Reviews", self.reviews_per_day)):
            if not 0 <= value <= MOST_PER_DAY:
                raise StudyError(f"{name} a day must lie between 0 and {MOST_PER_DAY}, not {value}.")


def read_settings(db: Connection) -> tuple[StudySettings, int]:
    """Return the settings and the number of their algorithm; the defaults are stored when there are none yet."""
    row = db.execute("SELECT value, algorithm_id FROM settings").fetchone()
    if row is None:
        return StudySettings(), write_settings(db, StudySettings())
    return _decode(row[0]), row[1]


def write_settings(db: Connection, settings: StudySettings) -> int:
    """Store settings and return the number of their algorithm."""
    number = ensure_algorithm(db, settings.algorithm)
    db.execute(
        "INSERT INTO settings (only, value, algorithm_id) VALUES (1, ?, ?) "
        "ON CONFLICT DO UPDATE SET value = excluded.value, algorithm_id = excluded.algorithm_id",
        (msgspec.json.encode(settings).decode(), number),
    )
    return number


@lru_cache(maxsize=8)
def _decode(text: str) -> StudySettings:
    """Each answer reads the settings, and they hardly ever change."""
    return msgspec.json.decode(text, type=StudySettings)
