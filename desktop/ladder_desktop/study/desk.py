"""The desk: everything a person can do to their progress. The review pages, exporters and command line call it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from sqlite3 import Connection
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from . import log
from .agenda import LEARN_AHEAD, Agenda, Limits
from .algorithm import Algorithm
from .clock import Clock, SystemClock
from .errors import StudyError
from .history import History
from .journal import Journal
from .marks import Marks, all_marks, is_leech, read_mark, write_mark
from .own_cards import OwnCards
from .planner import Planner
from .progress import StudyProgress, progress_of_study
from .records import (
    Answered,
    CardState,
    Counts,
    Item,
    Kind,
    Mark,
    Memory,
    Preview,
    Rating,
    Review,
    action_name,
)
from .scheduler import Scheduler, due_instant
from .settings import StudySettings, read_settings, write_settings
from .store import Store
from .studyday import moment_of, study_day, to_ms
from .words import Words

if TYPE_CHECKING:
    from .statistics import Scope, Statistics

LARGE = 10_000  # reviews; up to here statistics and a reschedule take some hundredths of a second
T = TypeVar("T")

_REGISTERED = (
    "SELECT item_id, kind, study_id, position FROM items WHERE position IS NOT NULL ORDER BY position"
)
_REGISTER = (
    "INSERT INTO items (item_id, kind, study_id, position) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE "
    "SET kind = excluded.kind, study_id = excluded.study_id, position = excluded.position"
)


class Desk:
    """A person's progress in one data folder. Not for sharing between threads; processes may share the folder.

    Nothing is kept in memory: each call reads the store, so a second window or a command line is never stale.
    """

    def __init__(self, store: Store, clock: Clock, wanted: Mapping[str, object]) -> None:
        self._store = store
        self._clock = clock
        self.journal = Journal(store)
        self.marks = Marks(store, self.journal, clock)
        self.words = Words(store, self.journal)
        self.history = History(store, self.journal)
        self.own_cards = OwnCards(store, self.journal)
        self.planner = Planner(store, self.journal, clock)
        self._scheduler: Scheduler | None = None
        with store.writing() as db:
            settings = msgspec.structs.replace(read_settings(db)[0], **wanted)
            log.ensure_algorithm(db, settings.algorithm)  # a file that may not be written says so now
            if wanted:
                write_settings(db, settings)

    @staticmethod
    def open(
        data_dir: Path,
        clock: Clock | None = None,
        algorithm: Algorithm | None = None,
        new_per_day: int | None = None,
        reviews_per_day: int | None = None,
    ) -> Desk:
        """Open `data_dir`/progress.db, creating or migrating it. What is given takes the place of a stored setting.

        StudyError, one sentence, if it is newer, damaged, another program's, in use or not writable; it is then
        left untouched.
        """
        store = Store(data_dir)
        try:
            given = {
                "algorithm": algorithm,
                "new_per_day": new_per_day,
                "reviews_per_day": reviews_per_day,
            }
            wanted = {name: value for name, value in given.items() if value is not None}
            return Desk(store, clock or SystemClock(), wanted)
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """Close the store. Nothing waits to be saved: every answer already is."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Items

    def register(self, items: Sequence[Item], kin: Mapping[str, Collection[str]] | None = None) -> None:
        """Say which items there are, over all packs, in the order in which new ones shall come.

        Items not named any more leave the queue and keep their history; named again, they come back with it.
        `kin` names the topics of an item by its id: items that share one are siblings, and are spaced out.
        """
        wanted = [(item.item_id, item.kind, item.study_id, position) for position, item in enumerate(items)]
        if len({item.item_id for item in items}) < len(wanted):
            raise StudyError(
                "Two cards or tickets of the packs have the same id; run `python -m ladder_content check`."
            )
        with self._store.writing() as db:
            if db.execute(_REGISTERED).fetchall() != wanted:
                db.execute("UPDATE items SET position = NULL")
                db.executemany(_REGISTER, wanted)
            topics = {(item.item_id, topic) for item in items for topic in (kin or {}).get(item.item_id, ())}
            if set(db.execute("SELECT item_id, topic FROM kin")) != topics:
                db.execute("DELETE FROM kin")
                db.executemany("INSERT INTO kin (item_id, topic) VALUES (?, ?)", sorted(topics))

    # The queue

    def counts(self, kind: str | None = None) -> Counts:
        """Return what is waiting now. All zero exactly when `next_item` is None."""
        with self._store.reading() as db:
            return self._agenda(db, kind).counts()

    def next_item(self, kind: str | None = None) -> Item | None:
        """Return what to study now (see agenda.py for the order), None if nothing is left."""
        with self._store.reading() as db:
            return self._agenda(db, kind).next_item()

    def next_due_at(self, kind: str | None = None) -> datetime | None:
        """Return from when, in UTC, `next_item` gives something; now if it does already, None if it never will."""
        with self._store.reading() as db:
            return self._agenda(db, kind).next_due_at()

    def progress(self, study_id: str) -> StudyProgress:
        """Return how much of a study is new, in steps, young and mature, and how much of it is due now."""
        now, zone = self._clock.now(), self._clock.zone()
        with self._store.reading() as db:
            return progress_of_study(db, study_id, to_ms(now + LEARN_AHEAD), study_day(now, zone))

    @property
    def is_large(self) -> bool:
        """Whether the log is so long that a window should have it counted beside itself (see `apart`)."""
        with self._store.reading() as db:
            return bool(db.execute("SELECT coalesce(max(seq), 0) > ? FROM reviews", (LARGE,)).fetchone()[0])

    def apart(self, read: Callable[[Desk], T]) -> Callable[[], T]:
        """Return a job that reads this folder on a desk of its own, in whatever thread it is called."""
        folder, clock = self._store.path.parent, self._clock

        def job() -> T:
            with Desk.open(folder, clock) as desk:
                return read(desk)

        return job

    def statistics(self, scope: Scope, tags: Mapping[str, Sequence[str]]) -> Statistics:
        """Return all that can be said of the log and the states; `tags` gives the tags of each item id."""
        from .statistics import gather  # numpy with it, which a window that only drills need not wait for

        today = study_day(self._clock.now(), self._clock.zone())
        with self._store.reading() as db:
            return gather(db, scope, today, read_settings(db)[0].algorithm, tags)

    # The plan

    @property
    def settings(self) -> StudySettings:
        """How the next answer will be scheduled, and the daily limits. `planner` changes them."""
        return self.planner.settings()

    # Answering

    def previews(self, item_id: str) -> dict[Rating, Preview]:
        """Return what each rating would do if given now. Answered on the same study day, the interval is that."""
        zone = self._clock.zone()
        moment = moment_of(self._clock.now(), zone)
        with self._store.reading() as db:
            scheduler, _ = self._in_force(db)
            return scheduler.preview(item_id, self._memory(db, item_id), moment, zone)

    def answer(
        self, item_id: str, rating: Rating, duration: timedelta, detail: dict[str, object] | None = None
    ) -> Answered:
        """Log an answer, move the item on and remember how to undo it, in one transaction.

        A card forgotten for the eighth time is a leech: it is suspended. `duration` is the time from question to
        rating; `detail` must be JSON. StudyError if the item was never registered or the store cannot be written; then nothing changed.
        """
        zone = self._clock.zone()
        moment = moment_of(self._clock.now(), zone)
        label = action_name(f"{rating.name.capitalize()} on", item_id)
        with self.journal.action(label, item_id) as db:
            before = self._memory(db, item_id)
            scheduler, algorithm_id = self._in_force(db)
            after = scheduler.answer(item_id, before, rating, moment)
            review = Review(
                review_id=str(uuid.uuid4()),
                item_id=item_id,
                rating=rating,
                answered_at=moment.at,
                study_day=moment.study_day,
                utc_offset=moment.utc_offset,
                local_date=moment.local_date,
                duration_ms=max(0, duration // timedelta(milliseconds=1)),
                before=before,
                after=after,
                detail=detail,
                algorithm=scheduler.algorithm,
            )
            log.append(db, review, algorithm_id)
            log.write_memory(db, item_id, after)
            lapsed = before is not None and after.lapses > before.lapses
            leech = lapsed and is_leech(after.lapses) and _suspend_leech(db, item_id)
        return Answered(item_id, rating, due_instant(after, zone), review.review_id, after.phase, leech)

    def more_today(self, kind: Kind, new: int = 0, reviews: int = 0) -> None:
        """Raise today's limits for cards or for tickets."""
        if not new and not reviews:
            return
        today = study_day(self._clock.now(), self._clock.zone())
        plural = "" if new + reviews == 1 else "s"
        label = f"{new + reviews} more {'new ' if new else ''}{kind}{plural} today"
        with self.journal.action(label) as db:
            db.execute(
                "INSERT INTO extras VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE "
                "SET new = new + excluded.new, reviews = reviews + excluded.reviews",
                (today, kind, new, reviews),
            )

    # Undo and redo

    def undo(self) -> str | None:
        """Take back the newest action, whatever it was: "Undid Good on hub-prefill-bound". None if there is none.

        Every row gets back what it held, to the last bit, in one transaction. The actions outlive the program.
        """
        action = self.journal.undo()
        return None if action is None else f"Undid {action.label}"

    def undo_label(self) -> str | None:
        """Return what `undo` would take back: "Good on hub-prefill-bound"."""
        action = self.journal.last()
        return None if action is None else action.label

    def undo_item_id(self) -> str | None:
        """Return the one item that `undo` is about, so that a page can show it again."""
        action = self.journal.last()
        return None if action is None else action.item_id

    def redo(self) -> str | None:
        """Do again what was undone last: "Redid Good on hub-prefill-bound". None if there is none."""
        action = self.journal.redo()
        return None if action is None else f"Redid {action.label}"

    def redo_label(self) -> str | None:
        """Return what `redo` would do again; nothing once something else was done."""
        action = self.journal.next()
        return None if action is None else action.label

    # The whole of it

    def memory(self, item_id: str) -> Memory | None:
        """Return what is remembered of one item, None while it is new; StudyError if it was never registered."""
        with self._store.reading() as db:
            return self._memory(db, item_id)

    def states(self) -> list[CardState]:
        """Return every item ever registered: those of the packs in their order, then those that left, by id."""
        with self._store.reading() as db:
            memories = log.all_memories(db)
            marks = all_marks(db)
            rows = db.execute(
                "SELECT item_id, kind, study_id FROM items ORDER BY position IS NULL, position, item_id"
            )
            return [CardState(Item(*row), memories.get(row[0]), marks.get(row[0], Mark())) for row in rows]

    def _agenda(self, db: Connection, kind: str | None) -> Agenda:
        settings, _ = read_settings(db)
        limits = Limits(settings.new_per_day, settings.reviews_per_day)
        return Agenda(db, self._clock.now(), self._clock.zone(), limits, kind)

    def _in_force(self, db: Connection) -> tuple[Scheduler, int]:
        """Return what schedules now, and the number of its algorithm."""
        settings, number = read_settings(db)
        if self._scheduler is None or settings.algorithm != self._scheduler.algorithm:
            self._scheduler = Scheduler(settings.algorithm)
        return self._scheduler, number

    def _memory(self, db: Connection, item_id: str) -> Memory | None:
        memory = log.read_memory(db, item_id)
        if memory is None and not db.execute("SELECT 1 FROM items WHERE item_id = ?", (item_id,)).fetchone():
            raise StudyError(f"{item_id} is in no pack that is loaded; load its pack and try again.")
        return memory


def _suspend_leech(db: Connection, item_id: str) -> bool:
    """Suspend a card that is forgotten again and again. A ticket is not: one comes back to it by choice."""
    kind = db.execute("SELECT kind FROM items WHERE item_id = ?", (item_id,)).fetchone()[0]
    if kind == "card":
        write_mark(db, item_id, msgspec.structs.replace(read_mark(db, item_id), suspended=True, leech=True))
    return bool(kind == "card")
