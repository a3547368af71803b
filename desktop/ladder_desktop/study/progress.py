"""How far a person is in one study: the numbers behind its ring in the rail."""

from __future__ import annotations

from sqlite3 import Connection

import msgspec

MATURE_DAYS = 21  # Anki's border between young and mature

_COUNT = """
    SELECT
        count(*),
        count(*) FILTER (WHERE due_at IS NOT NULL),
        count(*) FILTER (WHERE due_day IS NOT NULL AND interval < :mature),
        count(*) FILTER (WHERE due_day IS NOT NULL AND interval >= :mature),
        count(*) FILTER (
            WHERE (due_at <= :ahead OR due_day <= :today)
            AND suspended IS NOT 1 AND (buried_day BETWEEN :today AND :today + 1) IS NOT 1
        )
    FROM items LEFT JOIN cards USING (item_id) LEFT JOIN marks USING (item_id)
    WHERE position IS NOT NULL AND study_id = :study_id
"""


class StudyProgress(msgspec.Struct, frozen=True):
    """The cards and tickets of one study, counted by how well they are known.

    Each of `total` is either new, in steps (`learning`), or in review with an interval under 21 days (`young`) or
    from 21 days on (`mature`). `due` is what waits now: reviews of today and steps within the learn-ahead, unless
    suspended or buried.
    """

    total: int
    learning: int
    young: int
    mature: int
    due: int

    @property
    def new(self) -> int:
        """How many were never answered."""
        return self.total - self.learning - self.learned

    @property
    def learned(self) -> int:
        """How many have left the learning steps."""
        return self.young + self.mature

    @property
    def share(self) -> float:
        """The learned part of all, 0 to 1; 0 for a study without cards."""
        return self.learned / self.total if self.total else 0.0


def progress_of_study(db: Connection, study_id: str, ahead: int, today: int) -> StudyProgress:
    """Count one study; `ahead` is the end of the learn-ahead in milliseconds UTC, `today` a study day."""
    parameters = {"study_id": study_id, "ahead": ahead, "today": today, "mature": MATURE_DAYS}
    return StudyProgress(*db.execute(_COUNT, parameters).fetchone())
