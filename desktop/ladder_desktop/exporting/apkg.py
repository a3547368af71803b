"""Progress as an Anki package (the form Anki calls Legacy2), with scheduling, history and the FSRS preset.

A package is a zip of `collection.anki21` (an SQLite file, see anki_schema), `media` (none here) and `meta`, which
says which form it is. Anki counts days from the collection's first day, at the hour where its days begin.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path

from ladder_desktop.study import Algorithm, Mark, Memory, Review, study_day
from ladder_desktop.study.studyday import ROLLOVER

from . import anki_schema as schema
from .anki_notes import Note, notes_of
from .files import write_zip
from .progress import Exported, Progress, date_of, interval_of
from .stable import stable_id

Row = tuple[object, ...]

LEGACY_2 = b"\x08\x02"  # a protobuf message whose only field, the version, is 2

# What Anki calls type and queue. A card that is set aside keeps its type, and its queue says so.
CARD_TYPE = {"learning": 1, "review": 2, "relearning": 3}
CARD_QUEUE = {"learning": 1, "review": 2, "relearning": 1}
SUSPENDED, BURIED = -1, -3  # by a person
REVIEW_KIND = {None: 0, "learning": 0, "review": 1, "relearning": 2}  # by the phase before the answer
LONGEST_ANSWER_MS = 60_000  # Anki stops counting there


def write_apkg(path: Path, progress: Progress) -> Exported:
    """Write `progress` at `path` for File > Import of Anki; raises ExportError.

    Items whose text is not in the pack are left out with their history, since Anki has nothing to show for them.
    """
    notes = notes_of(progress.pack, progress.own)
    card_ids = _unique_ids("card", notes)
    revlog = _revlog_rows(progress.reviews, card_ids)
    collection = _collection(progress, notes, card_ids, revlog)
    write_zip(path, {"meta": LEGACY_2, "collection.anki21": collection, "media": b"{}"})
    return Exported(path, len(notes), len(revlog), len(progress.memories.keys() - card_ids.keys()))


def _collection(
    progress: Progress, notes: Sequence[Note], card_ids: Mapping[str, int], revlog: Sequence[Row]
) -> bytes:
    """Return the SQLite file."""
    note_ids = _unique_ids("note", notes)
    memories, marks = progress.memories, progress.marks
    day_0 = _first_day(progress)
    cards = []
    for position, note in enumerate(notes, start=1):
        ids = card_ids[note.guid], note_ids[note.guid]
        mark = marks.get(note.guid, Mark())
        cards.append(_card_row(ids, note, position, memories.get(note.guid), mark, progress, day_0))
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(schema.TABLES)
        _insert(database, "col", [_col_row(progress, notes, day_0)])
        _insert(database, "notes", [_note_row(note_ids[note.guid], note, progress.now) for note in notes])
        _insert(database, "cards", cards)
        _insert(database, "revlog", revlog)
        database.commit()
        return database.serialize()


def _insert(database: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    if rows:
        places = ", ".join("?" * len(rows[0]))
        database.executemany(f"INSERT INTO {table} VALUES ({places})", rows)


def _first_day(progress: Progress) -> date:
    """Day 0 of the collection: no later than any day that is written."""
    return min((progress.today, *(date_of(review.study_day) for review in progress.reviews)))


def _col_row(progress: Progress, notes: Sequence[Note], day_0: date) -> Row:
    created = datetime.combine(day_0, ROLLOVER, progress.zone)
    offset = created.utcoffset() or timedelta()
    modified = int(progress.now.timestamp())
    decks = list(dict.fromkeys(_deck_name(note) for note in notes))
    return (
        *(1, int(created.timestamp()), modified * 1000, modified * 1000, 11, 0, 0, 0),
        schema.conf(ROLLOVER.hour, offset),
        schema.models(modified),
        schema.decks(decks, modified),
        schema.presets(progress.algorithm, progress.settings.new_per_day, modified),
        "{}",
    )


def _deck_name(note: Note) -> str:
    return f"{schema.ROOT_DECK}::{note.study.title.replace('::', ':')}"


def _note_row(note_id: int, note: Note, now: datetime) -> Row:
    first = html.unescape(re.sub(r"<[^>]*>", "", note.fields[0])).strip()
    checksum = int(hashlib.sha1(first.encode(), usedforsecurity=False).hexdigest()[:8], 16)
    tags = f" {' '.join(note.tags)} "
    modified = int(now.timestamp())
    fields = "\x1f".join(note.fields)
    return (note_id, note.guid, note.note_type.id, modified, 0, tags, fields, first, checksum, 0, "")


def _card_row(
    ids: tuple[int, int],
    note: Note,
    position: int,
    memory: Memory | None,
    mark: Mark,
    progress: Progress,
    day_0: date,
) -> Row:
    card_id, note_id = ids
    head = (card_id, note_id, schema.deck_id(_deck_name(note)), 0, int(progress.now.timestamp()), 0)
    aside = SUSPENDED if mark.suspended else BURIED if mark.buried(_day_number(progress)) else None
    if memory is None:
        queue = aside or 0
        data = json.dumps({"pos": position})
        return (*head, 0, queue, position, 0, 0, 0, 0, 0, 0, 0, mark.flag, data)
    queue = aside or CARD_QUEUE[memory.phase]
    return (
        *head,
        *(CARD_TYPE[memory.phase], queue, _due(memory, day_0), _card_interval(memory)),
        *(2500, memory.reps, memory.lapses, _steps_left(memory, progress.algorithm)),
        *(0, 0, mark.flag, json.dumps({"pos": position, **_memory_data(memory, progress.algorithm)})),
    )


def _day_number(progress: Progress) -> int:
    return study_day(progress.now, progress.zone)


def _due(memory: Memory, day_0: date) -> int:
    """A review is due on a day of the collection, a step at a second since 1970."""
    if memory.due_day is not None:
        return (date_of(memory.due_day) - day_0).days
    assert memory.due_at is not None
    return memory.due_at // 1000


def _card_interval(memory: Memory) -> int:
    """A card that is relearnt keeps an interval of at least a day, for when it returns to review."""
    return 0 if memory.phase == "learning" else max(1, memory.interval)


def _steps_left(memory: Memory, algorithm: Algorithm) -> int:
    if memory.step is None:
        return 0
    steps = algorithm.learning_steps if memory.phase == "learning" else algorithm.relearning_steps
    return max(1, len(steps) - memory.step)


def _memory_data(memory: Memory, algorithm: Algorithm) -> dict[str, float]:
    return {
        "s": round(memory.stability, 4),
        "d": round(memory.difficulty, 3),
        "dr": round(algorithm.desired_retention, 2),
        "decay": round(algorithm.parameters[20], 3),
        "lrt": memory.last_at // 1000,
    }


def _revlog_rows(reviews: Sequence[Review], card_ids: Mapping[str, int]) -> list[Row]:
    """The id of a row is the time of its answer in ms; an answer in the same ms takes the next one."""
    rows: list[Row] = []
    last = 0
    for review in sorted(reviews, key=lambda review: review.answered_at):
        if review.item_id not in card_ids:
            continue
        last = max(last + 1, review.answered_at)
        rows.append(
            (
                *(last, card_ids[review.item_id], 0, int(review.rating)),
                *(_logged_interval(review.after), _logged_interval(review.before)),
                round((review.after.difficulty - 1) / 9 * 1000 + 100),
                min(review.duration_ms, LONGEST_ANSWER_MS),
                REVIEW_KIND[review.before.phase if review.before else None],
            )
        )
    return rows


def _logged_interval(memory: Memory | None) -> int:
    """Days, or seconds below zero where it is shorter than a day."""
    if memory is None:
        return 0
    interval = interval_of(memory)
    return interval.days if memory.phase == "review" else -int(interval.total_seconds())


def _unique_ids(kind: str, notes: Sequence[Note]) -> dict[str, int]:
    """A stable id by guid; two that fall on the same number (hardly ever) are set one apart."""
    ids: dict[str, int] = {}
    taken: set[int] = set()
    for note in notes:
        own = stable_id(kind, note.guid)
        while own in taken:
            own += 1
        taken.add(own)
        ids[note.guid] = own
    return ids
