"""Hypothesis drives a desk through answers, undo, restarts, jumps of the clock and flights, beside a simple model."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from ladder_desktop.study import Algorithm, Counts, Desk, Item, Memory, Rating, day_start, study_day
from ladder_desktop.study.scheduler import Scheduler
from ladder_desktop.study.studyday import Moment, to_ms

from .conftest import TravelClock

ALL = [Item(f"pack/{number}", "ticket" if number % 3 == 2 else "card", "hub") for number in range(9)]
NEW_PER_DAY = 3
AHEAD = 20 * 60 * 1000
KINDS = (None, "card", "ticket")
ZONES = [
    ZoneInfo(name) for name in ("UTC", "Europe/Paris", "America/New_York", "Pacific/Auckland", "Asia/Kolkata")
]
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # nothing here asks whether a disk keeps its word
ratings = st.sampled_from(list(Rating))
picks = st.integers(min_value=0, max_value=100)


class Study(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="study-", dir=MEMORY))
        self.clock = TravelClock(datetime(2026, 10, 23, 20, tzinfo=UTC), ZONES[1])
        self.desk = Desk.open(self.folder, self.clock, new_per_day=NEW_PER_DAY)
        self.pack: list[Item] = []
        self.known: set[str] = set()
        self.before: list[
            tuple[list[object], str]
        ] = []  # for each answer: all tables before it, what undo says

    @rule(first=st.integers(min_value=0, max_value=4), last=st.integers(min_value=4, max_value=9))
    def register(self, first: int, last: int) -> None:
        self.pack = ALL[first:last]
        self.known |= {item.item_id for item in self.pack}
        self.desk.register(self.pack)

    @precondition(lambda self: self.desk.next_item() is not None)
    @rule(rating=ratings)
    def answer_the_next(self, rating: Rating) -> None:
        item = self.desk.next_item()
        assert item
        self.answer(item.item_id, rating)

    @precondition(lambda self: self.known)
    @rule(pick=picks, rating=ratings)
    def answer_any(self, pick: int, rating: Rating) -> None:
        names = sorted(self.known)
        self.answer(names[pick % len(names)], rating)

    def answer(self, item_id: str, rating: Rating) -> None:
        self.before.append((self.tables(), f"{rating.name.capitalize()} on {item_id.removeprefix('pack/')}"))
        preview = self.desk.previews(item_id)[rating]
        answered = self.desk.answer(item_id, rating, timedelta(seconds=3), {"picked": item_id})
        memory = self.memories()[item_id]
        assert (answered.rating, answered.due) == (preview.rating, preview.due)
        assert answered.state_name == memory.phase
        assert preview.interval == timedelta(days=memory.interval) or memory.phase != "review"

    @rule()
    def undo(self) -> None:
        if not self.before:
            assert self.desk.undo_label() is None
            assert self.desk.undo() is None
            return
        tables, label = self.before.pop()
        assert self.desk.undo_label() == label
        assert self.desk.undo() == f"Undid {label}"
        assert self.tables() == tables

    @rule()
    def restart(self) -> None:
        self.desk.close()
        self.desk = Desk.open(self.folder, self.clock, new_per_day=NEW_PER_DAY)

    @rule(minutes=st.integers(min_value=0, max_value=60))
    def wait_minutes(self, minutes: int) -> None:
        self.clock.wait(minutes=minutes)

    @rule(hours=st.integers(min_value=0, max_value=24 * 40))
    def wait_hours(self, hours: int) -> None:
        self.clock.wait(hours=hours)

    @rule(hours=st.integers(min_value=1, max_value=24 * 400))
    def set_the_clock_back(self, hours: int) -> None:
        self.clock.at = max(datetime(1980, 1, 1, tzinfo=UTC), self.clock.at - timedelta(hours=hours))

    @rule(zone=st.sampled_from(ZONES))
    def fly(self, zone: ZoneInfo) -> None:
        self.clock.where = zone

    @rule()
    def carry_to_another_machine(self) -> None:
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder, Desk.open(Path(folder), self.clock) as other:
            other.insert_reviews(self.desk.reviews(), ALL)
            other.register(self.pack)
            memories = {state.item.item_id: state.memory for state in other.states() if state.memory}
            assert memories == self.memories()
            assert other.reviews() == self.desk.reviews()

    @invariant()
    def the_log_leads_to_what_is_stored(self) -> None:
        assert self.desk.rebuild_mismatches() == []
        replayed: dict[str, Memory] = {}
        scheduler = Scheduler(Algorithm())
        for review in self.desk.reviews():
            moment = Moment(review.answered_at, review.study_day, review.utc_offset, review.local_date)
            before = replayed.get(review.item_id)
            replayed[review.item_id] = scheduler.answer(review.item_id, before, review.rating, moment)
        assert replayed == self.memories()
        assert len(self.desk.reviews()) == len(self.before)

    @invariant()
    def the_queue_is_what_brute_force_finds(self) -> None:
        for kind in KINDS:
            learning, soon, due, new = self.waiting(kind)
            assert self.desk.counts(kind) == Counts(len(new), len(learning) + len(soon), len(due))
            queue = learning + due + new + soon
            assert self.desk.next_item(kind) == (queue[0] if queue else None)

    @invariant()
    def the_next_moment_is_the_first_that_brings_something(self) -> None:
        for kind in KINDS:
            moment = self.desk.next_due_at(kind)
            if self.desk.next_item(kind):
                assert moment == self.clock.now()
                continue
            now = self.clock.at
            try:
                self.clock.at = (moment or now + timedelta(days=100_000)) - timedelta(milliseconds=1)
                assert self.desk.next_item(kind) is None
                if moment:
                    assert moment > now
                    self.clock.at = moment
                    assert self.desk.next_item(kind)
            finally:
                self.clock.at = now

    def waiting(self, kind: str | None) -> tuple[list[Item], list[Item], list[Item], list[Item]]:
        """Return learning now, learning soon, reviews due and new, each in order, from the states and the log."""
        now, today = to_ms(self.clock.now()), study_day(self.clock.now(), self.clock.where)
        states = {state.item.item_id: state.memory for state in self.desk.states()}
        steps, reviews, new = [], [], []
        for position, item in enumerate(self.pack):
            memory = states[item.item_id]
            if kind not in (None, item.kind):
                continue
            if memory is None:
                new.append(item)
            elif memory.due_at is not None:
                steps.append((memory.due_at, position, item))
            else:
                assert memory.due_day is not None
                reviews.append((day_start(memory.due_day, self.clock.where), position, item))
        first_ones = {review.item_id: review for review in reversed(self.desk.reviews())}
        kinds = {state.item.item_id: state.item.kind for state in self.desk.states()}
        introduced = sum(
            review.study_day == today and kind in (None, kinds[item_id])
            for item_id, review in first_ones.items()
        )
        return (
            [item for due, _, item in sorted(steps, key=lambda step: step[:2]) if due <= now],
            [item for due, _, item in sorted(steps, key=lambda step: step[:2]) if now < due <= now + AHEAD],
            [item for due, _, item in sorted(reviews, key=lambda step: step[:2]) if due <= self.clock.now()],
            new[: max(0, NEW_PER_DAY - introduced)],
        )

    def memories(self) -> dict[str, Memory]:
        return {state.item.item_id: state.memory for state in self.desk.states() if state.memory}

    def tables(self) -> list[object]:
        """Return every row of what answering changes, as SQLite dumps it; packs may come and go meanwhile."""
        with self.desk._store.reading() as db:
            return [line for line in db.conn.iterdump() if 'INTO "items"' not in line]

    def teardown(self) -> None:
        while self.before:
            self.undo()
        self.desk.close()
        shutil.rmtree(self.folder)


Study.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestStudy = Study.TestCase
