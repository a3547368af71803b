from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ladder_desktop.study import Algorithm, Counts, Desk, Item, Rating, Review, StudyError

from .conftest import PLAIN, TravelClock

FIVE_SECONDS = timedelta(seconds=5)


def test_a_session_from_new_to_review(desk: Desk, clock: TravelClock) -> None:
    assert desk.next_item() == Item("pack/card-0", "card", "hub")
    assert [preview.label for preview in desk.previews("pack/card-0").values()] == [
        "1 min",
        "6 min",
        "10 min",
        "8 d",
    ]
    answered = desk.answer("pack/card-0", Rating.GOOD, FIVE_SECONDS)
    assert answered.state_name == "learning"
    assert answered.due == clock.now() + timedelta(minutes=10)
    assert desk.next_item() == Item("pack/card-1", "card", "hub")
    clock.wait(minutes=10)
    assert desk.next_item() == Item("pack/card-0", "card", "hub")
    answered = desk.answer("pack/card-0", Rating.GOOD, FIVE_SECONDS)
    assert answered.state_name == "review"
    assert answered.due == datetime(2026, 10, 22, 4, tzinfo=UTC)


def test_the_log_holds_what_happened_and_where(desk: Desk, clock: TravelClock) -> None:
    clock.set("2026-10-21 03:30", "Asia/Kolkata")
    picked: dict[str, object] = {"bound": ["memory bandwidth", False], "seconds": 12.5}
    answered = desk.answer("pack/ticket-0", Rating.HARD, timedelta(seconds=61.25), picked)
    (review,) = desk.history.reviews()
    assert (review.review_id, review.item_id, review.rating) == (
        answered.review_id,
        "pack/ticket-0",
        Rating.HARD,
    )
    assert review.answered_at == clock.now().timestamp() * 1000
    assert (review.utc_offset, review.local_date) == (19_800, "2026-10-21")
    assert review.study_day == (datetime(2026, 10, 20) - datetime(1970, 1, 1)).days
    assert (review.duration_ms, review.detail) == (61_250, picked)
    assert review.before is None
    (state,) = [state for state in desk.states() if state.memory]
    assert state.memory == desk.memory("pack/ticket-0") == review.after
    assert desk.memory("pack/card-0") is None
    assert review.algorithm == PLAIN


def test_a_review_survives_being_written_as_json(desk: Desk) -> None:
    desk.answer("pack/card-0", Rating.EASY, FIVE_SECONDS, {"note": "µ ∞"})
    desk.answer("pack/card-0", Rating.AGAIN, FIVE_SECONDS)
    log = desk.history.reviews()
    assert msgspec.json.decode(msgspec.json.encode(log), type=list[Review]) == log


def test_undo_names_what_it_takes_back_and_outlives_the_program(
    desk: Desk, tmp_path: Path, clock: TravelClock
) -> None:
    assert (desk.undo_label(), desk.undo_item_id(), desk.undo()) == (None, None, None)
    desk.answer("pack/card-0", Rating.GOOD, FIVE_SECONDS)
    desk.answer("pack/card-1", Rating.EASY, FIVE_SECONDS)
    desk.close()
    with Desk.open(tmp_path, clock) as desk:
        assert desk.undo_label() == "Easy on card-1"
        assert desk.undo_item_id() == "pack/card-1"
        assert desk.undo() == "Undid Easy on card-1"
        assert [review.item_id for review in desk.history.reviews()] == ["pack/card-0"]
        assert desk.undo() == "Undid Good on card-0"
        assert desk.undo() is None
        assert desk.history.reviews() == []
        assert all(state.memory is None for state in desk.states())


def test_three_hundred_answers_can_be_undone(desk: Desk, clock: TravelClock) -> None:
    seen = []
    for number in range(300):
        seen.append((desk.states(), desk.counts()))
        desk.answer(f"pack/card-{number % 4}", Rating(number % 3 + 2), FIVE_SECONDS)
    for before in reversed(seen):
        assert desk.undo()
        assert (desk.states(), desk.counts()) == before
    assert desk.undo() is None


def test_registering_again_changes_nothing(desk: Desk, items: list[Item]) -> None:
    desk.answer("pack/card-0", Rating.EASY, FIVE_SECONDS)
    before = desk.states()
    desk.register(items)
    assert desk.states() == before


def test_an_item_that_left_its_pack_keeps_its_history(
    desk: Desk, clock: TravelClock, items: list[Item]
) -> None:
    desk.answer("pack/card-0", Rating.EASY, FIVE_SECONDS)
    clock.wait(days=30)
    assert desk.counts() == Counts(new=5, learning=0, due=1)
    desk.register(items[1:])
    assert desk.counts() == Counts(new=5, learning=0, due=0)
    assert desk.states()[-1].item == items[0]
    assert len(desk.history.reviews()) == 1
    desk.register(items)
    assert desk.counts() == Counts(new=5, learning=0, due=1)
    desk.register([])
    assert desk.next_item() is None
    assert desk.next_due_at() is None


def test_the_same_id_twice_is_refused(desk: Desk, items: list[Item]) -> None:
    with pytest.raises(StudyError, match="same id"):
        desk.register([*items, items[0]])


