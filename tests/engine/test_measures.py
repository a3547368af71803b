"""Each measure against a run that can be counted by hand, and predictions against measured values."""

from __future__ import annotations

import pytest
from ladder_engine.errors import ScenarioError
from ladder_engine.lab.measures import MEASURES, Reading, number
from ladder_engine.lab.prediction import Option, Prediction
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.state import RunState

from tests.engine.test_summary import a_trace
from tests.traces import LittleScheduler, Request, busy_trace, shared_trace


def read(name: str, state: RunState, of: str = "") -> float | None:
    return MEASURES[name].read(state, of)


def test_times_and_steps_of_a_run_counted_by_hand() -> None:
    state = fold(a_trace())  # r0 says a token in steps 1, 2, 3; r1 in 1, 2; r2 is refused
    found = {name: read(name, state) for name in MEASURES}
    assert found["steps"] == 3
    assert found["ttft_steps_p50"] == found["ttft_steps_max"] == 1
    assert found["gap_steps_max"] == 1
    assert found["queue_steps_max"] == 0
    assert found["tokens_per_step"] == pytest.approx(5 / 3)
    assert found["batch_mean"] == pytest.approx((2 + 2 + 1) / 3)
    assert (found["batch_max"], found["step_tokens_max"], found["computed_tokens"]) == (2, 6, 9)
    assert found["budget_used"] == pytest.approx(100 * 9 / (3 * 8))
    assert (found["finished"], found["refused"], found["answer_tokens"]) == (2, 1, 5)
    assert found["kv_peak"] == 50
    assert found["kv_filled"] == pytest.approx(
        100 * (6 + 4 + 0) / (3 * 8)
    )  # owned after each step: 2, 1, 0 blocks
    assert found["ttft_p50"] == found["ttft_max"] == pytest.approx(400)
    assert sorted(Reading(state).gap_seconds) == pytest.approx([0.4, 0.4, 1.1])  # steps end at 1.5, 1.9, 3.0
    assert found["itl_p50"] == pytest.approx(400)
    assert found["seconds"] == pytest.approx(1.8)
    assert found["cached_share"] == 0
    assert found["accepted_share"] is found["tokens_per_draft"] is None


def test_the_time_of_a_run_that_goes_on_ends_now() -> None:
    events = LittleScheduler([Request("a", 4, 3), Request("b", 4, 30)]).run()
    for at in range(0, len(events), 7):
        state = fold(events[: at + 1])
        begun = min((seq.arrived for seq in state.sequences.values()), default=state.time)
        assert read("seconds", state) == pytest.approx(state.time - begun)


def test_a_measure_of_some_requests_leaves_the_others_out() -> None:
    requests = [
        Request("chat 1", 4, 3),
        Request("chat 2", 4, 6),
        Request("chatter", 4, 9),
        Request("chat", 4, 1),
    ]
    state = fold(LittleScheduler(requests).run())
    assert read("answer_tokens", state, "chat") == 3 + 6 + 1
    assert read("answer_tokens", state, "chat 2") == 6
    assert read("answer_tokens", state, "nobody") == 0
    assert read("ttft_steps_p50", state, "nobody") is None


def test_what_preemption_and_a_prefix_cost_and_save() -> None:
    state = fold(busy_trace())
    assert read("preemptions", state) == sum(seq.preemptions for seq in state.sequences.values()) > 0
    said = sum(seq.num_output_tokens for seq in state.sequences.values())
    prompts = sum(seq.num_prompt_tokens for seq in state.sequences.values() if seq.status == "finished")
    finished = sum(seq.status == "finished" for seq in state.sequences.values())
    again = read("recomputed_tokens", state)
    assert again is not None
    assert read("computed_tokens", state) == prompts + said - finished + again
    shared = fold(shared_trace())
    assert read("cached_tokens", shared) == 8  # ben finds two blocks of four
    assert read("cached_share", shared) == pytest.approx(100 * 8 / (9 + 5 + 10))


def test_numbers_are_short() -> None:
    assert [number(value) for value in (0.0, 3.0, 0.41666, 12.345, 1234.5)] == [
        "0",
        "3",
        "0.417",
        "12.3",
        "1,234",
    ]


CHOICE = Prediction(
    question="Fewer?",
    measure="steps",
    kind="choice",
    options=(
        Option(text="more", at_least=1.1),
        Option(text="fewer", below=0.9),
        Option(text="same", at_least=0.9, below=1.1),
    ),
)


@pytest.mark.parametrize(("value", "right"), [(0.5, 1), (0.9, 2), (1.0, 2), (1.1, 0), (30.0, 0)])
def test_exactly_one_choice_is_right_for_each_value(value: float, right: int) -> None:
    assert [CHOICE.score(index, value).right for index in range(3)] == [index == right for index in range(3)]


def test_a_wrong_choice_is_told_the_right_one() -> None:
    score = CHOICE.score(0, 0.5)
    assert score.sentence == "You said “more”; measured 0.5 steps: “fewer”."


@pytest.mark.parametrize(
    ("guess", "right"), [(100, True), (80, True), (120, True), (79, False), (121, False)]
)
def test_a_number_is_right_within_its_tolerance(guess: float, right: bool) -> None:
    asked = Prediction(question="How many?", measure="steps", kind="number", tolerance=0.2)
    assert asked.score(guess, 100.0).right is right


def test_nothing_measured_is_only_met_by_nothing() -> None:
    asked = Prediction(question="How many?", measure="preemptions", kind="number")
    assert asked.score(0, 0.0).right
    assert not asked.score(1, 0.0).right


def test_a_prediction_is_measured_in_its_variant_or_as_a_ratio() -> None:
    runs = {
        "long": fold(LittleScheduler([Request("a", 4, 12)]).run()),
        "short": fold(LittleScheduler([Request("a", 4, 6)]).run()),
    }
    alone = Prediction(question="?", measure="steps", kind="number")
    assert alone.variants("short") == ("short",)
    assert alone.measured(runs, "short") == 6
    ratio = Prediction(question="?", measure="steps", kind="number", variant="short", against="long")
    assert (ratio.measured(runs, "long"), ratio.unit) == (0.5, "times")
    nothing = Prediction(question="?", measure="accepted_share", kind="number")
    with pytest.raises(ScenarioError, match="no draft tokens accepted to score"):
        nothing.measured(runs, "long")


@pytest.mark.parametrize(
    "options",
    [
        (Option(text="a", below=1.0), Option(text="b", at_least=2.0)),  # a hole
        (Option(text="a", below=2.0), Option(text="b", at_least=1.0)),  # an overlap
        (Option(text="a", at_least=0.0, below=2.0), Option(text="b", at_least=2.0)),  # nothing below 0
    ],
)
def test_options_must_cover_each_value_once(options: tuple[Option, ...]) -> None:
    with pytest.raises(ValueError, match="leave a value out or cover one twice"):
        Prediction(question="?", measure="steps", kind="choice", options=options)
