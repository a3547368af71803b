from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import fsrs
import pytest
from fsrs.scheduler import DEFAULT_PARAMETERS
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.study import Algorithm, Memory, Rating, StudyError
from ladder_desktop.study.scheduler import Scheduler, due_instant, interval_label
from ladder_desktop.study.studyday import moment_of

UNFUZZED = Algorithm(fuzz=False)
ratings = st.sampled_from(list(Rating))
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
algorithms = st.builds(
    Algorithm,
    desired_retention=st.floats(min_value=0.7, max_value=0.99),
    learning_steps=st.lists(st.integers(min_value=1, max_value=3600), max_size=3).map(tuple),
    relearning_steps=st.lists(st.integers(min_value=1, max_value=3600), max_size=2).map(tuple),
    maximum_interval=st.integers(min_value=1, max_value=36_500),
    fuzz=st.just(False),
)


def play(scheduler: Scheduler, *answers: tuple[Rating, datetime], zone: str = "UTC") -> Memory:
    memory = None
    for rating, instant in answers:
        memory = scheduler.answer("pack/card", memory, rating, moment_of(instant, ZoneInfo(zone)))
    assert memory is not None
    return memory


def wall(local: str, zone: str) -> datetime:
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


@given(
    algorithms, st.lists(st.tuples(ratings, st.integers(min_value=0, max_value=400)), min_size=1, max_size=12)
)
def test_where_study_days_are_24_hours_we_are_equal_to_the_package(
    algorithm: Algorithm, history: list[tuple[Rating, int]]
) -> None:
    """Each answer falls a little later in the day than the last, so that both ways to count days agree."""
    oracle = fsrs.Scheduler(
        algorithm.parameters,
        algorithm.desired_retention,
        [timedelta(seconds=step) for step in algorithm.learning_steps],
        [timedelta(seconds=step) for step in algorithm.relearning_steps],
        algorithm.maximum_interval,
        enable_fuzzing=False,
    )
    scheduler, instant = Scheduler(algorithm), NOON
    card, memory = fsrs.Card(card_id=1), None
    for rating, gap in history:
        instant += timedelta(days=gap, seconds=1)
        card, _ = oracle.review_card(card, fsrs.Rating(rating), instant)
        memory = scheduler.answer("pack/card", memory, rating, moment_of(instant, UTC))
        assert (memory.phase, memory.step) == (card.state.name.lower(), card.step)
        assert (memory.stability, memory.difficulty) == (card.stability, card.difficulty)
        delay = card.due - instant
        if memory.phase == "review":
            assert memory.interval == delay.days
            assert memory.due_day == memory.last_day + delay.days
        else:
            assert due_instant(memory, UTC) == card.due
            assert memory.interval == 0
    assert memory is not None
    assert memory.reps == len(history)


def test_the_intervals_of_the_model_with_its_own_parameters() -> None:
    scheduler, memory, instant, seen = Scheduler(UNFUZZED), None, NOON, []
    for rating in (Rating.GOOD, Rating.GOOD, Rating.GOOD, Rating.AGAIN, Rating.GOOD, Rating.GOOD):
        memory = scheduler.answer("pack/card", memory, rating, moment_of(instant, UTC))
        due = due_instant(memory, UTC)
        seen.append(interval_label(timedelta(days=memory.interval) or due - instant))
        instant = max(due, instant) + timedelta(hours=8)
    assert seen == ["10 min", "2 d", "11 d", "10 min", "2 d", "5 d"]


@pytest.mark.parametrize("night", ["2026-06-10", "2026-03-28", "2026-10-24"])
def test_evening_and_next_morning_are_one_day_apart_whatever_the_night(night: str) -> None:
    evening = wall(f"{night} 22:00", "Europe/Paris")
    morning = wall(f"{night} 08:00", "Europe/Paris") + timedelta(days=1)
    scheduler = Scheduler(UNFUZZED)
    ours = play(scheduler, (Rating.EASY, evening), (Rating.GOOD, morning), zone="Europe/Paris")
    one_day = play(scheduler, (Rating.EASY, NOON), (Rating.GOOD, NOON + timedelta(days=1)))
    assert ours.stability == one_day.stability
    assert ours.stability == pytest.approx(13.49, abs=0.01)


def test_before_four_in_the_morning_it_is_still_the_same_day() -> None:
    evening, night = wall("2026-06-10 22:00", "Europe/Paris"), wall("2026-06-11 03:59", "Europe/Paris")
    memory = play(Scheduler(UNFUZZED), (Rating.EASY, evening), (Rating.GOOD, night), zone="Europe/Paris")
    assert memory.stability == pytest.approx(8.2956)


