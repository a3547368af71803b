"""What a person owns besides the log, and how all of it comes into another profile. Functions over an open database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sqlite3 import Connection

import msgspec

from . import log
from .adjustment import Adjustment
from .adjustments import all_adjustments, append_adjustment
from .errors import StudyError
from .marks import all_marks, write_mark
from .own_cards import OwnCard, all_own_cards, fault_in_card, insert_own_cards
from .records import Item, Mark, Memory, Review
from .replay import replay
from .settings import StudySettings, read_settings, write_settings
from .words import Edit, Note, all_edits, all_notes, insert_edits, insert_notes

LAST_DAY = 1_000_000  # a study day in the year 4707; no clock shows a later one


class Marked(msgspec.Struct, frozen=True):
    """The marks of one item, as a line of a file."""

    item_id: str
    mark: Mark


class Belongings(msgspec.Struct, frozen=True):
    """Marks, notes, own wording and own cards, each by item; what moved items beside the answers; how they are scheduled."""

    marks: tuple[Marked, ...] = ()
    notes: tuple[Note, ...] = ()
    edits: tuple[Edit, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    settings: StudySettings | None = None
    cards: tuple[OwnCard, ...] = ()


def read(db: Connection) -> Belongings:
    """Return all there is."""
    marks = tuple(Marked(item_id, mark) for item_id, mark in sorted(all_marks(db).items()))
    return Belongings(
        marks,
        tuple(all_notes(db)),
        tuple(all_edits(db)),
        tuple(all_adjustments(db)),
        read_settings(db)[0],
        tuple(all_own_cards(db)),
    )


def is_empty(db: Connection) -> bool:
    """Say whether nobody has studied here yet, nor marked, noted, reworded or made anything."""
    tables = ("reviews", "marks", "notes", "edits", "own_cards")
    return not any(db.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone()[0] for table in tables)


def checked(reviews: Sequence[Review], known: Mapping[str, Item], own: Belongings) -> dict[str, Memory]:
    """Return the states to which a log leads; StudyError if it, or what comes with it, cannot be."""
    states, faults = replay(reviews, own.adjustments)
    if strangers := states.keys() - known.keys():
        faults.append(f"{min(strangers)} is reviewed but not described")
    if len({review.review_id for review in reviews}) < len(reviews):
        faults.append("a review comes twice")
    if faults:
        raise StudyError(f"The reviews cannot be taken in: {faults[0]}.")
    for what, keys in (
        ("marks", [marked.item_id for marked in own.marks]),
        ("notes", [note.item_id for note in own.notes]),
        ("edits", [(edit.item_id, edit.field) for edit in own.edits]),
        ("own cards", [card.item_id for card in own.cards]),
    ):
        if len(set(keys)) < len(keys):
            raise StudyError(f"The {what} cannot be taken in: one of them comes twice.")
    belongings: list[Marked | Note | Edit | OwnCard] = [*own.marks, *own.notes, *own.edits, *own.cards]
    items = {each.item_id for each in belongings}
    if strangers := items - known.keys():
        raise StudyError(f"The marks cannot be taken in: {min(strangers)} is marked but not described.")
    if not all(note.text for note in own.notes) or not all(_can_be(marked.mark) for marked in own.marks):
        raise StudyError(
            "The marks cannot be taken in: a note is empty, or a flag or a day is none there is."
        )
    if fault := next(filter(None, map(fault_in_card, own.cards)), ""):
        raise StudyError(f"The own cards cannot be taken in: {fault}.")
    return states


def write(
    db: Connection,
    reviews: Sequence[Review],
    states: Mapping[str, Memory],
    known: Mapping[str, Item],
    own: Belongings,
) -> None:
    """Store what was checked in a profile that is empty."""
    rows = [(item.item_id, item.kind, item.study_id) for item in known.values()]
    db.executemany("INSERT OR IGNORE INTO items (item_id, kind, study_id) VALUES (?, ?, ?)", rows)
    for review in reviews:
        log.append(db, review, log.ensure_algorithm(db, review.algorithm))
    for adjustment in own.adjustments:
        append_adjustment(db, adjustment)
    if own.settings is not None:
        write_settings(db, own.settings)
    for item_id, memory in states.items():
        log.write_memory(db, item_id, memory)
    for marked in own.marks:
        write_mark(db, marked.item_id, marked.mark)
    insert_notes(db, own.notes)
    insert_edits(db, own.edits)
    insert_own_cards(db, own.cards)


def _can_be(mark: Mark) -> bool:
    return 0 <= mark.flag <= 4 and (mark.buried_day is None or 0 <= mark.buried_day < LAST_DAY)
