"""A prediction: what somebody says before a run, and how right it was. The right answer is whatever was measured.

```yaml
prediction:
  question: How many steps does the batch save?
  measure: steps              # a name from measures.py
  of: chat                    # only of this request, or of all copies of it (chat 1, chat 2, ...); left out: of the run
  variant: continuous         # in which variant; left out: in the first
  against: static             # and then it is the ratio of the two: 0.5 is half as many
  kind: number                # within `tolerance` (relative, 0.25 when left out) of what is measured
```
or, in place of a number, choices, of which exactly one covers each value that can come out:
```yaml
  kind: choice
  options:
    - {text: Fewer than half, below: 0.5}
    - {text: About as many, from: 0.5}
```
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Literal

import msgspec

from ladder_engine.errors import ScenarioError
from ladder_engine.lab.measures import MEASURES, number
from ladder_engine.tracing.state import RunState

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]


class Option(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One choice: right if the value is at least `from` and less than `below`; without one of them that side is open."""

    text: Text
    at_least: float | None = msgspec.field(default=None, name="from")
    below: float | None = None

    def covers(self, value: float) -> bool:
        """Whether this is the right choice for what was measured."""
        low, high = self.bounds
        return low <= value < high

    @property
    def bounds(self) -> tuple[float, float]:
        """From where to where it is right."""
        low = float("-inf") if self.at_least is None else self.at_least
        return low, float("inf") if self.below is None else self.below


class Score(msgspec.Struct, frozen=True):
    """How a prediction came out: the value measured, whether it was right, and a sentence for a person."""

    value: float
    right: bool
    sentence: str


class Prediction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the top of this file shows."""

    question: Text
    measure: str
    kind: Literal["number", "choice"]
    of: str = ""
    variant: str = ""
    against: str = ""
    tolerance: Annotated[float, msgspec.Meta(gt=0.0, le=1.0)] = 0.25
    options: Annotated[tuple[Option, ...], msgspec.Meta(max_length=6)] = ()

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise ValueError(f"there is no measure {self.measure!r}; the measures are {', '.join(MEASURES)}")
        if self.kind == "number" and self.options:
            raise ValueError("a number has no options; leave them out, or say kind: choice")
        if self.kind == "choice":
            self._check_options()

    def _check_options(self) -> None:
        if len(self.options) < 2:
            raise ValueError("a choice needs two options at least")
        bounds = sorted(option.bounds for option in self.options)
        whole = bounds[0][0] == float("-inf") and bounds[-1][1] == float("inf")
        if not whole or any(low[1] != high[0] for low, high in pairwise(bounds)):
            raise ValueError(
                "the options leave a value out or cover one twice; let each begin (from) where another ends (below), "
                "the lowest without from and the highest without below"
            )

    @property
    def unit(self) -> str:
        """The unit of the number: that of the measure, or "times" where two variants are compared."""
        return "times" if self.against else MEASURES[self.measure].unit

    def variants(self, default: str) -> tuple[str, ...]:
        """The variants that have to run before it can be scored."""
        first = self.variant or default
        return (first, self.against) if self.against else (first,)

    def measured(self, runs: Mapping[str, RunState], default: str) -> float:
        """The value that came out. Raises ScenarioError when the runs hold nothing to measure."""
        values = [MEASURES[self.measure].read(runs[name], self.of) for name in self.variants(default)]
        if values[0] is None or (self.against and not values[-1]):
            raise ScenarioError(f"The run has no {MEASURES[self.measure].label} to score the prediction by.")
        return values[0] / values[1] if self.against and values[1] else values[0]

    def score(self, guess: float | int, value: float) -> Score:
        """Compare a guess with what was measured. For a choice the guess is the index of its option."""
        came = f"{number(value)} {self.unit}"
        if self.kind == "choice":
            right = self.options[int(guess)]
            best = next(option for option in self.options if option.covers(value))
            if right is best:
                return Score(value, True, f"Right: measured {came}.")
            return Score(value, False, f"You said “{right.text}”; measured {came}: “{best.text}”.")
        near = abs(guess - value) <= self.tolerance * abs(value)
        how = "close enough" if near else f"more than {self.tolerance:.0%} off"
        return Score(value, near, f"You said {number(guess)}, measured {came}: {how}.")
