"""The log of a person as a whole: what they answered, the states it leads to, and taking it to another profile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import adjustments, belongings, log
from .adjustment import Adjustment
from .belongings import Belongings
from .errors import StudyError
from .interview import Interview, all_interviews
from .journal import Journal
from .records import Item, Memory, Review
from .replay import replay
from .store import Store

NOTHING_OWN = Belongings()


class History:
    """Reads the log, and takes another one in. The log is the truth: card states can be rebuilt from it."""

    def __init__(self, store: Store, journal: Journal) -> None:
        self._store = store
        self._journal = journal

    def reviews(self) -> list[Review]:
        """Return the log, oldest first. Undone answers are not in it."""
        with self._store.reading() as db:
            return log.all_reviews(db)

    def adjustments(self) -> list[Adjustment]:
        """Return what moved items beside the answers, oldest first; it belongs to the log."""
        with self._store.reading() as db:
            return adjustments.all_adjustments(db)

    def reviews_of(self, item_id: str) -> list[Review]:
        """Return the reviews of one item, oldest first."""
        with self._store.reading() as db:
            return log.reviews_of(db, item_id)

    def everything(self) -> tuple[tuple[Item, ...], dict[str, Memory], tuple[Review, ...], Belongings]:
        """Return all items, what is remembered of them, the log and what is the person's own, as of one moment."""
        with self._store.reading() as db:
            rows = db.execute(
                "SELECT item_id, kind, study_id FROM items ORDER BY position IS NULL, position, item_id"
            )
            items = tuple(Item(*row) for row in rows.fetchall())
            return items, log.all_memories(db), tuple(log.all_reviews(db)), belongings.read(db)

    def belongings(self) -> Belongings:
        """Return all that is the person's own, for a file that carries it to another profile."""
        with self._store.reading() as db:
            return belongings.read(db)

    def insert_reviews(
        self, reviews: Sequence[Review], items: Iterable[Item], own: Belongings = NOTHING_OWN
    ) -> None:
        """Take another profile's log and belongings into this empty one; the card states come out identical.

        `items` are those the log speaks of; those not registered here wait outside the queue until a pack brings
        them. It is one action that can be undone. StudyError, and nothing changed, if there is progress here already
        or the log does not lead to the states it records.
        """
        known = {item.item_id: item for item in items}
        states = belongings.checked(reviews, known, own)
        count = f"{len(reviews)} review{'' if len(reviews) == 1 else 's'}"
        with self._journal.action(f"Import of {count}") as db:
            if not belongings.is_empty(db):
                raise StudyError(
                    f"{self._store.path} holds reviews already; import into an empty folder with --data."
                )
            belongings.write(db, reviews, states, known, own)

    def rebuild_mismatches(self) -> list[str]:
        """Replay the log and compare with what is stored; one sentence a difference, [] when all is right."""
        with self._store.reading() as db:
            states, faults = replay(log.all_reviews(db), adjustments.all_adjustments(db))
            stored = log.all_memories(db)
        return faults + [
            f"{item_id} is stored in another state than its reviews lead to"
            for item_id in sorted(states.keys() | stored.keys())
            if states.get(item_id) != stored.get(item_id)
        ]

    def rebuild(self) -> None:
        """Replace all stored states by what the log leads to."""
        with self._store.writing() as db:
            states, _ = replay(log.all_reviews(db), adjustments.all_adjustments(db))
            db.execute("DELETE FROM cards")
            for item_id, memory in states.items():
                log.write_memory(db, item_id, memory)

    def interviews(self) -> list[Interview]:
        """Return the mock interviews of the log, newest first."""
        with self._store.reading() as db:
            return all_interviews(db)
