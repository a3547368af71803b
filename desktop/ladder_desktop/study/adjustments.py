"""The adjustments of the log in the database: writing, reading, applying. Functions over an open database."""

from __future__ import annotations

from sqlite3 import Connection

import msgspec

from .adjustment import Adjustment, Change
from .log import ensure_algorithm, read_algorithms

_READ = """
    SELECT adjustment_id, review_id, reason, made_at, adjustments.study_day, adjustments.utc_offset,
        adjustments.local_date, adjustments.algorithm_id, changes
    FROM adjustments LEFT JOIN reviews ON seq = after_seq ORDER BY number
"""
_decode = msgspec.json.Decoder(tuple[Change, ...]).decode


def append_adjustment(db: Connection, adjustment: Adjustment) -> None:
    """Add an adjustment at its place in the log; the states are left as they are."""
    after = db.execute("SELECT seq FROM reviews WHERE review_id = ?", (adjustment.after_review,)).fetchone()
    db.execute(
        "INSERT INTO adjustments (adjustment_id, after_seq, reason, made_at, study_day, utc_offset, local_date, "
        "changes, algorithm_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            adjustment.adjustment_id,
            None if after is None else after[0],
            adjustment.reason,
            adjustment.made_at,
            adjustment.study_day,
            adjustment.utc_offset,
            adjustment.local_date,
            msgspec.json.encode(adjustment.changes).decode(),
            ensure_algorithm(db, adjustment.algorithm),
        ),
    )


def apply(db: Connection, adjustment: Adjustment) -> None:
    """Add an adjustment at the end of the log and move the states by it."""
    append_adjustment(db, adjustment)
    db.executemany(
        "UPDATE cards SET stability = ?1, difficulty = ?2, interval = ?3, "
        "due_day = CASE WHEN due_day IS NOT NULL THEN last_day + ?3 END WHERE item_id = ?4",
        [
            (change.after.stability, change.after.difficulty, change.after.interval, change.item_id)
            for change in adjustment.changes
        ],
    )


def newest_review(db: Connection) -> str | None:
    """Return the id of the newest review, None while the log is empty."""
    row = db.execute("SELECT review_id FROM reviews ORDER BY seq DESC LIMIT 1").fetchone()
    return None if row is None else row[0]


def all_adjustments(db: Connection) -> list[Adjustment]:
    """Return every adjustment, oldest first."""
    algorithms = read_algorithms(db)
    rows = db.execute(_READ).fetchall()
    return [
        Adjustment(
            adjustment_id=row[0],
            after_review=row[1],
            reason=row[2],
            made_at=row[3],
            study_day=row[4],
            utc_offset=row[5],
            local_date=row[6],
            algorithm=algorithms[row[7]],
            changes=_decode(row[8]),
        )
        for row in rows
    ]
