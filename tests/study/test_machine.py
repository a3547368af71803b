"""Hypothesis drives a desk through all a person can do, undo, redo, restarts, jumps of the clock and flights.

Beside it stands a simple model: the queue by brute force over the states, and a copy of every table before each action.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from ladder_desktop.study import Algorithm, Counts, Desk, Item, Kind, Memory, Rating, day_start, study_day
from ladder_desktop.study.scheduler import Scheduler
from ladder_desktop.study.studyday import Moment, to_ms

from .conftest import TravelClock

ALL = [Item(f"pack/{number}", "ticket" if number % 3 == 2 else "card", "hub") for number in range(9)]
TOPICS = [{"a"}, {"a", "b"}, {"c"}, set(), {"b"}, {"c", "d"}, {"d"}, {"e"}, {"a"}]
KIN = {item.item_id: topics for item, topics in zip(ALL, TOPICS, strict=True)}
NEW_PER_DAY = 3
REVIEWS_PER_DAY = 4
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
        self.desk = self.open()
        self.pack: list[Item] = []
        self.known: set[str] = set()
        self.done: list[tuple[list[object], str]] = []  # for each action: all tables before it, its label
        self.undone: list[
            tuple[list[object], str]
        ] = []  # for each that was undone: all tables after it, its label

    def open(self) -> Desk:
        return Desk.open(self.folder, self.clock, new_per_day=NEW_PER_DAY, reviews_per_day=REVIEWS_PER_DAY)

    @rule(first=st.integers(min_value=0, max_value=4), last=st.integers(min_value=4, max_value=9))
    def register(self, first: int, last: int) -> None:
        self.pack = ALL[first:last]
        self.known |= {item.item_id for item in self.pack}
        self.desk.register(self.pack, KIN)

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
        preview = self.desk.previews(item_id)[rating]
        with self.acting(f"{rating.name.capitalize()} on {item_id.removeprefix('pack/')}"):
            answered = self.desk.answer(item_id, rating, timedelta(seconds=3), {"picked": item_id})
        memory = self.memories()[item_id]
        assert self.desk.history.reviews_of(item_id)[-1].after == memory
        assert (answered.rating, answered.due) == (preview.rating, preview.due)
        assert answered.state_name == memory.phase
        assert preview.interval == timedelta(days=memory.interval) or memory.phase != "review"

    @precondition(lambda self: self.known)
    @rule(pick=picks, what=st.sampled_from(["suspend", "unsuspend", "bury", "unbury", "forgive", "flag"]))
    def mark(self, pick: int, what: str) -> None:
        names = sorted(self.known)
        chosen = [names[pick % len(names)]]
        with self.acting(None):
            if what == "flag":
                self.desk.marks.flag(chosen, pick % 5)
            else:
                getattr(self.desk.marks, what)(chosen)

    @precondition(lambda self: self.known)
    @rule(pick=picks, text=st.sampled_from(["", "mine", "µ ∞ 'x'"]))
    def write(self, pick: int, text: str) -> None:
        item_id = sorted(self.known)[pick % len(self.known)]
        with self.acting(None):
            self.desk.words.write_note(item_id, text)
        with self.acting(None):
            self.desk.words.edit(item_id, {"question": text or "theirs"}, {"question": "theirs"})
        assert self.desk.words.note(item_id) == text
        assert [edit.own for edit in self.desk.words.edits(item_id)] == ([text] if text else [])

    @rule(kind=st.sampled_from(["card", "ticket"]), new=st.integers(0, 2), reviews=st.integers(0, 2))
    def want_more(self, kind: Kind, new: int, reviews: int) -> None:
        with self.acting(None):
            self.desk.more_today(kind, new, reviews)

    @contextmanager
    def acting(self, label: str | None) -> Iterator[None]:
        """Note what an action does; it must have a label, this one if it is given, unless it changes nothing."""
        before = self.tables()
        yield
        if self.tables() != before:
            said = self.desk.undo_label()
            assert said
            assert label in (None, said)
            self.done.append((before, said))
            self.undone.clear()

    @rule()
    def undo(self) -> None:
        now = self.tables()
        if not self.done:
            assert self.desk.undo_label() is None
            assert self.desk.undo() is None
            return
        tables, label = self.done.pop()
        assert self.desk.undo_label() == label
        assert self.desk.undo() == f"Undid {label}"
        assert self.tables() == tables
        self.undone.append((now, label))

    @rule()
    def redo(self) -> None:
        now = self.tables()
        if not self.undone:
            assert self.desk.redo_label() is None
            assert self.desk.redo() is None
            return
        tables, label = self.undone.pop()
        assert self.desk.redo_label() == label
        assert self.desk.redo() == f"Redid {label}"
        assert self.tables() == tables
        self.done.append((now, label))

    @rule()
    def restart(self) -> None:
        self.desk.close()
        self.desk = self.open()

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
            empty = self.tables(other)
            other.history.insert_reviews(self.desk.history.reviews(), ALL, self.desk.history.belongings())
            other.register(self.pack)
            memories = {state.item.item_id: state.memory for state in other.states() if state.memory}
            assert memories == self.memories()
            assert other.history.reviews() == self.desk.history.reviews()
            assert other.history.belongings() == self.desk.history.belongings()
            full = self.tables(other)
            other.undo()
            assert self.tables(other) == empty
            if full != empty:
                other.redo()
            assert self.tables(other) == full

    @invariant()
    def the_log_leads_to_what_is_stored(self) -> None:
        assert self.desk.history.rebuild_mismatches() == []
        replayed: dict[str, Memory] = {}
        scheduler = Scheduler(Algorithm())
        for review in self.desk.history.reviews():
            moment = Moment(review.answered_at, review.study_day, review.utc_offset, review.local_date)
            before = replayed.get(review.item_id)
            replayed[review.item_id] = scheduler.answer(review.item_id, before, review.rating, moment)
        assert replayed == self.memories()

    @invariant()
    def the_queue_is_what_brute_force_finds(self) -> None:
        for kind in KINDS:
            learning, soon, due, new = self.waiting(kind)
            new_left, reviews_left = self.left(kind)
            counts = Counts(min(len(new), new_left), len(learning) + len(soon), min(len(due), reviews_left))
            assert self.desk.counts(kind) == counts
            queue = learning + due[:reviews_left] + new[:new_left] + soon
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
        log = self.desk.history.reviews()
        states = {state.item.item_id: state for state in self.desk.states()}
        now_due: list[tuple[int, int, Item]] = []
        soon: list[tuple[bool, int, int, Item]] = []
        reviews: list[tuple[int, datetime, int, Item]] = []
        new: list[tuple[int, int, Item]] = []
        for position, item in enumerate(self.pack):
            memory, mark = states[item.item_id].memory, states[item.item_id].mark
            buried = mark.buried_day is not None and mark.buried_day - today in (0, 1)
            if kind not in (None, item.kind) or mark.suspended or buried:
                continue
            rested = self.rested(item, today)
            if memory is None:
                new.append((rested, position, item))
            elif memory.due_at is not None and memory.due_at <= now:
                now_due.append((memory.due_at, position, item))
            elif memory.due_at is not None and memory.due_at <= now + AHEAD:
                soon.append((item.item_id == log[-1].item_id, memory.due_at, position, item))
            elif memory.due_day is not None:
                start = day_start(memory.due_day, self.clock.where)
                if start <= self.clock.now():
                    reviews.append((rested, start, position, item))
        return (
            [entry[-1] for entry in sorted(now_due, key=lambda entry: entry[:-1])],
            [entry[-1] for entry in sorted(soon, key=lambda entry: entry[:-1])],
            [entry[-1] for entry in sorted(reviews, key=lambda entry: entry[:-1])],
            [entry[-1] for entry in sorted(new, key=lambda entry: entry[:-1])],
        )

    def rested(self, item: Item, today: int) -> int:
        """Return the place in the log of the newest answer today on something that shares a topic; 0 for none."""
        places = [
            place
            for place, review in enumerate(self.desk.history.reviews(), start=1)
            if review.study_day == today
            and KIN[review.item_id] & KIN[item.item_id]
            and self.spaced(review.item_id)
        ]
        return max(places, default=0)

    def spaced(self, item_id: str) -> bool:
        """Whether the desk knows the topics of an item: those of the packs that are open."""
        return any(item.item_id == item_id for item in self.pack)

    def left(self, kind: str | None) -> tuple[int, int]:
        """Return how many new items and how many reviews the day still allows."""
        today = study_day(self.clock.now(), self.clock.where)
        kinds = {state.item.item_id: state.item.kind for state in self.desk.states()}
        log = [
            review
            for review in self.desk.history.reviews()
            if review.study_day == today and kind in (None, kinds[review.item_id])
        ]
        introduced = sum(review.before is None for review in log)
        reviewed = sum(review.before is not None and review.before.phase == "review" for review in log)
        with self.desk._store.reading() as db:
            extras = list(db.execute("SELECT kind, new, reviews FROM extras WHERE study_day = ?", (today,)))
        more = [extra for extra in extras if kind in (None, extra[0])]
        return (
            max(0, NEW_PER_DAY + sum(extra[1] for extra in more) - introduced),
            max(0, REVIEWS_PER_DAY + sum(extra[2] for extra in more) - reviewed),
        )

    def memories(self) -> dict[str, Memory]:
        return {state.item.item_id: state.memory for state in self.desk.states() if state.memory}

    def tables(self, desk: Desk | None = None) -> list[object]:
        """Return every row of what a person can change, as SQLite dumps it; packs may come and go meanwhile."""
        others = tuple(f'INTO "{name}"' for name in ("items", "kin", "algorithms", "actions", "changes"))
        with (desk or self.desk)._store.reading() as db:
            return [line for line in db.iterdump() if not any(other in line for other in others)]

    def teardown(self) -> None:
        while self.done:
            self.undo()
        self.desk.close()
        shutil.rmtree(self.folder)


Study.TestCase.settings = settings(
    max_examples=10,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestStudy = Study.TestCase
