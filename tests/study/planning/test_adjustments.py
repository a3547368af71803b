"""What moved cards without an answer travels with the log, and a forged one is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from ladder_desktop.study import (
    Adjustment,
    Algorithm,
    Belongings,
    Desk,
    Item,
    Rating,
    StudyError,
)

from tests.study.conftest import TravelClock

from .conftest import FIVE_SECONDS, memories


def test_a_log_with_adjustments_travels(
    desk: Desk, tmp_path: Path, clock: TravelClock, items: list[Item]
) -> None:
    desk.planner.change(
        msgspec.structs.replace(desk.settings, algorithm=Algorithm(desired_retention=0.8)), reschedule=True
    )
    desk.answer("pack/1", Rating.GOOD, FIVE_SECONDS)
    text = msgspec.json.encode(desk.history.adjustments())
    moved = msgspec.json.decode(text, type=list[Adjustment])
    assert moved == desk.history.adjustments()
    with Desk.open(tmp_path / "other", clock) as other:
        other.history.insert_reviews(desk.history.reviews(), items, Belongings(adjustments=tuple(moved)))
        other.register(items)
        assert memories(other) == memories(desk)
        assert other.history.adjustments() == moved
        assert other.history.rebuild_mismatches() == []


def _shift_first(adjustment: Adjustment, **changes: object) -> Adjustment:
    first, *rest = adjustment.changes
    after = msgspec.structs.replace(first.after, **changes)
    return msgspec.structs.replace(adjustment, changes=(msgspec.structs.replace(first, after=after), *rest))


@pytest.mark.parametrize(
    ("forge", "says"),
    [
        (lambda a: _shift_first(a, interval=3), "records another outcome than reschedule"),
        (lambda a: _shift_first(a, stability=99.0), "records another outcome than reschedule"),
        (lambda a: msgspec.structs.replace(a, reason="away"), None),
        (lambda a: msgspec.structs.replace(a, after_review="nowhere"), "follows a review that is not there"),
        (lambda a: msgspec.structs.replace(a, after_review=None), "starts from a state"),
        (lambda a: msgspec.structs.replace(a, study_day=3), "holds a time that cannot be"),
        (
            lambda a: msgspec.structs.replace(a, algorithm=Algorithm(desired_retention=0.99)),
            "another outcome",
        ),
    ],
)
def test_a_forged_adjustment_is_refused(
    desk: Desk,
    tmp_path: Path,
    clock: TravelClock,
    items: list[Item],
    forge: Callable[[Adjustment], Adjustment],
    says: str | None,
) -> None:
    desk.planner.change(
        msgspec.structs.replace(desk.settings, algorithm=Algorithm(desired_retention=0.8)), reschedule=True
    )
    (adjustment,) = desk.history.adjustments()
    with Desk.open(tmp_path / "other", clock) as other:
        if says is None:  # a retention moves no strength, so days away could have done the same
            other.history.insert_reviews(
                desk.history.reviews(), items, Belongings(adjustments=(forge(adjustment),))
            )
            return
        with pytest.raises(StudyError, match=says):
            other.history.insert_reviews(
                desk.history.reviews(), items, Belongings(adjustments=(forge(adjustment),))
            )
        assert other.history.reviews() == []
        assert other.history.adjustments() == []
