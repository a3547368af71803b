"""Schedule the whole log again and see that it leads to what it records: each answer, each adjustment in its place."""

from __future__ import annotations

from collections.abc import Iterable
from math import isclose
from operator import attrgetter

import msgspec

from .adjustment import Adjustment, Change, Timing, retimed, timing_of
from .algorithm import Algorithm
from .records import Memory, Review
from .scheduler import Scheduler
from .studyday import Moment

_values = attrgetter(*Memory.__struct_fields__)


def replay(
    reviews: Iterable[Review], adjustments: Iterable[Adjustment] = ()
) -> tuple[dict[str, Memory], list[str]]:
    """Return the states a log leads to, and one sentence for each entry that cannot be so.

    On one machine the outcome is equal to the last bit. Another machine's mathematical library may differ in the
    last digits of a power, so a recorded outcome that agrees but for rounding is taken as it was recorded: a log
    carried from one system to another gives the very same states.
    """
    waiting: dict[str | None, list[Adjustment]] = {}
    for adjustment in adjustments:
        waiting.setdefault(adjustment.after_review, []).append(adjustment)
    run = _Run()
    for adjustment in waiting.pop(None, ()):
        run.adjust(adjustment)
    for review in reviews:
        run.answer(review)
        for adjustment in waiting.pop(review.review_id, ()):
            run.adjust(adjustment)
    for stray in waiting.values():
        run.faults += [
            f"adjustment {each.adjustment_id} follows a review that is not there" for each in stray
        ]
    return run.states, run.faults


def agrees(one: Memory, other: Memory) -> bool:
    """Say whether two memories are equal but for rounding in the last digits."""
    return all(
        isclose(a, b, rel_tol=1e-9) if isinstance(a, float) and isinstance(b, float) else a == b
        for a, b in zip(_values(one), _values(other), strict=True)
    )


class _Run(msgspec.Struct):
    states: dict[str, Memory] = msgspec.field(default_factory=dict)
    faults: list[str] = msgspec.field(default_factory=list)
    answers: list[tuple[str, int, int]] = msgspec.field(default_factory=list)  # item, rating, study day
    schedulers: dict[Algorithm, Scheduler] = msgspec.field(default_factory=dict)

    def answer(self, review: Review) -> None:
        where = f"review {review.review_id} of {review.item_id}"
        moment = Moment(review.answered_at, review.study_day, review.utc_offset, review.local_date)
        if not (moment.adds_up() and 0 <= review.duration_ms < 2**63):
            self.faults.append(f"{where} holds a time that cannot be")
            return
        before = self.states.get(review.item_id)
        if before != review.before:
            self.faults.append(f"{where} starts from a state that the reviews before it do not lead to")
        if review.algorithm not in self.schedulers:
            self.schedulers[review.algorithm] = Scheduler(review.algorithm)
        after = self.schedulers[review.algorithm].answer(review.item_id, before, review.rating, moment)
        if agrees(after, review.after):
            after = review.after
        else:
            self.faults.append(f"{where} records another outcome than {review.algorithm.name} gives")
        self.states[review.item_id] = after
        self.answers.append((review.item_id, int(review.rating), review.study_day))

    def adjust(self, adjustment: Adjustment) -> None:
        where = f"adjustment {adjustment.adjustment_id}"
        moment = Moment(
            adjustment.made_at, adjustment.study_day, adjustment.utc_offset, adjustment.local_date
        )
        if not moment.adds_up():
            self.faults.append(f"{where} holds a time that cannot be")
        expected = self._rescheduled(adjustment)
        for change in adjustment.changes:
            memory = self.states.get(change.item_id)
            if memory is None or timing_of(memory) != change.before:
                self.faults.append(
                    f"{where} of {change.item_id} starts from a state that the log does not lead to"
                )
                continue
            if not _possible(change, memory, expected):
                self.faults.append(
                    f"{where} of {change.item_id} records another outcome than {adjustment.reason} gives"
                )
            self.states[change.item_id] = retimed(memory, change.after)

    def _rescheduled(self, adjustment: Adjustment) -> dict[str, Timing] | None:
        if adjustment.reason != "reschedule":
            return None
        from .histories import gather_histories  # numpy with it
        from .rescheduling import timings

        touched = {change.item_id for change in adjustment.changes} & self.states.keys()
        answers = (answer for answer in self.answers if answer[0] in touched)
        return timings(gather_histories(answers), self.states, adjustment.algorithm)


def _possible(change: Change, memory: Memory, expected: dict[str, Timing] | None) -> bool:
    """Say whether a reschedule gives just this, or whether days away moved nothing but the day of a review."""
    from .rescheduling import same_strength

    after = change.after
    if expected is not None:
        wanted = expected[change.item_id]
        return after.interval == wanted.interval and same_strength(after, wanted)
    unmoved = (after.stability, after.difficulty) == (change.before.stability, change.before.difficulty)
    return unmoved and memory.phase == "review" and 1 <= after.interval <= 36_500
