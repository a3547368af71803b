"""The usual weights stand in our own file, so that the window need not load the package they come from."""

from __future__ import annotations

import fsrs.scheduler
from ladder_desktop.study.algorithm import DEFAULT_PARAMETERS


def test_the_usual_weights_are_those_of_the_fsrs_package() -> None:
    assert tuple(fsrs.scheduler.DEFAULT_PARAMETERS) == DEFAULT_PARAMETERS
