"""A ticket while it is being answered: four steps, one try each, and the rating that the result suggests. No Qt.

The options are shown in a shuffled order, so that a second visit asks for the reason and not for the letter. What is
kept and counted are the positions in the pack.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ladder_content.model import STEP_NAMES, Option, Step, StepName, Ticket

from ladder_desktop.study import Rating

HEADINGS: dict[StepName, str] = {
    "shape": "Read the shape",
    "bound": "Name the bound",
    "lever": "Pick the lever",
    "study": "Point at the study",
}
SUGGESTED = {4: Rating.GOOD, 3: Rating.HARD}  # fewer: Again; Easy stays the person's own call


def suggested_rating(right: int) -> Rating:
    """Return the rating that fits `right` steps of four right at the first try."""
    return SUGGESTED.get(right, Rating.AGAIN)


class Diagnosis:
    """The answers given to one ticket so far, in the order of its steps."""

    def __init__(self, ticket: Ticket, shuffle: Random) -> None:
        self.ticket = ticket
        self._orders = {step.name: _shuffled(len(step.options), shuffle) for step in ticket.steps}
        self._picked: dict[StepName, int] = {}

    @property
    def picked(self) -> Mapping[StepName, int]:
        """The position in the pack of the option picked at each answered step."""
        return self._picked

    @property
    def current(self) -> Step | None:
        """The step that waits for an answer; None after the last."""
        return next((step for step in self.ticket.steps if step.name not in self._picked), None)

    @property
    def right(self) -> int:
        """How many of the answered steps were right."""
        return sum(step.options[self._picked[step.name]].correct for step in self.answered)

    @property
    def answered(self) -> tuple[Step, ...]:
        """The steps that have an answer."""
        return tuple(step for step in self.ticket.steps if step.name in self._picked)

    @property
    def suggestion(self) -> Rating:
        """The rating that fits the result."""
        return suggested_rating(self.right)

    def shown(self, step: Step) -> tuple[Option, ...]:
        """Return the options of a step in the order in which they are shown."""
        return tuple(step.options[position] for position in self._orders[step.name])

    def chosen(self, step: Step) -> Option:
        """Return the option picked at an answered step."""
        return step.options[self._picked[step.name]]

    def pick(self, shown: int) -> Step | None:
        """Answer the current step with the option shown at this place; return that step.

        None, and nothing changes, when every step is answered or no option stands there.
        """
        step = self.current
        if step is None or not 0 <= shown < len(step.options):
            return None
        self._picked[step.name] = self._orders[step.name][shown]
        return step

    def detail(self) -> dict[str, object]:
        """Return what the review log keeps: the picks by step name, and how many were right."""
        return {
            "picked": {name: self._picked[name] for name in STEP_NAMES if name in self._picked},
            "right": self.right,
        }


def _shuffled(count: int, shuffle: Random) -> tuple[int, ...]:
    order = list(range(count))
    shuffle.shuffle(order)
    return tuple(order)
