"""The tables of progress.db, as numbered steps from nothing to now. A step that was released never changes."""

from __future__ import annotations

from sqlite_utils import Database, Migrations

SCHEMA_VERSION = 2  # the number of steps below; progress.db carries it as its user_version
migrations = Migrations("study")


@migrations()
def m001_items_cards_reviews_undo(db: Database) -> None:
    """The first version.

    reviews is the log and the truth; cards is what replaying it gives, kept so that the queue is quick; undo is
    the stack of what the person did, newest last.
    """
    db.executescript("""
        CREATE TABLE items (
            item_id  TEXT PRIMARY KEY,
            kind     TEXT NOT NULL CHECK (kind IN ('card', 'ticket')),
            study_id TEXT NOT NULL,
            position INTEGER            -- order in the packs; NULL once the item has left them
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX items_position ON items (position);

        CREATE TABLE cards (
            item_id    TEXT PRIMARY KEY REFERENCES items (item_id),
            phase      TEXT NOT NULL CHECK (phase IN ('learning', 'review', 'relearning')),
            step       INTEGER,
            stability  REAL NOT NULL CHECK (stability > 0),
            difficulty REAL NOT NULL CHECK (difficulty BETWEEN 1 AND 10),
            due_at     INTEGER,
            due_day    INTEGER,
            interval   INTEGER NOT NULL CHECK (interval >= 0),
            reps       INTEGER NOT NULL CHECK (reps > 0),
            lapses     INTEGER NOT NULL CHECK (lapses >= 0),
            last_at    INTEGER NOT NULL,
            last_day   INTEGER NOT NULL,
            CHECK ((due_at IS NULL) <> (due_day IS NULL)),
            CHECK ((phase = 'review') = (due_at IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX cards_due_at ON cards (due_at) WHERE due_at IS NOT NULL;
        CREATE INDEX cards_due_day ON cards (due_day) WHERE due_day IS NOT NULL;

        CREATE TABLE algorithms (
            algorithm_id INTEGER PRIMARY KEY,
            settings     TEXT NOT NULL UNIQUE   -- JSON of Algorithm, its name among them
        ) STRICT;

        CREATE TABLE reviews (
            seq          INTEGER PRIMARY KEY,   -- the order of the log; the clock may run backwards
            review_id    TEXT NOT NULL UNIQUE,
            item_id      TEXT NOT NULL REFERENCES items (item_id),
            rating       INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 4),
            answered_at  INTEGER NOT NULL,
            study_day    INTEGER NOT NULL,
            utc_offset   INTEGER NOT NULL,
            local_date   TEXT NOT NULL,
            duration_ms  INTEGER NOT NULL CHECK (duration_ms >= 0),
            before       TEXT,                  -- JSON of Memory; NULL: the item was new
            after        TEXT NOT NULL,
            detail       TEXT,
            algorithm_id INTEGER NOT NULL REFERENCES algorithms (algorithm_id)
        ) STRICT;
        CREATE INDEX reviews_introduced ON reviews (study_day) WHERE before IS NULL;

        CREATE TABLE undo (
            step INTEGER PRIMARY KEY,
            seq  INTEGER NOT NULL UNIQUE REFERENCES reviews (seq)
        ) STRICT;
    """)


@migrations()
def m003_statistics(db: Database) -> None:
    """What statistics ask of the log, computed once when a review is written and kept in two covering indexes.

    `tested` says that the answer tested memory: the item was in review and had not been answered that study day.
    """
    db.executescript("""
        ALTER TABLE reviews ADD COLUMN interval_before INTEGER AS (json_extract(before, '$.interval'));
        ALTER TABLE reviews ADD COLUMN tested INTEGER AS (coalesce(
            json_extract(before, '$.phase') = 'review' AND study_day > json_extract(before, '$.last_day'), 0
        ));
        CREATE INDEX reviews_by_day ON reviews (study_day, rating, duration_ms, interval_before, tested);
        CREATE INDEX reviews_by_item ON reviews (item_id, study_day, rating, duration_ms, interval_before, tested);
        CREATE INDEX items_by_study ON items (study_id);
    """)
