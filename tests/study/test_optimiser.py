"""Fitting weights and judging them; the judge beside a slow one, and beside fsrs-rs itself where it is installed."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import floor, log, sqrt
from random import Random

import fsrs
import numpy as np
import pytest
from fsrs.scheduler import DEFAULT_PARAMETERS
from ladder_desktop.study import Algorithm
from ladder_desktop.study import optimiser as room
from ladder_desktop.study.evaluation import evaluate, overnight
from ladder_desktop.study.histories import Histories, gather_histories, walk
from ladder_desktop.study.optimiser import optimise, split

TRUE = (
    0.05,
    0.3,
    0.8,
    3.0,
    *DEFAULT_PARAMETERS[4:8],
    1.1,
    *DEFAULT_PARAMETERS[9:],
)  # forgets faster than most
ORIGIN = datetime(2026, 1, 1, tzinfo=UTC)
GOOD = (fsrs.Rating.Hard, *[fsrs.Rating.Good] * 8, fsrs.Rating.Easy)


def study_of(true: tuple[float, ...], items: int) -> Histories:
    """Simulate somebody whose memory follows `true` and whose cards are scheduled by the default weights."""
    rng = Random(1)
    memory, schedule = fsrs.Scheduler(true), fsrs.Scheduler(learning_steps=(), relearning_steps=())
    log: list[tuple[int, int, fsrs.Rating]] = []
    for item in range(items):
        own = planned = fsrs.Card(card_id=item, due=ORIGIN)
        day = item % 90
        for answer in range(7):
            now = ORIGIN + timedelta(days=day)
            chance = memory.get_card_retrievability(own, now) if answer else 0.6
            rating = rng.choice(GOOD) if rng.random() < chance else fsrs.Rating.Again
            own, _ = memory.review_card(own, rating, now)
            planned, _ = schedule.review_card(planned, rating, now)
            log.append((day, item, rating))
            day += max(1, (planned.due - now).days)
    log.sort()
    return gather_histories((f"item-{item}", int(rating), 20_000 + day) for day, item, rating in log)


@pytest.fixture(scope="module")
def histories() -> Histories:
    return study_of(TRUE, 900)


def slow_judgement(histories: Histories, parameters: tuple[float, ...]) -> tuple[float, float]:
    """Work out log loss and RMSE(bins) one answer at a time, as the FSRS benchmark describes them."""
    recall = walk(histories, parameters).recall
    losses, bins = [], defaultdict(list)
    for start, end in pairwise(histories.starts):
        lapses = 0
        for place in range(start, end):
            elapsed = int(histories.elapsed[place])
            recalled = int(histories.ratings[place]) > 1
            if place > start and elapsed >= 1:
                chance = float(recall[place])
                losses.append(-log(chance if recalled else 1 - chance))
                key = (
                    round(2.48 * 3.62 ** floor(log(elapsed) / log(3.62)), 2),
                    round(1.99 * 1.89 ** floor(log(place - start + 1) / log(1.89))),
                    round(1.65 * 1.73 ** floor(log(lapses) / log(1.73))) if lapses else 0,
                )
                bins[key].append((chance, recalled))
                lapses += not recalled
    squares = sum(len(b) * (sum(p - y for p, y in b) / len(b)) ** 2 for b in bins.values())
    return sum(losses) / len(losses), sqrt(squares / len(losses))


def test_the_judge_agrees_with_a_slow_one(histories: Histories) -> None:
    for parameters in (DEFAULT_PARAMETERS, TRUE):
        found = evaluate(histories, parameters, overnight(histories))
        assert (found.log_loss, found.rmse_bins) == pytest.approx(slow_judgement(histories, parameters))
        assert found.tests == int((histories.elapsed >= 1).sum())


def test_the_truth_foretells_better(histories: Histories) -> None:
    _, later = split(histories, overnight(histories))
    default, truth = (evaluate(histories, each, later) for each in (DEFAULT_PARAMETERS, TRUE))
    assert truth.log_loss < default.log_loss
    assert truth.rmse_bins < default.rmse_bins


def test_the_split_is_in_time_and_leaves_nothing_out(histories: Histories) -> None:
    tests = overnight(histories)
    earlier, later = split(histories, tests)
    assert (earlier | later).tolist() == tests.tolist()
    assert not (earlier & later).any()
    assert histories.days[earlier].max() < histories.days[later].min()
    assert 0.1 < later.sum() / tests.sum() < 0.3


def test_better_weights_are_taken_and_worse_are_not(histories: Histories) -> None:
    seen = []

    def fit(given: Histories, which: np.ndarray) -> tuple[float, ...]:
        seen.append(int(given.days[which].max()))
        return TRUE

    outcome = optimise(histories, Algorithm(), fit)
    assert outcome.parameters == TRUE
    assert "are better" in outcome.sentence
    assert seen[0] < int(histories.days.max())
    assert outcome.present
    assert f"{outcome.present.log_loss:.4f}" in outcome.sentence
    worse = optimise(histories, Algorithm(parameters=TRUE), lambda *_: DEFAULT_PARAMETERS)
    assert worse.parameters is None
    assert "not better" in worse.sentence
    same = optimise(histories, Algorithm(parameters=TRUE), lambda *_: TRUE)
    assert same.parameters is None


def test_weights_out_of_bounds_are_not_taken(histories: Histories) -> None:
    outcome = optimise(histories, Algorithm(), lambda *_: [-1.0] * 21)
    assert outcome.parameters is None
    assert "does not allow" in outcome.sentence


def test_too_short_a_log_is_one_sentence() -> None:
    few = gather_histories([("a", 3, 100), ("a", 3, 104)])
    outcome = optimise(few, Algorithm(), lambda *_: TRUE)
    assert outcome.parameters is None
    assert "you have 1." in outcome.sentence
    one_day = gather_histories([(f"{n}", 3, day) for day in (100, 101) for n in range(500)])
    outcome = optimise(one_day, Algorithm(), lambda *_: TRUE)
    assert "of one day" in outcome.sentence


def test_without_the_package_it_says_what_to_install(
    histories: Histories, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "is_installed", lambda: False)
    outcome = optimise(histories, Algorithm())
    assert outcome.parameters is None
    assert "pip install 'runtime-ladder[optimiser]'" in outcome.sentence


def test_the_package_finds_what_was_true(histories: Histories) -> None:
    outcome = optimise(histories, Algorithm())
    assert outcome.parameters is not None, outcome.sentence
    assert outcome.fitted
    assert outcome.present
    assert outcome.fitted.log_loss < outcome.present.log_loss
    assert outcome.parameters[2] < DEFAULT_PARAMETERS[2]
