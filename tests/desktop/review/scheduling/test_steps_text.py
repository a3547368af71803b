"""Steps and weights as people write them."""

from __future__ import annotations

import pytest
from ladder_desktop.review.steps_text import read_steps, read_weights, written_steps, written_weights
from ladder_desktop.study import StudyError


@pytest.mark.parametrize(
    ("text", "steps"), [("1m 10m", (60, 600)), ("30s,2h", (30, 7200)), ("5", (300,)), ("", ())]
)
def test_steps_as_people_write_them(text: str, steps: tuple[int, ...]) -> None:
    assert read_steps(text) == steps
    assert read_steps(written_steps(steps)) == steps


def test_weights_lose_no_digit() -> None:
    weights = (0.1 + 0.2, 1e-05, 36.0)
    assert read_weights(written_weights(weights)) == weights
    with pytest.raises(StudyError, match="is none"):
        read_weights("1, two")
