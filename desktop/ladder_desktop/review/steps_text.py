"""Learning steps as a person writes them: "1m 10m". No Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ladder_desktop.study import StudyError

SECONDS = {"s": 1, "m": 60, "h": 3600}
_STEP = re.compile(r"(\d+)\s*([smh]?)")


def read_steps(text: str) -> tuple[int, ...]:
    """Return the seconds of "30s 10m 1h"; a bare number is minutes. StudyError says what cannot be read."""
    steps = []
    for word in text.replace(",", " ").split():
        found = _STEP.fullmatch(word)
        if found is None:
            raise StudyError(f"Steps look like 1m 10m, in s, m or h; {word} cannot be read.")
        steps.append(int(found[1]) * SECONDS[found[2] or "m"])
    return tuple(steps)


def written_steps(steps: Sequence[int]) -> str:
    """Return steps as `read_steps` reads them, each in the largest unit that holds it whole."""
    return " ".join(_written(step) for step in steps)


def read_weights(text: str) -> tuple[float, ...]:
    """Return the numbers of a text, separated by spaces or commas; StudyError says what is none."""
    weights = []
    for word in text.replace(",", " ").split():
        try:
            weights.append(float(word))
        except ValueError:
            raise StudyError(f"The weights are 21 numbers; {word[:20]} is none.") from None
    return tuple(weights)


def written_weights(weights: Sequence[float]) -> str:
    """Return weights as `read_weights` reads them, to the last digit."""
    return ", ".join(f"{weight!r}" for weight in weights)


def _written(step: int) -> str:
    for unit in ("h", "m"):
        if step % SECONDS[unit] == 0:
            return f"{step // SECONDS[unit]}{unit}"
    return f"{step}s"
