"""Every number of the statistics beside the same number worked out slowly, from the log and the states alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

import pytest
from ladder_desktop.study import Desk, Item, Rating, Review, study_day
from ladder_desktop.study.statistics import PERIODS, Group, Scope, Share, Statistics

from .conftest import TravelClock

ITEMS = [
    Item(f"pack/{number}", "ticket" if number % 5 == 4 else "card", f"study-{number % 3}")
    for number in range(40)
]
LEFT = Item("pack/left", "card", "study-0")
TAGS = {item.item_id: (f"t{number % 4}", "all", "all") for number, item in enumerate(ITEMS) if number % 7}
ZONES = [ZoneInfo(name) for name in ("Europe/Paris", "America/New_York", "Asia/Kolkata", "Pacific/Auckland")]
SCOPES = [Scope(), Scope("study-1"), Scope(None, 30), Scope("study-2", 7), Scope("nothing", 1)]


@pytest.fixture(scope="module")
def clock() -> TravelClock:
    return TravelClock(datetime(2026, 8, 1, 7, tzinfo=UTC), ZONES[0])


@pytest.fixture(scope="module")
def desk(clock: TravelClock) -> Iterator[Desk]:
    """Half a year of study: flights, nights of 23 and 25 hours, pauses, a clock set back, undone answers."""
    rng = Random(4)
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with TemporaryDirectory(dir=memory) as folder, Desk.open(Path(folder), clock, new_per_day=4) as desk:
        desk.register([*ITEMS, LEFT])
        desk.answer(LEFT.item_id, Rating.EASY, timedelta(seconds=9))
        desk.register(ITEMS)
        while clock.at < datetime(2027, 1, 20, tzinfo=UTC):
            for _ in range(rng.randrange(9)):
                item = desk.next_item() if rng.random() < 0.9 else rng.choice(ITEMS)
                if item is None:
                    break
                rating = rng.choices(list(Rating), (2, 1, 6, 1))[0]
                desk.answer(item.item_id, rating, timedelta(milliseconds=rng.randrange(60_000)))
                if rng.random() < 0.05:
                    desk.undo()
                clock.wait(minutes=rng.randrange(8))
            clock.wait(hours=rng.choice((1, 5, 9, 24, 24, 24, 50)))
            if rng.random() < 0.05:
                clock.where = rng.choice(ZONES)
            if rng.random() < 0.02:
                clock.wait(days=-2)
        desk.answer("pack/2", Rating.GOOD, timedelta(seconds=4))
        assert len(desk.history.reviews()) > 300
        yield desk


@pytest.fixture(scope="module")
def today(desk: Desk, clock: TravelClock) -> int:
    return study_day(clock.now(), clock.where)


@pytest.fixture(scope="module", params=SCOPES, ids=str)
def both(desk: Desk, request: pytest.FixtureRequest) -> tuple[Statistics, Scope]:
    return desk.statistics(request.param, TAGS), request.param


def log_of(desk: Desk, scope: Scope) -> list[Review]:
    studies = {state.item.item_id: state.item.study_id for state in desk.states()}
    return [review for review in desk.history.reviews() if scope.study_id in (None, studies[review.item_id])]


def trials_of(reviews: list[Review]) -> list[tuple[Review, int]]:
    """Return the answers that tested memory, each with the interval before it."""
    newest: dict[str, Review] = {}
    found = []
    for review in reviews:
        last = newest.get(review.item_id)
        if last and last.after.phase == "review" and review.study_day > last.study_day:
            found.append((review, last.after.interval))
        newest[review.item_id] = review
    return found


def share(tests: list[tuple[Review, int]]) -> Share:
    return Share(sum(review.rating is not Rating.AGAIN for review, _ in tests), len(tests))


def test_there_is_something_to_count(desk: Desk) -> None:
    tests = trials_of(desk.history.reviews())
    mature = [interval for _, interval in tests if interval >= 21]
    assert len(tests) > 100
    assert len(mature) > 20
    days = [review.study_day for review in desk.history.reviews()]
    assert any(later < earlier for earlier, later in pairwise(days))


def test_days_and_today(desk: Desk, both: tuple[Statistics, Scope], today: int) -> None:
    statistics, scope = both
    reviews = log_of(desk, scope)
    assert [day.study_day for day in statistics.days] == sorted({review.study_day for review in reviews})
    tests = trials_of(reviews)
    for day in statistics.days:
        given = [review for review in reviews if review.study_day == day.study_day]
        tested = [test for test in tests if test[0].study_day == day.study_day]
        assert day.answers == len(given)
        assert day.again == sum(review.rating is Rating.AGAIN for review in given)
        assert day.milliseconds == sum(review.duration_ms for review in given)
        assert day.introduced == sum(review.before is None for review in given)
        assert day.young == share([test for test in tested if test[1] < 21])
        assert day.mature == share([test for test in tested if test[1] >= 21])
        assert day.tested == share(tested)
    now = [review for review in reviews if review.study_day == today]
    assert statistics.today.answers == len(now)
    assert statistics.today.milliseconds == sum(review.duration_ms for review in now)
    assert statistics.today.tested == share([test for test in tests if test[0].study_day == today])
    assert statistics.study_day == today


def test_the_streak_is_the_run_of_days(desk: Desk, both: tuple[Statistics, Scope], today: int) -> None:
    statistics, scope = both
    days = {review.study_day for review in log_of(desk, scope) if review.study_day <= today}

    def run_up_to(day: int) -> int:
        return 1 + run_up_to(day - 1) if day in days else 0

    assert statistics.streak.longest == max((run_up_to(day) for day in days), default=0)
    assert statistics.streak.current == (run_up_to(today) or run_up_to(today - 1))


def test_retention_by_period(desk: Desk, both: tuple[Statistics, Scope], today: int) -> None:
    statistics, scope = both
    tests = trials_of(log_of(desk, scope))
    for (name, length), found in zip(PERIODS, statistics.retention, strict=True):
        within = [test for test in tests if length is None or today - length < test[0].study_day <= today]
        assert found.name == name
        assert found.young == share([test for test in within if test[1] < 21])
        assert found.mature == share([test for test in within if test[1] >= 21])
        assert found.all == share(within)
    assert statistics.target == 0.9


def test_by_study_and_by_tag(desk: Desk, both: tuple[Statistics, Scope], today: int) -> None:
    statistics, scope = both
    since = -(10**9) if scope.days is None else today - scope.days + 1
    memories = {state.item.item_id: state.memory for state in desk.states()}
    reviews = [review for review in desk.history.reviews() if review.study_day >= since]
    tests = [test for test in trials_of(desk.history.reviews()) if test[0].study_day >= since]
    chosen = [item for item in ITEMS if scope.study_id in (None, item.study_id)]

    def expected(name: str, items: list[Item]) -> Group:
        ids = {item.item_id for item in items}
        learned = [memory for each in ids if (memory := memories[each]) and memory.phase == "review"]
        given = [review for review in reviews if review.item_id in ids]
        return Group(
            name,
            items=len(items),
            learned=len(learned),
            mature=sum(memory.interval >= 21 for memory in learned),
            answers=len(given),
            milliseconds=sum(review.duration_ms for review in given),
            tested=share([test for test in tests if test[0].item_id in ids]),
        )

    studies, tags = defaultdict(list), defaultdict(list)
    for item in chosen:
        studies[item.study_id].append(item)
        for tag in set(TAGS.get(item.item_id, ())):
            tags[tag].append(item)
    assert statistics.studies == [expected(name, items) for name, items in studies.items()]
    assert statistics.tags == [expected(name, tags[name]) for name in sorted(tags)]


def test_the_hardest_items(desk: Desk, both: tuple[Statistics, Scope]) -> None:
    statistics, scope = both
    lapses: Counter[str] = Counter()
    for review in log_of(desk, scope):
        if review.before and review.before.phase == "review" and review.rating is Rating.AGAIN:
            lapses[review.item_id] += 1
    lapses.pop(LEFT.item_id, None)
    found = {item.item_id: item.lapses for item in statistics.hardest}
    assert sorted(found.values(), reverse=True) == list(found.values())
    assert list(found.values()) == sorted(lapses.values(), reverse=True)[:20]
    assert all(lapses[item_id] == count for item_id, count in found.items())
    for item in statistics.hardest:
        memory = desk.memory(item.item_id)
        assert memory
        assert (item.difficulty, item.stability) == (memory.difficulty, memory.stability)


def test_the_forecast(desk: Desk, both: tuple[Statistics, Scope], today: int) -> None:
    statistics, scope = both
    memories = [
        state.memory
        for state in desk.states()
        if state.memory
        and not state.mark.suspended
        and state.item in ITEMS
        and scope.study_id in (None, state.item.study_id)
    ]
    assert [day.study_day for day in statistics.forecast] == list(range(today, today + 30))
    for day in statistics.forecast:
        due = [memory for memory in memories if memory.due_day == day.study_day]
        assert day.young == sum(memory.interval < 21 for memory in due)
        assert day.mature == sum(memory.interval >= 21 for memory in due)
        first = day.study_day == today
        late = [memory for memory in memories if memory.due_day is not None and memory.due_day < today]
        assert day.overdue == (len(late) if first else 0)
        assert day.steps == (sum(memory.due_at is not None for memory in memories) if first else 0)
        assert day.total == day.young + day.mature + day.overdue + day.steps


def test_the_spread_of_memories(desk: Desk, both: tuple[Statistics, Scope]) -> None:
    statistics, scope = both
    memories = [
        state.memory
        for state in desk.states()
        if state.memory
        and state.memory.phase == "review"
        and state.item in ITEMS
        and scope.study_id in (None, state.item.study_id)
    ]
    for found, values in (
        (statistics.intervals, [float(memory.interval) for memory in memories]),
        (statistics.stabilities, [memory.stability for memory in memories]),
        (statistics.difficulties, [memory.difficulty for memory in memories]),
    ):
        assert sum(found.counts) == len(values)
        last = len(found.counts) - 1
        for number, (low, high) in enumerate(pairwise(found.edges)):
            inside = sum(low <= value < high or (number == last and value == high) for value in values)
            assert found.counts[number] == inside
        assert found.median == (median(values) if values else None)


def test_the_projected_work(desk: Desk, both: tuple[Statistics, Scope]) -> None:
    statistics, scope = both
    reviews = log_of(desk, scope)
    stabilities = [
        state.memory.stability
        for state in desk.states()
        if state.memory
        and state.memory.phase == "review"
        and state.item in ITEMS
        and scope.study_id in (None, state.item.study_id)
    ]
    assert [load.retention for load in statistics.loads] == [0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97]
    for load in statistics.loads:
        # days until (1 + f t / S) ** -0.1542 falls to the retention, where it is 0.9 after S days
        factor = 0.9 ** (-1 / 0.1542) - 1
        days = [max(1.0, (load.retention ** (-1 / 0.1542) - 1) / factor * one) for one in stabilities]
        answers = sum(1 / one for one in days) * (1 + (1 - load.retention))
        assert load.answers == pytest.approx(answers)
        if reviews:
            seconds = sum(review.duration_ms for review in reviews) / len(reviews) / 1000
            assert load.minutes == pytest.approx(answers * seconds / 60)
        else:
            assert load.minutes is None


@pytest.mark.parametrize(
    ("recalled", "tests", "low", "high"),
    [  # worked out by hand from Wilson (1927): the roots of (p - x)² = z² x (1 - x) / n
        (9, 10, 0.5958, 0.9821),
        (81, 100, 0.7222, 0.8749),
        (0, 5, 0.0, 0.4345),
        (5, 5, 0.5655, 1.0),
    ],
)
def test_the_interval_of_a_share(recalled: int, tests: int, low: float, high: float) -> None:
    found = Share(recalled, tests)
    assert found.interval == pytest.approx((low, high), abs=5e-5)
    for end in found.interval or ():
        assert (found.rate or 0) == found.rate
        gap = (recalled / tests - end) ** 2
        assert gap == pytest.approx(1.959964**2 * end * (1 - end) / tests, abs=1e-6)


def test_a_share_against_its_target() -> None:
    assert [Share(*pair).against(0.9) for pair in ((0, 0), (9, 10), (60, 100), (995, 1000))] == [
        "unknown",
        "on",
        "below",
        "above",
    ]
    assert (Share(0, 0).rate, Share(0, 0).interval) == (None, None)
