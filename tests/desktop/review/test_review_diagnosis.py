from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_content.model import STEP_NAMES, Pack
from ladder_desktop.review.diagnosis import Diagnosis, suggested_rating
from ladder_desktop.study import Rating


@pytest.mark.parametrize(
    ("right", "rating"),
    [(0, Rating.AGAIN), (1, Rating.AGAIN), (2, Rating.AGAIN), (3, Rating.HARD), (4, Rating.GOOD)],
)
def test_suggestion_follows_the_steps_right_and_never_says_easy(right: int, rating: Rating) -> None:
    assert suggested_rating(right) is rating


def place_of(diagnosis: Diagnosis, correct: bool) -> int:
    assert diagnosis.current is not None
    options = diagnosis.shown(diagnosis.current)
    return next(place for place, option in enumerate(options) if option.correct == correct)


@pytest.mark.parametrize("answers", [(True,) * 4, (False,) * 4, (True, False, True, True)])
def test_counts_what_was_right_and_keeps_places_in_the_pack(pack: Pack, answers: tuple[bool, ...]) -> None:
    ticket = pack.studies[0].tickets[0]
    diagnosis = Diagnosis(ticket, Random(5))
    for correct in answers:
        diagnosis.pick(place_of(diagnosis, correct))
    picked = diagnosis.detail()["picked"]
    assert isinstance(picked, dict)
    assert list(picked) == list(STEP_NAMES)
    for step, correct in zip(ticket.steps, answers, strict=True):
        assert step.options[picked[step.name]].correct == correct
    assert diagnosis.detail()["right"] == sum(answers)


def test_a_step_takes_one_answer_and_only_one_that_exists(pack: Pack) -> None:
    diagnosis = Diagnosis(pack.studies[0].tickets[0], Random(5))
    assert diagnosis.pick(9) is None
    assert diagnosis.pick(-1) is None
    assert not diagnosis.picked
    for _ in STEP_NAMES:
        diagnosis.pick(0)
    before = dict(diagnosis.picked)
    assert diagnosis.current is None
    assert diagnosis.pick(1) is None
    assert diagnosis.picked == before


@given(st.integers())
def test_every_option_is_shown_once_whatever_the_order(seed: int) -> None:
    from .conftest import make_ticket

    ticket = make_ticket("t", "T")
    diagnosis = Diagnosis(ticket, Random(seed))
    for step in ticket.steps:
        assert sorted(option.text for option in diagnosis.shown(step)) == sorted(o.text for o in step.options)


def test_the_order_differs_between_visits(pack: Pack) -> None:
    ticket, shuffle = pack.studies[0].tickets[0], Random(0)
    orders = {tuple(o.text for o in Diagnosis(ticket, shuffle).shown(ticket.steps[1])) for _ in range(20)}
    assert len(orders) > 1
