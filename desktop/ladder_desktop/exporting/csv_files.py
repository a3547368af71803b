"""Progress as two tables, `cards.csv` and `reviews.csv`, for spreadsheets and notebooks.

They travel in one zip: two files cannot be replaced in one stroke, one can, and one file is what a dialog saves and
an e-mail carries. UTF-8 with a byte order mark, because spreadsheets guess wrong without one; otherwise RFC 4180.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta, timezone, tzinfo
from pathlib import Path

from ladder_desktop.study import FLAGS, Mark, Memory, due_instant, study_day
from ladder_desktop.study.studyday import from_ms

from .card_text import question as question_of
from .files import write_zip
from .progress import Exported, Progress, date_of, interval_of

Cell = str | int | float | None

CARD_COLUMNS = (
    *("item_id", "kind", "study_id", "question", "tags", "state", "due", "due_day", "interval_days"),
    *("stability_days", "difficulty", "reps", "lapses", "last_review"),
    *("suspended", "buried", "leech", "flag", "own_words", "note"),
)
REVIEW_COLUMNS = (
    *("review_id", "item_id", "rating", "rating_name", "reviewed_at", "study_day", "duration_seconds"),
    *("state_before", "state_after", "interval_before_days", "interval_days", "stability_days", "difficulty"),
)

FORMULA_STARTS = tuple("=+-@＝＋－＠")  # the wide forms count where spreadsheets fold them


def write_csv(path: Path, progress: Progress) -> Exported:
    """Write a zip of `cards.csv` and `reviews.csv` at `path`; raises ExportError.

    Times are ISO 8601 with the offset that held for this person then; intervals are days and fractions of days.
    """
    members = {
        "cards.csv": csv_table(CARD_COLUMNS, _card_rows(progress)),
        "reviews.csv": csv_table(REVIEW_COLUMNS, _review_rows(progress)),
    }
    write_zip(path, members)
    return Exported(path, len(progress.items), len(progress.reviews))


def _card_rows(progress: Progress) -> Iterator[Sequence[Cell]]:
    texts: dict[str, tuple[str, tuple[str, ...]]] = {}
    for study in progress.pack.studies:
        texts |= {f"{progress.pack.id}/{card.id}": (question_of(card), card.tags) for card in study.cards}
        texts |= {f"{progress.pack.id}/{ticket.id}": (ticket.title, ticket.tags) for ticket in study.tickets}
    memories, marks, notes = progress.memories, progress.marks, progress.notes
    reworded = {edit.item_id for edit in progress.own.edits}
    today = study_day(progress.now, progress.zone)
    for item in progress.items:
        question, tags = texts.get(item.item_id, ("", ()))
        memory = memories.get(item.item_id)
        yield (
            *(item.item_id, item.kind, item.study_id, question, ", ".join(tags)),
            *(_memory_cells(memory, progress.zone) if memory else ("new", *[None] * 8)),
            *_mark_cells(marks.get(item.item_id, Mark()), today),
            *(int(item.item_id in reworded), notes.get(item.item_id, "")),
        )


def _mark_cells(mark: Mark, today: int) -> Sequence[Cell]:
    flag = FLAGS[mark.flag] if mark.flag else ""
    return int(mark.suspended), int(mark.buried(today)), int(mark.leech), flag


def _memory_cells(memory: Memory, zone: tzinfo) -> Sequence[Cell]:
    return (
        memory.phase,
        *_due_cells(memory, zone),
        *(_days(memory), _rounded(memory.stability), _rounded(memory.difficulty)),
        *(memory.reps, memory.lapses, _instant(memory.last_at, zone)),
    )


def _due_cells(memory: Memory, zone: tzinfo) -> tuple[Cell, Cell]:
    """The instant an item falls due, and the study day that this is."""
    due = due_instant(memory, zone)
    day = study_day(due, zone) if memory.due_day is None else memory.due_day
    return due.astimezone(zone).isoformat(timespec="seconds"), date_of(day).isoformat()


def _review_rows(progress: Progress) -> Iterator[Sequence[Cell]]:
    for review in progress.reviews:
        yield (
            *(review.review_id, review.item_id, int(review.rating), review.rating.name.capitalize()),
            _instant(review.answered_at, timezone(timedelta(seconds=review.utc_offset))),
            date_of(review.study_day).isoformat(),
            review.duration_ms / 1000,
            *(review.before.phase if review.before else "new", review.after.phase),
            *(_days(review.before), _days(review.after)),
            *(_rounded(review.after.stability), _rounded(review.after.difficulty)),
        )


def csv_table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """Return a table as a spreadsheet reads it without harm."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def _harmless(cell: Cell) -> Cell:
    """A spreadsheet takes a text that begins like a formula for one; an apostrophe before it keeps it a text."""
    if isinstance(cell, str) and cell.lstrip().startswith(FORMULA_STARTS):
        return f"'{cell}"
    return cell


def _days(memory: Memory | None) -> float | None:
    return _rounded(interval_of(memory) / timedelta(days=1)) if memory else None


def _instant(at_ms: int, zone: tzinfo) -> str:
    return from_ms(at_ms).astimezone(zone).isoformat(timespec="seconds")


def _rounded(number: float) -> float:
    return round(number, 6)
