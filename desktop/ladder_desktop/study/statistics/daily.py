"""One row a study day: what was answered on it. The day is the one stored with each review."""

from __future__ import annotations

from dataclasses import dataclass
from sqlite3 import Connection

from ladder_desktop.study.progress import MATURE_DAYS

from .share import Share

_DAYS = f"""
    SELECT
        study_day,
        count(*),
        count(*) FILTER (WHERE rating = 1),
        sum(duration_ms),
        count(*) FILTER (WHERE interval_before IS NULL),
        count(*) FILTER (WHERE tested AND interval_before < {MATURE_DAYS} AND rating > 1),
        count(*) FILTER (WHERE tested AND interval_before < {MATURE_DAYS}),
        count(*) FILTER (WHERE tested AND interval_before >= {MATURE_DAYS} AND rating > 1),
        count(*) FILTER (WHERE tested AND interval_before >= {MATURE_DAYS})
    FROM {{}}
    GROUP BY study_day ORDER BY study_day
"""
_ALL = "reviews INDEXED BY reviews_by_day"
_ONE_STUDY = (
    "items CROSS JOIN reviews INDEXED BY reviews_by_item ON reviews.item_id = items.item_id "
    "WHERE study_id = :study_id"
)


@dataclass(frozen=True, slots=True)
class Day:
    """The answers of one study day; `introduced` counts items answered for the first time ever.

    `young` and `mature` are its tests of items with an interval under 21 days and from 21 days on.
    """

    study_day: int
    answers: int
    again: int
    milliseconds: int
    introduced: int
    young: Share
    mature: Share

    @property
    def tested(self) -> Share:
        """Young and mature together."""
        return self.young + self.mature


def read_days(db: Connection, study_id: str | None) -> list[Day]:
    """Return the days on which something was answered, oldest first, over everything or one study."""
    sql = _DAYS.format(_ALL if study_id is None else _ONE_STUDY)
    return [
        Day(day, answers, again, milliseconds, introduced, Share(*tests[:2]), Share(*tests[2:]))
        for day, answers, again, milliseconds, introduced, *tests in db.execute(sql, {"study_id": study_id})
    ]
