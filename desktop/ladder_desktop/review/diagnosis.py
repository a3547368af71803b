"""A ticket while it is being answered: four steps, one try each, hints, and the rating that the result suggests. No Qt.

The options are shown in a shuffled order, so that a second visit asks for the reason and not for the letter. What is
kept and counted are the positions in the pack.

A hint costs a point. It strikes out a wrong option of the current step, as long as two are left to choose from; or, once
in a ticket, it shows the reading that the reasons for the right option cite.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ladder_content.model import STEP_NAMES, Metric, Option, Step, StepName, Ticket

from ladder_desktop.review.cited import cites_reading, deciding_reading
from ladder_desktop.study import Rating

LEFT_TO_CHOOSE = 2
HEADINGS: dict[StepName, str] = {
    "shape": "Read the shape",
    "bound": "Name the bound",
    "lever": "Pick the lever",
    "study": "Point at the study",
}
SUGGESTED = {4: Rating.GOOD, 3: Rating.HARD}  # fewer: Again; Easy stays the person's own call


def suggested_rating(points: int) -> Rating:
    """Return the rating that fits the points: one for each of the four steps right at the first try, less the hints."""
    return SUGGESTED.get(points, Rating.AGAIN)


class Diagnosis:
    """The answers given to one ticket so far, in the order of its steps."""

    def __init__(self, ticket: Ticket, shuffle: Random) -> None:
        self.ticket = ticket
        self._orders = {step.name: _shuffled(len(step.options), shuffle) for step in ticket.steps}
        self._picked: dict[StepName, int] = {}
        self._struck: dict[StepName, tuple[int, ...]] = {}
        self._reading: tuple[StepName, int] | None = None

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
    def hints(self) -> int:
        """How many hints were taken."""
        return sum(map(len, self._struck.values())) + (self._reading is not None)

    @property
    def points(self) -> int:
        """The steps that were right, less a point for each hint; never below none."""
        return max(0, self.right - self.hints)

    @property
    def suggestion(self) -> Rating:
        """The rating that fits the result."""
        return suggested_rating(self.points)

    @property
    def reading(self) -> tuple[int, int] | None:
        """What a hint has shown: the number of a step, from 1, and the place of the reading that decides it."""
        return (STEP_NAMES.index(self._reading[0]) + 1, self._reading[1]) if self._reading else None

    @property
    def can_strike(self) -> bool:
        """Whether the current step has a wrong option to strike out."""
        step = self.current
        return step is not None and len(step.options) - len(self.struck(step)) > LEFT_TO_CHOOSE

    @property
    def can_show_reading(self) -> bool:
        """Whether the reading that decides the current step can be shown: once, where one is cited."""
        step = self.current
        return self._reading is None and step is not None and deciding_reading(self.ticket, step) is not None

    def shown(self, step: Step) -> tuple[Option, ...]:
        """Return the options of a step in the order in which they are shown."""
        return tuple(step.options[position] for position in self._orders[step.name])

    def struck(self, step: Step) -> tuple[int, ...]:
        """Return the places, as shown, of the options that hints have struck out."""
        return tuple(self._orders[step.name].index(position) for position in self._struck.get(step.name, ()))

    def chosen(self, step: Step) -> Option:
        """Return the option picked at an answered step."""
        return step.options[self._picked[step.name]]

    def pick(self, shown: int) -> Step | None:
        """Answer the current step with the option shown at this place; return that step.

        None, and nothing changes, when every step is answered, or no option stands there, or it is struck out.
        """
        step = self.current
        if step is None or not 0 <= shown < len(step.options) or shown in self.struck(step):
            return None
        self._picked[step.name] = self._orders[step.name][shown]
        return step

    def strike(self) -> Option | None:
        """Strike out a wrong option of the current step and return it; None if there is none to spare.

        One that the readings on the dashboard refute goes first: somebody who has read them has the least use for it.
        """
        step = self.current
        if step is None or not self.can_strike:
            return None
        gone = self._struck.get(step.name, ())
        wrong = [
            place for place, option in enumerate(step.options) if not option.correct and place not in gone
        ]
        place = min(wrong, key=lambda place: not cites_reading(self.ticket, step.options[place].why))
        self._struck[step.name] = (*gone, place)
        return step.options[place]

    def show_reading(self) -> Metric | None:
        """Show the reading that decides the current step and return it; None if there is none, or it was asked before."""
        step = self.current
        if step is None or self._reading is not None:
            return None
        place = deciding_reading(self.ticket, step)
        if place is None:
            return None
        self._reading = (step.name, place)
        return self.ticket.metrics[place]

    def detail(self) -> dict[str, object]:
        """Return what the review log keeps: the picks by step name, how many were right, and the hints by step name.

        A hint is the position in the pack of the option it struck out, or the name of the reading it showed.
        """
        detail: dict[str, object] = {
            "picked": {name: self._picked[name] for name in STEP_NAMES if name in self._picked},
            "right": self.right,
        }
        if self.hints:
            detail["hints"] = {name: hints for name in STEP_NAMES if (hints := self._hints_at(name))}
        return detail

    def _hints_at(self, name: StepName) -> list[int | str]:
        shown = self._reading
        reading = [self.ticket.metrics[shown[1]].name] if shown is not None and shown[0] == name else []
        return [*self._struck.get(name, ()), *reading]


def _shuffled(count: int, shuffle: Random) -> tuple[int, ...]:
    order = list(range(count))
    shuffle.shuffle(order)
    return tuple(order)
