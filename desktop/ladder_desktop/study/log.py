"""The log of reviews and the card states it leads to: reading and writing. Functions over an open database."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from sqlite3 import Connection
from typing import Any

import msgspec

from .algorithm import Algorithm
from .records import Memory, Rating, Review

_MEMORY = Memory.__struct_fields__
_REVIEW = (
    "review_id, item_id, rating, answered_at, study_day, utc_offset, local_date, duration_ms, "
    "before, after, detail, algorithm_id"
)
_READ_MEMORY = f"SELECT item_id, {', '.join(_MEMORY)} FROM cards"
_WRITE_MEMORY = (
    f"INSERT INTO cards (item_id, {', '.join(_MEMORY)}) VALUES (?{', ?' * len(_MEMORY)}) "
    f"ON CONFLICT DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _MEMORY)}"
)  # not OR REPLACE: that would hide from the journal what stood there
_values = attrgetter(*_MEMORY)
_decode_memory = msgspec.json.Decoder(Memory).decode


def read_memory(db: Connection, item_id: str) -> Memory | None:
    """Return what is stored of an item, None while it is new."""
    row = db.execute(f"{_READ_MEMORY} WHERE item_id = ?", (item_id,)).fetchone()
    return None if row is None else Memory(*row[1:])


def write_memory(db: Connection, item_id: str, memory: Memory | None) -> None:
    """Store what is known of an item; None makes it new again."""
    if memory is None:
        db.execute("DELETE FROM cards WHERE item_id = ?", (item_id,))
    else:
        db.execute(_WRITE_MEMORY, (item_id, *_values(memory)))


def all_memories(db: Connection) -> dict[str, Memory]:
    """Return what is stored of every item that is not new."""
    return {row[0]: Memory(*row[1:]) for row in db.execute(_READ_MEMORY)}


def ensure_algorithm(db: Connection, algorithm: Algorithm) -> int:
    """Return the number under which an algorithm is stored, storing it first if it is new."""
    settings = _json(algorithm)
    db.execute("INSERT OR IGNORE INTO algorithms (settings) VALUES (?)", (settings,))
    found = db.execute("SELECT algorithm_id FROM algorithms WHERE settings = ?", (settings,))
    return int(found.fetchone()[0])


def read_algorithms(db: Connection) -> dict[int, Algorithm]:
    """Return every algorithm that ever scheduled, by its number."""
    return {
        number: msgspec.json.decode(settings, type=Algorithm)
        for number, settings in db.execute("SELECT algorithm_id, settings FROM algorithms")
    }


def append(db: Connection, review: Review, algorithm_id: int) -> int:
    """Add a review at the end of the log and return its place there."""
    cursor = db.execute(
        f"INSERT INTO reviews ({_REVIEW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            review.review_id,
            review.item_id,
            int(review.rating),
            review.answered_at,
            review.study_day,
            review.utc_offset,
            review.local_date,
            review.duration_ms,
            None if review.before is None else _json(review.before),
            _json(review.after),
            None if review.detail is None else _json(review.detail),
            algorithm_id,
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def all_reviews(db: Connection) -> list[Review]:
    """Return the log, oldest first."""
    algorithms = read_algorithms(db)
    return [_review(row, algorithms) for row in db.execute(f"SELECT {_REVIEW} FROM reviews ORDER BY seq")]


def reviews_of(db: Connection, item_id: str) -> list[Review]:
    """Return the reviews of one item, oldest first."""
    algorithms = read_algorithms(db)
    rows = db.execute(f"SELECT {_REVIEW} FROM reviews WHERE item_id = ? ORDER BY seq", (item_id,))
    return [_review(row, algorithms) for row in rows]


def reviews_where(db: Connection, condition: str) -> list[Review]:
    """Return the reviews for which a condition in SQL holds, oldest first."""
    algorithms = read_algorithms(db)
    rows = db.execute(f"SELECT {_REVIEW} FROM reviews WHERE {condition} ORDER BY seq")
    return [_review(row, algorithms) for row in rows]


def _review(row: Sequence[Any], algorithms: dict[int, Algorithm]) -> Review:
    review_id, item_id, rating, answered_at, study_day, utc_offset, local_date, duration_ms, *rest = row
    before, after, detail, number = rest
    return Review(
        review_id=review_id,
        item_id=item_id,
        rating=Rating(rating),
        answered_at=answered_at,
        study_day=study_day,
        utc_offset=utc_offset,
        local_date=local_date,
        duration_ms=duration_ms,
        before=None if before is None else _decode_memory(before),
        after=_decode_memory(after),
        detail=None if detail is None else msgspec.json.decode(detail),
        algorithm=algorithms[number],
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