def test_an_item_that_nobody_registered_is_refused(desk: Desk) -> None:
    for act in (desk.previews, desk.memory, lambda item_id: desk.answer(item_id, Rating.GOOD, FIVE_SECONDS)):
        with pytest.raises(StudyError, match="pack/nothing"):
            act("pack/nothing")
    assert desk.history.reviews() == []


def test_detail_that_is_not_json_changes_nothing(desk: Desk) -> None:
    with pytest.raises(TypeError):
        desk.answer("pack/card-0", Rating.GOOD, FIVE_SECONDS, {"what": object()})
    assert desk.history.reviews() == []
    desk.answer("pack/card-0", Rating.GOOD, FIVE_SECONDS)


# The queue


def test_learning_first_then_the_longest_due_then_new(desk: Desk, clock: TravelClock) -> None:
    start = clock.now()
    desk.answer("pack/card-2", Rating.EASY, FIVE_SECONDS)
    clock.wait(days=1)
    desk.answer("pack/card-1", Rating.EASY, FIVE_SECONDS)
    clock.at = start + timedelta(days=40)
    desk.answer("pack/card-3", Rating.GOOD, FIVE_SECONDS)
    order = []
    for _ in range(4):
        clock.wait(minutes=6)
        item = desk.next_item()
        assert item
        order.append(item.item_id)
        desk.answer(item.item_id, Rating.EASY, FIVE_SECONDS)
    assert order == ["pack/card-2", "pack/card-3", "pack/card-1", "pack/card-0"]


def test_new_items_stop_at_the_days_limit_and_go_on_at_four(tmp_path: Path, clock: TravelClock) -> None:
    clock.set("2026-10-24 22:00", "Europe/Paris")
    with Desk.open(tmp_path, clock) as desk:
        desk.register([Item(f"pack/{number}", "card", "hub") for number in range(50)])
        assert desk.counts().new == 20
        for number in range(20):
            item = desk.next_item()
            assert item
            assert item.item_id == f"pack/{number}"
            desk.answer(item.item_id, Rating.EASY, FIVE_SECONDS)
        assert desk.next_item() is None
        assert desk.counts() == Counts(0, 0, 0)
        clock.set("2026-10-25 03:59", "Europe/Paris")
        assert desk.next_item() is None
        clock.set("2026-10-25 04:00", "Europe/Paris")
        assert desk.counts() == Counts(20, 0, 0)


def test_when_nothing_else_is_left_a_step_is_shown_early(desk: Desk, clock: TravelClock) -> None:
    desk.register([Item("pack/card-0", "card", "hub")])
    desk.answer("pack/card-0", Rating.GOOD, FIVE_SECONDS)
    assert desk.next_item() == Item("pack/card-0", "card", "hub")
    assert desk.counts() == Counts(0, 1, 0)


def test_a_step_further_off_than_twenty_minutes_is_waited_for(tmp_path: Path, clock: TravelClock) -> None:
    with Desk.open(tmp_path, clock, Algorithm(learning_steps=(3600,))) as desk:
        desk.register([Item("pack/card-0", "card", "hub")])
        answered = desk.answer("pack/card-0", Rating.AGAIN, FIVE_SECONDS)
        assert desk.next_item() is None
        assert desk.next_due_at() == answered.due - timedelta(minutes=20)


def test_kinds_have_their_own_queue_and_share_the_limit(desk: Desk) -> None:
    assert desk.counts("card").new == 4
    assert desk.counts("ticket").new == 2
    assert desk.next_item("ticket") == Item("pack/ticket-0", "ticket", "hub")
    desk.answer("pack/ticket-0", Rating.EASY, FIVE_SECONDS)
    desk.answer("pack/ticket-1", Rating.EASY, FIVE_SECONDS)
    assert desk.next_item("ticket") is None
    due = desk.next_due_at("ticket")
    assert due
    assert due > desk.next_due_at("card")  # type: ignore[operator]


# The log is the truth


def test_an_import_gives_the_same_states_and_can_be_undone(
    desk: Desk, tmp_path: Path, clock: TravelClock, items: list[Item]
) -> None:
    for number in range(40):
        desk.answer(f"pack/card-{number % 3}", Rating(number % 4 + 1), FIVE_SECONDS, {"number": number})
        clock.wait(hours=7 * number)
    with Desk.open(tmp_path / "other", clock) as other:
        other.history.insert_reviews(desk.history.reviews(), items)
        assert other.next_item() is None
        other.register(items)
        assert other.states() == desk.states()
        assert other.history.reviews() == desk.history.reviews()
        assert other.counts() == desk.counts()
        assert other.history.rebuild_mismatches() == []
        with pytest.raises(StudyError, match="holds reviews already"):
            other.history.insert_reviews(desk.history.reviews(), items)
        assert other.undo() == "Undid Import of 40 reviews"
        assert other.history.reviews() == []
        assert all(state.memory is None for state in other.states())
        assert other.redo() == "Redid Import of 40 reviews"
        assert other.states() == desk.states()
        assert other.history.reviews() == desk.history.reviews()


