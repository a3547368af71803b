"""A prediction kept as a card: what it asks, how the program grades it, and when it is offered."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from ladder_desktop.lessons.memory import ShortMemory
from ladder_desktop.live.kept_prediction import Outcome, card_of, study_of
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.review.attempt import Attempt
from ladder_engine.lab.scenario import Scenario, bundled_scenarios, load_scenario
from msgspec.structs import replace

from tests.desktop.live.conftest import RecordedClient
from tests.traces import busy_trace

AT = datetime(2026, 11, 30, 18, 5)
SCENARIO = """
id: busy
title: A busy engine
story: s
look_at: [The queue]
model: ladder-3m
engine: {num_blocks: 24, block_size: 4, max_num_seqs: 4, max_num_batched_tokens: 16, max_model_len: 96}
requests: [{name: a, prompt: p, max_tokens: 4}]
explained_by: study:paging/gist/batching
"""
NUMBER = "prediction: {question: 'How many steps does it take?', measure: steps, kind: number}\n"
CHOICE = """
prediction:
  question: How many steps does it take?
  measure: steps
  kind: choice
  options: [{text: A few, below: 5}, {text: Dozens, from: 5, below: 500}, {text: More, from: 500}]
"""
STEPS = max(event.step for event in busy_trace())


def scenario(tmp_path: Path, prediction: str) -> Scenario:
    (tmp_path / "busy.yaml").write_text(SCENARIO + prediction)
    return load_scenario(tmp_path / "busy.yaml")


def outcome(of: Scenario, guess: float, value: float) -> Outcome:
    run = replace(busy_trace()[0], model="ladder-3m", variant="wide")
    return Outcome(of, guess, value, False, (run,), AT)


def test_a_number_is_asked_again_and_graded_within_its_tolerance(tmp_path):
    card = card_of(outcome(scenario(tmp_path, NUMBER), 20, 41))
    assert card.question == "In the lab, “A busy engine”. How many steps does it take?"
    for told in ("41 steps", "2026-11-30", "ladder-3m", "torch kernels", "cpu", "“wide”", "You said 20"):
        assert told in card.answer
    for typed, right in (("41", True), ("50 steps", True), ("60", False)):
        attempt = Attempt(card, Random(1))
        assert attempt.submit(typed)
        assert attempt.right is right
    assert (card.lab, card.tags) == ("busy", ("prediction",))


def test_a_choice_is_asked_with_the_same_options(tmp_path):
    card = card_of(outcome(scenario(tmp_path, CHOICE), 0, 41))
    assert [option.text for option in card.options if option.correct] == ["Dozens"]
    assert "You said “A few”" in card.answer
    attempt = Attempt(card, Random(3))
    attempt.pick([option.text for option in attempt.options].index("Dozens"))
    assert attempt.right


def test_every_bundled_scenario_that_asks_makes_a_card_of_a_study_there_is(pack_studies):
    asking = [one for one in bundled_scenarios() if one.prediction]
    assert len(asking) > 10
    for one in asking:
        card = card_of(outcome(one, 0, 1.0))
        assert card.key_points
        assert study_of(one) in pack_studies
    assert len({card_of(outcome(one, 0, 1.0)).id for one in asking}) == len(asking)


@pytest.fixture(scope="module")
def pack_studies():
    from ladder_content.bundled import bundled_pack
    from ladder_content.loader import load_pack

    return {study.id for study in load_pack(bundled_pack()).studies}


class Keeper:
    def __init__(self):
        self.kept, self.memory = [], ShortMemory()

    def __call__(self, study_id, card):
        self.kept.append((study_id, card))
        return "Kept."


@pytest.fixture
def build(qtbot, theme, tmp_path):
    def build(keeper, prediction=NUMBER):
        client = RecordedClient()
        page = LivePage(
            [scenario(tmp_path, prediction)],
            theme,
            lambda: client,
            keep=keeper,
            memory=keeper and keeper.memory,
        )
        qtbot.addWidget(page, before_close_func=LivePage.shutdown)
        page.show()
        page.activate()
        return page

    return build


def predict(page: LivePage, guess: float) -> None:
    page.prediction.number.setValue(guess)
    page.prediction.button.click()
    for _ in range(4):
        page.frame()


def test_after_the_score_one_press_keeps_what_was_measured(build):
    keeper = Keeper()
    page = build(keeper)
    assert page.prediction.keep_button.isHidden()
    predict(page, STEPS)
    assert not page.prediction.keep_button.isHidden()
    page.prediction.keep_button.click()
    ((study_id, card),) = keeper.kept
    assert (study_id, card.expected.value) == ("paging", STEPS)
    assert page.head.message.text() == "Kept."
    assert page.prediction.keep_button.isHidden()
    renewed = build(keeper)
    renewed.prediction.keep_wrong.setChecked(True)
    renewed.take_over(page.hand_over())
    assert renewed.prediction.result.text() == page.prediction.result.text() != ""
    assert renewed.prediction.keep_button.isHidden(), "another page offers no second card of it"
    assert renewed.head.message.text() == "Kept."
    page.forecast.give_up()
    page.forecast.keep()
    assert len(keeper.kept) == 1, "what was given up cannot be kept"


def test_wrong_ones_keep_themselves_where_that_is_wanted_and_it_is_remembered(build):
    keeper = Keeper()
    page = build(keeper)
    predict(page, 3 * STEPS)
    assert keeper.kept == []
    page.prediction.keep_wrong.click()
    predict(page, STEPS)
    assert keeper.kept == [], "a right one waits to be asked for"
    predict(page, 3 * STEPS)
    assert len(keeper.kept) == 1
    assert build(keeper).prediction.keep_wrong.isChecked()


def test_where_nobody_keeps_cards_none_is_offered(build):
    page = build(None)
    predict(page, STEPS)
    assert page.prediction.result.text()
    assert page.prediction.keep_button.isHidden()
