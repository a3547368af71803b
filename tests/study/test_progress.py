from __future__ import annotations

from datetime import timedelta

from ladder_desktop.study import Desk, Item, Rating, StudyProgress

from .conftest import TravelClock

FIVE_SECONDS = timedelta(seconds=5)


def test_a_study_is_counted_by_how_well_it_is_known(desk: Desk, clock: TravelClock) -> None:
    assert desk.progress("hub") == StudyProgress(total=5, learning=0, young=0, mature=0, due=0)
    desk.answer("pack/card-0", Rating.GOOD, FIVE_SECONDS)  # waits ten minutes, inside the learn-ahead
    desk.answer("pack/card-1", Rating.EASY, FIVE_SECONDS)  # eight days
    desk.answer("pack/ticket-1", Rating.EASY, FIVE_SECONDS)  # of the other study
    hub = desk.progress("hub")
    assert hub == StudyProgress(total=5, learning=1, young=1, mature=0, due=1)
    assert (hub.new, hub.learned, hub.share) == (3, 1, 0.2)
    assert desk.progress("memory") == StudyProgress(total=1, learning=0, young=1, mature=0, due=0)


def test_mature_begins_at_twenty_one_days_and_due_at_four_in_the_morning(
    desk: Desk, clock: TravelClock
) -> None:
    desk.answer("pack/card-1", Rating.EASY, FIVE_SECONDS)
    memory = desk.memory("pack/card-1")
    assert memory
    assert memory.interval == 8
    clock.set("2026-10-28 03:59")
    assert desk.progress("hub").due == 0
    clock.set("2026-10-28 04:00")
    assert desk.progress("hub").due == 1
    desk.answer("pack/card-1", Rating.EASY, FIVE_SECONDS)
    memory = desk.memory("pack/card-1")
    assert memory
    assert memory.interval >= 21
    assert desk.progress("hub") == StudyProgress(total=5, learning=0, young=0, mature=1, due=0)


def test_what_was_set_aside_is_known_but_not_due(desk: Desk, clock: TravelClock) -> None:
    desk.answer("pack/card-0", Rating.EASY, FIVE_SECONDS)
    desk.answer("pack/card-1", Rating.EASY, FIVE_SECONDS)
    clock.wait(days=8)
    assert desk.progress("hub").due == 2
    desk.marks.suspend(["pack/card-0"])
    desk.marks.bury(["pack/card-1"])
    assert desk.progress("hub") == StudyProgress(total=5, learning=0, young=2, mature=0, due=0)
    clock.wait(days=1)
    assert desk.progress("hub").due == 1


def test_what_left_the_packs_counts_no_more(desk: Desk, items: list[Item]) -> None:
    desk.answer("pack/card-0", Rating.EASY, FIVE_SECONDS)
    desk.register(items[1:])
    assert desk.progress("hub") == StudyProgress(total=4, learning=0, young=0, mature=0, due=0)
    assert desk.progress("no such study").share == 0