def test_an_import_of_nothing_is_fine(desk: Desk) -> None:
    desk.history.insert_reviews([], [])
    assert desk.history.reviews() == []


def test_a_log_that_does_not_add_up_is_refused_whole(
    desk: Desk, tmp_path: Path, clock: TravelClock, items: list[Item]
) -> None:
    for _ in range(3):
        desk.answer("pack/card-0", Rating.EASY, FIVE_SECONDS)
        clock.wait(days=20)
    log = desk.history.reviews()
    wrong_stability = msgspec.structs.replace(
        log[2], after=msgspec.structs.replace(log[2].after, stability=log[2].after.stability * 1.001)
    )
    other_rating = msgspec.structs.replace(log[1], rating=Rating.AGAIN)
    broken = {
        "outcome": [*log[:2], wrong_stability],
        "another outcome": [log[0], other_rating, log[2]],
        "do not lead to": [log[0], log[2]],
    }
    with Desk.open(tmp_path / "other", clock) as other:
        for says, reviews in broken.items():
            with pytest.raises(StudyError, match=says):
                other.history.insert_reviews(reviews, items)
        with pytest.raises(StudyError, match="twice"):
            other.history.insert_reviews(
                [log[0], msgspec.structs.replace(log[0], item_id="pack/card-1", before=None)], items
            )
        with pytest.raises(StudyError, match="not described"):
            other.history.insert_reviews(log, items[1:])
        assert other.states() == []
        assert other.history.reviews() == []


@pytest.mark.parametrize(
    "change",
    [
        {"study_day": 10**15},
        {"study_day": 0},
        {"answered_at": 10**18},
        {"answered_at": -(10**18)},
        {"utc_offset": 100_000},
        {"utc_offset": 6 * 3600},
        {"local_date": "2026-10-21"},
        {"duration_ms": -1},
        {"duration_ms": 2**63},
    ],
)
def test_a_log_with_times_that_cannot_be_is_refused(
    desk: Desk, tmp_path: Path, clock: TravelClock, items: list[Item], change: dict[str, Any]
) -> None:
    clock.set("2026-10-20 23:00")
    desk.answer("pack/card-0", Rating.EASY, FIVE_SECONDS)
    log = [msgspec.structs.replace(desk.history.reviews()[0], **change)]
    with Desk.open(tmp_path / "other", clock) as other:
        with pytest.raises(StudyError, match="a time that cannot be"):
            other.history.insert_reviews(log, items)
        assert other.states() == []


def test_a_log_may_come_from_the_far_future_of_a_wrong_clock(
    desk: Desk, tmp_path: Path, clock: TravelClock, items: list[Item]
) -> None:
    clock.set("2999-12-31 23:00", "Asia/Kolkata")
    desk.answer("pack/card-0", Rating.EASY, FIVE_SECONDS)
    with Desk.open(tmp_path / "other", clock) as other:
        other.history.insert_reviews(desk.history.reviews(), items)
        other.register(items)
        assert other.next_due_at() == desk.next_due_at()


def test_rounding_of_another_machine_is_taken_as_recorded(
    desk: Desk, tmp_path: Path, clock: TravelClock, items: list[Item]
) -> None:
    desk.answer("pack/card-0", Rating.EASY, FIVE_SECONDS)
    (review,) = desk.history.reviews()
    rounded = msgspec.structs.replace(
        review, after=msgspec.structs.replace(review.after, stability=review.after.stability * (1 + 1e-15))
    )
    assert rounded != review
    with Desk.open(tmp_path / "other", clock) as other:
        other.history.insert_reviews([rounded], items)
        assert other.history.reviews() == [rounded]
        assert other.memory("pack/card-0") == rounded.after
        assert other.history.rebuild_mismatches() == []


def test_reviews_keep_the_settings_they_were_given_under(
    desk: Desk, tmp_path: Path, clock: TravelClock
) -> None:
    desk.answer("pack/card-0", Rating.EASY, FIVE_SECONDS)
    desk.close()
    eager = Algorithm(fuzz=False, desired_retention=0.97)
    with Desk.open(tmp_path, clock, eager) as desk:
        desk.answer("pack/card-1", Rating.EASY, FIVE_SECONDS)
        assert [review.algorithm for review in desk.history.reviews()] == [PLAIN, eager]
        first, second = (review.after.interval for review in desk.history.reviews())
        assert second < first
        assert desk.history.rebuild_mismatches() == []


def test_a_state_that_does_not_follow_from_the_log_is_found_and_rebuilt(desk: Desk) -> None:
    for number in range(3):
        desk.answer(f"pack/card-{number}", Rating.EASY, FIVE_SECONDS)
    right = desk.states()
    with desk._store.writing() as db:
        db.execute("UPDATE cards SET stability = stability + 1e-9 WHERE item_id = 'pack/card-0'")
        db.execute("DELETE FROM cards WHERE item_id = 'pack/card-1'")
    assert [sentence.split()[0] for sentence in desk.history.rebuild_mismatches()] == [
        "pack/card-0",
        "pack/card-1",
    ]
    desk.history.rebuild()
    assert desk.history.rebuild_mismatches() == []
    assert desk.states() == right
