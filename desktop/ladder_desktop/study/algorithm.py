"""The named rules and parameters by which an answer was scheduled, stored with every review.

The log can only be replayed if each review says which rules it followed. A later model gets a new name beside
"fsrs-6"; old reviews keep theirs.
"""

from __future__ import annotations

import msgspec

from .errors import StudyError

FSRS_6 = "fsrs-6"
_DAY = 86_400
# Those of the fsrs package, which loads with the first answer and not before the window is there.
DEFAULT_PARAMETERS = (
    *(0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194),
    *(0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629),
    *(1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542),
)


class Algorithm(msgspec.Struct, frozen=True):
    """FSRS-6 with its settings; StudyError if one of them makes no sense.

    Steps are whole seconds and shorter than a day: what reaches past the rollover is a review, not a step.
    `fuzz` spreads reviews over the days around the computed one (see fuzz.py).
    """

    name: str = FSRS_6
    parameters: tuple[float, ...] = DEFAULT_PARAMETERS
    desired_retention: float = 0.9
    learning_steps: tuple[int, ...] = (60, 600)
    relearning_steps: tuple[int, ...] = (600,)
    maximum_interval: int = 36_500
    fuzz: bool = True

    def __post_init__(self) -> None:
        if self.name != FSRS_6:
            raise StudyError(
                f"The scheduling algorithm {self.name} is not known; update Runtime Ladder to use it."
            )
        if not 0.70 <= self.desired_retention <= 0.99:
            raise StudyError(
                f"Desired retention must lie between 0.70 and 0.99, not {self.desired_retention}."
            )
        if not 1 <= self.maximum_interval <= 36_500:
            raise StudyError(
                f"The maximum interval must lie between 1 and 36500 days, not {self.maximum_interval}."
            )
        if not all(0 < step < _DAY for step in self.learning_steps + self.relearning_steps):
            raise StudyError(
                "Learning and relearning steps must be longer than nothing and shorter than a day."
            )
        if self.parameters != DEFAULT_PARAMETERS:
            _refuse_unsound(self.parameters)


def _refuse_unsound(parameters: tuple[float, ...]) -> None:
    import fsrs

    try:
        fsrs.Scheduler(parameters)
    except ValueError as error:
        reason = str(error).replace("\n", " ")
        raise StudyError(f"The FSRS-6 parameters cannot be used: {reason}.") from error
