"""The walk over many histories beside the `fsrs` package, which walks one answer at a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import fsrs
import numpy as np
import pytest
from fsrs.scheduler import DEFAULT_PARAMETERS, LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS
from ladder_desktop.study.histories import chance_of_recall, days_until, gather_histories, walk

ORIGIN = datetime(2026, 1, 1, tzinfo=UTC)


def answers(rng: Random, items: int) -> list[tuple[str, int, int]]:
    found = []
    for item in range(items):
        day = 20_000
        for _ in range(rng.randrange(1, 12)):
            found.append((day, rng.random(), f"item-{item}", rng.randrange(1, 5)))
            day += rng.choice((0, 0, 1, 3, 20, 400))
    found.sort()
    return [(item_id, rating, day) for day, _, item_id, rating in found]


def within_bounds(rng: Random) -> list[float]:
    return [
        low + rng.random() * (min(high, low + 2) - low)
        for low, high in zip(LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS, strict=True)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_every_answer_leaves_what_the_package_says(seed: int) -> None:
    rng = Random(seed)
    log = answers(rng, 60)
    parameters = list(DEFAULT_PARAMETERS) if seed == 0 else within_bounds(rng)
    histories = gather_histories(log)
    walked = walk(histories, parameters)
    package = fsrs.Scheduler(parameters, enable_fuzzing=False)
    assert len(histories.ratings) == len(log)
    for number, item_id in enumerate(histories.item_ids):
        card = fsrs.Card(card_id=number, due=ORIGIN)
        own = [(rating, day) for each, rating, day in log if each == item_id]
        first = int(histories.starts[number])
        assert int(histories.starts[number + 1]) - first == len(own)
        for place, (rating, day) in enumerate(own, start=first):
            now = ORIGIN + timedelta(days=day)
            if place == first:
                assert np.isnan(walked.recall[place])
            else:
                expected = package.get_card_retrievability(card, now)
                assert walked.recall[place] == pytest.approx(expected, rel=1e-12)
            card, _ = package.review_card(card, fsrs.Rating(rating), now)
            assert walked.stability[place] == pytest.approx(card.stability, rel=1e-9)
            assert walked.difficulty[place] == pytest.approx(card.difficulty, rel=1e-9)


def test_a_day_that_runs_backwards_counts_as_the_same_day() -> None:
    histories = gather_histories([("a", 3, 100), ("b", 3, 100), ("a", 3, 98), ("a", 3, 99)])
    assert histories.item_ids == ("a", "b")
    assert histories.elapsed.tolist() == [0, 0, 1, 0]
    assert histories.counts.tolist() == [3, 1]


def test_no_history_is_no_trouble() -> None:
    histories = gather_histories([])
    assert histories.item_ids == ()
    assert walk(histories, DEFAULT_PARAMETERS).stability.tolist() == []


def test_recall_falls_to_nine_tenths_after_the_stability() -> None:
    stability = np.array([0.5, 3.0, 400.0])
    assert chance_of_recall(stability, stability, DEFAULT_PARAMETERS) == pytest.approx([0.9] * 3)
    for retention in (0.7, 0.9, 0.97):
        days = days_until(stability, retention, DEFAULT_PARAMETERS)
        assert chance_of_recall(stability, days, DEFAULT_PARAMETERS) == pytest.approx([retention] * 3)
