"""What falls due in the coming days, read off the card states: answers given until then will move it.

Suspended items are left out, since they wait for nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from sqlite3 import Connection

from ladder_desktop.study.progress import MATURE_DAYS

_DUE = f"""
    SELECT
        max(due_day, :today),
        count(*) FILTER (WHERE due_day < :today),
        count(*) FILTER (WHERE due_day >= :today AND interval < {MATURE_DAYS}),
        count(*) FILTER (WHERE due_day >= :today AND interval >= {MATURE_DAYS})
    FROM cards JOIN items USING (item_id) LEFT JOIN marks USING (item_id)
    WHERE due_day IS NOT NULL AND due_day <= :last AND position IS NOT NULL AND suspended IS NOT 1
        AND (:study_id IS NULL OR study_id = :study_id)
    GROUP BY 1
"""
_STEPS = """
    SELECT count(*) FROM cards JOIN items USING (item_id) LEFT JOIN marks USING (item_id)
    WHERE due_at IS NOT NULL AND position IS NOT NULL AND suspended IS NOT 1 AND (:study_id IS NULL OR study_id = :study_id)
"""


@dataclass(frozen=True, slots=True)
class DueDay:
    """What waits on one study day; today's also holds what is overdue and what is in steps."""

    study_day: int
    overdue: int
    young: int
    mature: int
    steps: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.overdue + self.young + self.mature + self.steps


def read_forecast(db: Connection, study_id: str | None, today: int, days: int) -> list[DueDay]:
    """Return `days` study days from `today` on, also those on which nothing waits."""
    parameters = {"study_id": study_id, "today": today, "last": today + days - 1}
    found: dict[int, tuple[int, int, int]] = {row[0]: row[1:] for row in db.execute(_DUE, parameters)}
    steps = db.execute(_STEPS, parameters).fetchone()[0]
    return [
        DueDay(day, *found.get(day, (0, 0, 0)), steps=steps if day == today else 0)
        for day in range(today, today + days)
    ]
