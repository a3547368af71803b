"""What one answer does to an item's memory. Pure: no clock, no store, no chance."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from .algorithm import Algorithm
from .fuzz import fuzz_seed, fuzzed
from .records import Memory, Phase, Preview, Rating
from .studyday import Moment, day_start, from_ms

if TYPE_CHECKING:
    import fsrs

_ORIGIN = datetime(2000, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)
_PHASES: dict[int, Phase] = {1: "learning", 2: "review", 3: "relearning"}  # by the states of the package
_STATES = {phase: state for state, phase in _PHASES.items()}


class Scheduler:
    """FSRS-6 on study days.

    The `fsrs` package supplies steps and memory formulas, but counts days as 24-hour blocks and takes only UTC.
    So it is never shown a real time: the last answer is put at a fixed origin and this one a whole number of study
    days later, and the interval is read off as a difference. Its own fuzz stays off.

    Days elapsed are the difference of two stored study days, never below zero. If the clock was set back, or the
    person flew west across the rollover, the answer counts as given on the same study day as the last one (elapsed
    0); the later of the two is not kept, so one review under a wrong clock cannot freeze an item until that date.
    """

    def __init__(self, algorithm: Algorithm) -> None:
        import fsrs  # with the first answer: the window is there before

        self.algorithm = algorithm
        self._fsrs = fsrs.Scheduler(
            parameters=algorithm.parameters,
            desired_retention=algorithm.desired_retention,
            learning_steps=[timedelta(seconds=step) for step in algorithm.learning_steps],
            relearning_steps=[timedelta(seconds=step) for step in algorithm.relearning_steps],
            maximum_interval=algorithm.maximum_interval,
            enable_fuzzing=False,
        )

    def answer(self, item_id: str, memory: Memory | None, rating: Rating, moment: Moment) -> Memory:
        """Return the memory of an item after `rating` was given at `moment`; `memory` is None for a new item."""
        import fsrs

        elapsed = 0 if memory is None else max(0, moment.study_day - memory.last_day)
        today = _ORIGIN + elapsed * _DAY
        reviewed, _ = self._fsrs.review_card(_fsrs_card(memory), fsrs.Rating(rating), today)
        assert reviewed.stability is not None
        assert reviewed.difficulty is not None
        phase = _PHASES[reviewed.state]
        delay = reviewed.due - today
        reps = 0 if memory is None else memory.reps
        days = 0
        if phase == "review":
            days = delay.days
            if self.algorithm.fuzz:
                days = fuzzed(days, fuzz_seed(item_id, reps), self.algorithm.maximum_interval)
        lapsed = memory is not None and memory.phase == "review" and rating == Rating.AGAIN
        return Memory(
            phase=phase,
            step=reviewed.step,
            stability=reviewed.stability,
            difficulty=reviewed.difficulty,
            due_at=None if phase == "review" else moment.at + delay // timedelta(milliseconds=1),
            due_day=moment.study_day + days if phase == "review" else None,
            interval=days,
            reps=reps + 1,
            lapses=(0 if memory is None else memory.lapses) + lapsed,
            last_at=moment.at,
            last_day=moment.study_day,
        )

    def preview(
        self, item_id: str, memory: Memory | None, moment: Moment, zone: tzinfo
    ) -> dict[Rating, Preview]:
        """Return what each rating would do, by doing it and throwing the outcome away."""
        previews = {}
        for rating in Rating:
            after = self.answer(item_id, memory, rating, moment)
            due = due_instant(after, zone)
            interval = after.interval * _DAY if after.due_at is None else due - from_ms(moment.at)
            previews[rating] = Preview(rating, due, interval, interval_label(interval))
        return previews


def due_instant(memory: Memory, zone: tzinfo) -> datetime:
    """Return when an item falls due for somebody in `zone`, in UTC."""
    if memory.due_at is not None:
        return from_ms(memory.due_at)
    assert memory.due_day is not None
    return day_start(memory.due_day, zone)


def interval_label(interval: timedelta) -> str:
    """Return an interval as a button shows it: "10 min", "5 h", "3 d", "1.2 mo", "2 y"."""
    days = interval / _DAY
    if days < 1 / 24:
        return f"{max(1, round(days * 1440))} min"
    if days < 1:
        return f"{round(days * 24)} h"
    if days < 31:
        return f"{round(days)} d"
    if days < 365:
        return f"{round(days / 30.4375, 1):g} mo"
    return f"{round(days / 365.25, 1):g} y"


def _fsrs_card(memory: Memory | None) -> fsrs.Card:
    """Put a memory on the origin; the id is given because the package sleeps to make one up."""
    import fsrs

    if memory is None:
        return fsrs.Card(card_id=0, due=_ORIGIN)
    return fsrs.Card(
        card_id=0,
        state=fsrs.State(_STATES[memory.phase]),
        step=memory.step,
        stability=memory.stability,
        difficulty=memory.difficulty,
        due=_ORIGIN,
        last_review=_ORIGIN,
    )
