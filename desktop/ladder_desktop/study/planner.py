"""Changing how a person is scheduled: settings, a reschedule of what is learned, days away. Each is one undo step."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from sqlite3 import Connection
from typing import TYPE_CHECKING

import msgspec

from . import adjustments
from .adjustment import Adjustment, Change, Reason, Timing, retimed, timing_of
from .algorithm import Algorithm
from .clock import Clock
from .journal import Journal
from .log import all_memories
from .records import Memory
from .settings import StudySettings, read_settings, write_settings
from .store import Store
from .studyday import Moment, moment_of, study_day

if TYPE_CHECKING:
    from .away import AwayPlan
    from .histories import Histories

SHOWN_DAYS = 30

_IN_QUEUE = """
    SELECT item_id FROM items LEFT JOIN marks USING (item_id) WHERE position IS NOT NULL AND suspended IS NOT 1
"""
_ANSWERS = "SELECT item_id, rating, study_day FROM reviews ORDER BY seq"


class Shift(msgspec.Struct, frozen=True):
    """What a reschedule would do: how many items come sooner and later, and the reviews of each day from today on.

    Today's also hold what is overdue.
    """

    sooner: int
    later: int
    before: tuple[int, ...]
    after: tuple[int, ...]


class Planner:
    """Reads and changes the plan. Each call that writes is one action that can be undone."""

    def __init__(self, store: Store, journal: Journal, clock: Clock) -> None:
        self._store = store
        self._journal = journal
        self._clock = clock

    def settings(self) -> StudySettings:
        """Return how the next answer will be scheduled."""
        with self._store.reading() as db:
            return read_settings(db)[0]

    def change(self, settings: StudySettings, reschedule: bool = False) -> int:
        """Take over settings, and on demand move all that is learned as if they had always held.

        Returns how many items moved. Nothing is stored, and there is nothing to undo, if nothing changes. What would
        move is reckoned before the store is held: others answer meanwhile, and it is then reckoned anew.
        """
        if not reschedule:
            with self._journal.action("Change of settings") as db:
                _take_over(db, settings)
            return 0
        with self._store.reading() as db:
            known = all_memories(db)
            changes = self._rescheduled(db, known, settings.algorithm)
        with self._journal.action("Reschedule") as db:
            _take_over(db, settings)
            if (memories := all_memories(db)) != known:
                changes = self._rescheduled(db, memories, settings.algorithm)
            return self._adjust(db, "reschedule", changes)

    def preview(self, settings: StudySettings) -> Shift:
        """Return what `change` would do with a reschedule."""
        with self._store.reading() as db:
            memories = all_memories(db)
            changes = self._rescheduled(db, memories, settings.algorithm)
            shown = {row[0] for row in db.execute(_IN_QUEUE)}
        moved = {change.item_id: retimed(memories[change.item_id], change.after) for change in changes}
        pairs = [
            (memories[item_id], memory) for item_id, memory in moved.items() if memory.due_day is not None
        ]
        return Shift(
            sooner=sum(after.interval < before.interval for before, after in pairs),
            later=sum(after.interval > before.interval for before, after in pairs),
            before=self._load(memory for item_id, memory in memories.items() if item_id in shown),
            after=self._load(
                moved.get(item_id, memory) for item_id, memory in memories.items() if item_id in shown
            ),
        )

    def plan_away(self, first: int, last: int) -> AwayPlan:
        """Return what to move for study days away; StudyError says why the days make no sense."""
        from .away import plan_away

        with self._store.reading() as db:
            settings, _ = read_settings(db)
            memories = all_memories(db)
            shown = {row[0] for row in db.execute(_IN_QUEUE)}
        queue = {item_id: memory for item_id, memory in memories.items() if item_id in shown}
        limit = max(1, settings.reviews_per_day)
        return plan_away(queue, settings.algorithm.parameters, self.today(), (first, last), limit)

    def apply_away(self, plan: AwayPlan) -> int:
        """Move what a plan says, leaving out what was answered since it was made; return how many items moved."""
        with self._journal.action("Days away") as db:
            memories = all_memories(db)
            changes = []
            for move in plan.moves:
                memory = memories.get(move.item_id)
                if (
                    memory is None
                    or memory.due_day is None
                    or max(memory.due_day, self.today()) != move.from_day
                ):
                    continue
                before = timing_of(memory)
                after = Timing(before.stability, before.difficulty, move.to_day - memory.last_day)
                changes.append(Change(move.item_id, before, after))
            return self._adjust(db, "away", tuple(changes))

    def histories(self) -> Histories:
        """Return every answer of the log, item by item."""
        with self._store.reading() as db:
            return _histories(db)

    def _rescheduled(
        self, db: Connection, memories: Mapping[str, Memory], algorithm: Algorithm
    ) -> tuple[Change, ...]:
        from .rescheduling import changes

        return changes(_histories(db), memories, algorithm)

    def _adjust(self, db: Connection, reason: Reason, changes: tuple[Change, ...]) -> int:
        if not changes:
            return 0
        moment: Moment = moment_of(self._clock.now(), self._clock.zone())
        adjustments.apply(
            db,
            Adjustment(
                adjustment_id=str(uuid.uuid4()),
                after_review=adjustments.newest_review(db),
                reason=reason,
                made_at=moment.at,
                study_day=moment.study_day,
                utc_offset=moment.utc_offset,
                local_date=moment.local_date,
                algorithm=read_settings(db)[0].algorithm,
                changes=changes,
            ),
        )
        return len(changes)

    def _load(self, memories: Iterable[Memory]) -> tuple[int, ...]:
        today = self.today()
        load = [0] * SHOWN_DAYS
        for memory in memories:
            if memory.due_day is not None and memory.due_day < today + SHOWN_DAYS:
                load[max(0, memory.due_day - today)] += 1
        return tuple(load)

    def today(self) -> int:
        """Return the study day of now."""
        return study_day(self._clock.now(), self._clock.zone())


def _take_over(db: Connection, settings: StudySettings) -> None:
    if read_settings(db)[0] != settings:
        write_settings(db, settings)


def _histories(db: Connection) -> Histories:
    from .histories import gather_histories  # numpy with it

    return gather_histories(db.execute(_ANSWERS))