def test_a_review_is_due_at_four_where_the_person_is() -> None:
    memory = play(
        Scheduler(UNFUZZED), (Rating.EASY, wall("2026-10-20 22:47", "Europe/Paris")), zone="Europe/Paris"
    )
    assert memory.interval == 8
    assert due_instant(memory, ZoneInfo("Europe/Paris")) == wall("2026-10-28 04:00", "Europe/Paris")
    assert due_instant(memory, ZoneInfo("Asia/Kolkata")) == wall("2026-10-28 04:00", "Asia/Kolkata")


def test_a_clock_set_back_counts_as_the_same_day_and_then_heals() -> None:
    scheduler = Scheduler(UNFUZZED)
    wrong, right = datetime(2031, 1, 1, 12, tzinfo=UTC), NOON
    once = play(scheduler, (Rating.EASY, wrong))
    back = play(scheduler, (Rating.EASY, wrong), (Rating.GOOD, right))
    same_day = play(scheduler, (Rating.EASY, wrong), (Rating.GOOD, wrong))
    assert back.stability == same_day.stability >= once.stability
    assert back.due_day is not None
    assert back.due_day == back.last_day + back.interval < once.last_day
    later = play(
        scheduler, (Rating.EASY, wrong), (Rating.GOOD, right), (Rating.GOOD, right + timedelta(days=9))
    )
    assert later.stability > back.stability


@given(
    st.lists(st.tuples(ratings, st.integers(min_value=-(10**10), max_value=10**10)), min_size=1, max_size=10)
)
def test_no_clock_breaks_a_memory(history: list[tuple[Rating, int]]) -> None:
    """Jumps of up to three centuries either way."""
    scheduler, memory, instant = Scheduler(Algorithm()), None, datetime(3000, 1, 1, tzinfo=UTC)
    for rating, seconds in history:
        instant = max(datetime(1971, 1, 1, tzinfo=UTC), instant + timedelta(seconds=seconds))
        memory = scheduler.answer("pack/card", memory, rating, moment_of(instant, UTC))
        assert memory.stability > 0
        assert 1 <= memory.difficulty <= 10
        assert due_instant(memory, UTC) >= instant
        assert (memory.due_at is None) == (memory.phase == "review") == (memory.interval > 0)


@given(st.lists(st.tuples(ratings, st.integers(min_value=0, max_value=100)), min_size=1, max_size=10))
def test_a_better_rating_never_comes_back_sooner(history: list[tuple[Rating, int]]) -> None:
    scheduler, memory, instant = Scheduler(Algorithm()), None, NOON
    for rating, gap in history:
        instant += timedelta(days=gap)
        previews = scheduler.preview("pack/card", memory, moment_of(instant, UTC), UTC)
        intervals = [previews[each].interval for each in Rating]
        assert intervals == sorted(intervals)
        memory = scheduler.answer("pack/card", memory, rating, moment_of(instant, UTC))


def test_lapses_count_again_in_review_only() -> None:
    history = [Rating.AGAIN, Rating.EASY, Rating.AGAIN, Rating.AGAIN, Rating.GOOD, Rating.AGAIN]
    answers = [(rating, NOON + timedelta(days=day)) for day, rating in enumerate(history)]
    assert play(Scheduler(UNFUZZED), *answers).lapses == 2


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"desired_retention": 0}, "between 0.70 and 0.99"),
        ({"desired_retention": 1.5}, "between 0.70 and 0.99"),
        ({"desired_retention": float("nan")}, "between 0.70 and 0.99"),
        ({"maximum_interval": 0}, "maximum interval"),
        ({"learning_steps": (0,)}, "steps"),
        ({"relearning_steps": (90_000,)}, "steps"),
        ({"parameters": (1.0,) * 19}, "Expected 21 parameters, got 19"),
        ({"parameters": (0.0,) * 21}, "out of bounds"),
        ({"name": "fsrs-9"}, "fsrs-9"),
    ],
)
def test_settings_that_make_no_sense_are_refused_in_one_sentence(
    settings: dict[str, object], says: str
) -> None:
    with pytest.raises(StudyError, match=says) as caught:
        Algorithm(**settings)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("interval", "label"),
    [
        (timedelta(seconds=20), "1 min"),
        (timedelta(minutes=10), "10 min"),
        (timedelta(hours=5), "5 h"),
        (timedelta(days=1), "1 d"),
        (timedelta(days=30), "30 d"),
        (timedelta(days=37), "1.2 mo"),
        (timedelta(days=61), "2 mo"),
        (timedelta(days=365), "1 y"),
        (timedelta(days=950), "2.6 y"),
    ],
)
def test_labels(interval: timedelta, label: str) -> None:
    assert interval_label(interval) == label


def test_the_usual_parameters_are_those_of_the_package() -> None:
    assert Algorithm().parameters == DEFAULT_PARAMETERS
    fsrs.Scheduler(Algorithm().parameters)
