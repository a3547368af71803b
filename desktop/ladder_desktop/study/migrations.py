"""The tables of progress.db, as numbered steps from nothing to now. A step that was released never changes."""

from __future__ import annotations

import msgspec
from sqlite_utils import Database, Migrations

from .records import Rating, action_name

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
def m002_marks_own_words_and_actions(db: Database) -> None:
    """Cards can be set aside, flagged, annotated and reworded, and whatever was done can be undone and redone.

    kin says which items share a topic, so that two of them do not come one after the other. actions and changes
    take the place of undo: a change is what a row was before the action, or after it once that is undone.
    """
    db.executescript("""
        CREATE TABLE kin (
            item_id TEXT NOT NULL REFERENCES items (item_id),
            topic   TEXT NOT NULL,
            PRIMARY KEY (item_id, topic)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE marks (
            item_id    TEXT PRIMARY KEY REFERENCES items (item_id),
            suspended  INTEGER NOT NULL CHECK (suspended IN (0, 1)),
            leech      INTEGER NOT NULL CHECK (leech IN (0, 1)),
            flag       INTEGER NOT NULL CHECK (flag BETWEEN 0 AND 4),
            buried_day INTEGER          -- the study day on which the item was set aside until the next
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE extras (           -- what a person wanted on one day beyond its limits
            study_day INTEGER NOT NULL,
            kind      TEXT NOT NULL CHECK (kind IN ('card', 'ticket')),
            new       INTEGER NOT NULL CHECK (new >= 0),
            reviews   INTEGER NOT NULL CHECK (reviews >= 0),
            PRIMARY KEY (study_day, kind)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE notes (
            item_id TEXT PRIMARY KEY REFERENCES items (item_id),
            text    TEXT NOT NULL CHECK (text <> '')
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE edits (            -- a person's own wording, over what the pack says
            item_id  TEXT NOT NULL REFERENCES items (item_id),
            field    TEXT NOT NULL,
            own      TEXT NOT NULL,
            original TEXT NOT NULL,     -- what the pack said when it was reworded
            PRIMARY KEY (item_id, field)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE actions (
            action_id INTEGER PRIMARY KEY,
            label     TEXT NOT NULL,
            item_id   TEXT,             -- the one item it was about, if it was about one
            undone    INTEGER NOT NULL DEFAULT 0 CHECK (undone IN (0, 1))
        ) STRICT;
        CREATE INDEX actions_undone ON actions (action_id) WHERE undone = 1;

        CREATE TABLE changes (
            action_id INTEGER NOT NULL REFERENCES actions (action_id) ON DELETE CASCADE,
            step      INTEGER NOT NULL,
            name      TEXT NOT NULL,    -- the table
            key       TEXT NOT NULL,    -- JSON of its key columns
            before    TEXT,             -- JSON of the row; NULL: there was none
            PRIMARY KEY (action_id, step)
        ) STRICT, WITHOUT ROWID;

        DROP INDEX reviews_introduced;

        -- Whether an item was ever answered, kept beside it so that new ones are found without asking for all.
        ALTER TABLE items ADD COLUMN seen INTEGER NOT NULL DEFAULT 0 CHECK (seen IN (0, 1));
        UPDATE items SET seen = 1 WHERE item_id IN (SELECT item_id FROM cards);
        CREATE INDEX items_new ON items (position) WHERE seen = 0;
        CREATE INDEX items_kind ON items (kind);
    """)
    db.execute("""
        CREATE TRIGGER cards_seen AFTER INSERT ON cards
        BEGIN UPDATE items SET seen = 1 WHERE item_id = NEW.item_id; END""")
    db.execute("""
        CREATE TRIGGER cards_unseen AFTER DELETE ON cards
        BEGIN UPDATE items SET seen = 0 WHERE item_id = OLD.item_id; END""")
    answers = db.execute(
        "SELECT step, seq, item_id, rating, before FROM undo JOIN reviews USING (seq) ORDER BY step"
    ).fetchall()
    for step, seq, item_id, rating, before in answers:
        key = {"item_id": item_id}
        memory = None if before is None else _json({**key, **msgspec.json.decode(before)})
        db.execute(
            "INSERT INTO actions (action_id, label, item_id) VALUES (?, ?, ?)",
            (step, action_name(Rating(rating).name.capitalize() + " on", item_id), item_id),
        )
        db.execute("INSERT INTO changes VALUES (?, 1, 'reviews', ?, NULL)", (step, _json({"seq": seq})))
        db.execute("INSERT INTO changes VALUES (?, 2, 'cards', ?, ?)", (step, _json(key), memory))
    db.execute("DROP TABLE undo")


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


@migrations()
def m004_settings_and_adjustments(db: Database) -> None:
    """Settings live in the file, and the log holds what a reschedule or days away moved, after the review `after_seq`."""
    db.executescript("""
        CREATE TABLE settings (
            only         INTEGER PRIMARY KEY CHECK (only = 1),
            value        TEXT NOT NULL,         -- JSON of StudySettings
            algorithm_id INTEGER NOT NULL REFERENCES algorithms (algorithm_id)
        ) STRICT;

        CREATE TABLE adjustments (
            number        INTEGER PRIMARY KEY,  -- the order of those that follow the same review
            adjustment_id TEXT NOT NULL UNIQUE,
            after_seq     INTEGER REFERENCES reviews (seq),
            reason        TEXT NOT NULL,
            made_at       INTEGER NOT NULL,
            study_day     INTEGER NOT NULL,
            utc_offset    INTEGER NOT NULL,
            local_date    TEXT NOT NULL,
            changes       TEXT NOT NULL,        -- JSON: each item with its timing before and after
            algorithm_id  INTEGER NOT NULL REFERENCES algorithms (algorithm_id)
        ) STRICT;

        DROP INDEX reviews_by_day;  -- with the item at its end it answers for a period without the whole log
        CREATE INDEX reviews_by_day ON reviews (study_day, rating, duration_ms, interval_before, tested, item_id);
    """)


@migrations()
def m005_own_cards(db: Database) -> None:
    """Cards that a person has made, beside those of the packs."""
    db.executescript("""
        CREATE TABLE own_cards (
            item_id  TEXT PRIMARY KEY REFERENCES items (item_id),
            study_id TEXT NOT NULL,
            card     TEXT NOT NULL      -- JSON of ladder_content's Card
        ) STRICT, WITHOUT ROWID;
    """)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
