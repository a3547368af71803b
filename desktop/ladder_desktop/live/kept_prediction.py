"""A prediction of the lab as a card: the question that was asked, and as its answer what was measured, where and when. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ladder_content.model import Card, Expected, Option
from ladder_engine.lab.measures import number
from ladder_engine.lab.scenario import Scenario
from ladder_engine.tracing.events import RunStarted

TAG = "prediction"
MOST_TOLERANCE = 0.5  # what a card may accept


@dataclass(frozen=True)
class Outcome:
    """A prediction that was scored: what was said, what was measured, and the runs it was measured in."""

    scenario: Scenario
    guess: float
    value: float
    right: bool
    runs: tuple[RunStarted | None, ...]
    at: datetime
    kept: bool = False
    """Whether there is a card of it."""


def study_of(scenario: Scenario) -> str:
    """The study whose lesson explains the scenario, "" if none does."""
    kind, _, place = (scenario.explained_by or "").partition(":")
    return place.partition("/")[0] if kind == "study" else ""


def card_of(outcome: Outcome) -> Card:
    """The card: a number within the prediction's tolerance, or one of its choices. Raises ValueError without a prediction."""
    scenario, prediction = outcome.scenario, outcome.scenario.prediction
    if prediction is None:
        raise ValueError(f"{scenario.id} asks for no prediction")
    measured = f"{number(outcome.value)} {prediction.unit}"
    return Card(
        id=f"{TAG}-{scenario.id}",
        question=f"In the lab, “{scenario.title}”. {prediction.question}",
        answer=f"Measured: {measured}, {_where(outcome)} You said {_guess(outcome)}.",
        key_points=(f"{measured}, as measured", *scenario.look_at[:1]),
        follow_up="Which mechanism makes it so? Run the scenario again, and change one setting that should change the answer.",
        difficulty=2,
        tags=(TAG,),
        kind="numeric" if prediction.kind == "number" else "lever",
        expected=Expected(outcome.value, prediction.unit, min(prediction.tolerance, MOST_TOLERANCE))
        if prediction.kind == "number"
        else None,
        options=tuple(
            Option(
                one.text,
                f"{'So it was' if one.covers(outcome.value) else 'No'}: measured {measured}.",
                one.covers(outcome.value),
            )
            for one in prediction.options
        ),
        lab=scenario.id,
    )


def _where(outcome: Outcome) -> str:
    """Date, model, kernels, device and variant of the runs."""
    runs = [run for run in outcome.runs if run is not None]
    if not runs:
        return f"on {outcome.at:%Y-%m-%d}."
    first = runs[0]
    names = " against ".join(f"“{run.variant}”" for run in runs if run.variant)
    return (
        f"on {outcome.at:%Y-%m-%d} with {first.model}, {first.kernels} kernels, on {first.device}"
        f"{f', {names}' if names else ''}: {first.num_blocks} blocks of {first.block_size}, at most {first.max_num_seqs} "
        f"requests and {first.max_num_batched_tokens} tokens a step."
    )


def _guess(outcome: Outcome) -> str:
    prediction = outcome.scenario.prediction
    if prediction is not None and prediction.kind == "choice":
        return f"“{prediction.options[int(outcome.guess)].text}”"
    return number(outcome.guess)
