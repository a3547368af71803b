"""Weights fitted to a person's own log, taken only if they foretell later answers better than the present ones.

The fitting is fsrs-rs, through the optional package `fsrs-rs-python`; without it the rest of the program is whole. The
log is split in time: the weights are fitted to the earlier four fifths, and both are then judged on the last fifth,
which the fit has not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec

import msgspec
import numpy as np

from .algorithm import Algorithm
from .errors import StudyError
from .evaluation import Evaluation, evaluate, overnight
from .histories import Histories, Mask

PACKAGE = "fsrs-rs-python"
HOW_TO_INSTALL = (
    f"Fitting weights needs {PACKAGE}: pip install 'runtime-ladder[optimiser]', then start again."
)
LEAST_TESTS = 400
TRAINED_ON = 0.8
LONGEST_HISTORY = 64  # answers of one item, as in py-fsrs

Fit = Callable[[Histories, Mask], Sequence[float]]


class Outcome(msgspec.Struct, frozen=True):
    """What came of it. `parameters` is None unless the new weights are better; `sentence` says it either way."""

    parameters: tuple[float, ...] | None
    sentence: str
    present: Evaluation | None = None
    fitted: Evaluation | None = None


def is_installed() -> bool:
    """Say whether the optional package is there, without importing it."""
    return find_spec("fsrs_rs_python") is not None


def optimise(histories: Histories, algorithm: Algorithm, fit: Fit | None = None) -> Outcome:
    """Fit weights and judge them. Takes seconds for a long log; touches no store, so any thread may run it."""
    if fit is None:
        if not is_installed():
            return Outcome(None, HOW_TO_INSTALL)
        fit = fit_with_fsrs_rs
    tests = overnight(histories)
    found = int(tests.sum())
    if found < LEAST_TESTS:
        return Outcome(
            None,
            f"Your weights stay as they are: fitting needs {LEAST_TESTS} answers given a day or more after the last, "
            f"and you have {found}.",
        )
    earlier, later = split(histories, tests)
    if not later.any() or not earlier.any():
        return Outcome(
            None,
            "Your weights stay as they are: all answers are of one day, so nothing later can judge new ones.",
        )
    parameters = tuple(float(value) for value in fit(histories, earlier))
    try:
        Algorithm(parameters=parameters)
    except StudyError:
        return Outcome(
            None, "Your weights stay as they are: the fit gave weights that FSRS-6 does not allow."
        )
    present = evaluate(histories, algorithm.parameters, later)
    fitted = evaluate(histories, parameters, later)
    return _judged(parameters, present, fitted)


def split(histories: Histories, tests: Mask) -> tuple[Mask, Mask]:
    """Return which tests are earlier and which later: whole study days, about four fifths to one fifth."""
    days = np.sort(histories.days[tests])
    border = days[int(len(days) * TRAINED_ON)]
    return tests & (histories.days < border), tests & (histories.days >= border)


def fit_with_fsrs_rs(histories: Histories, which: Mask) -> Sequence[float]:
    """Fit weights to the answers `which`, each with all that came before it in its item's history."""
    import fsrs_rs_python as rs

    items = []
    for start, end in zip(histories.starts[:-1], histories.starts[1:], strict=True):
        ratings, elapsed = histories.ratings[start:end].tolist(), histories.elapsed[start:end].tolist()
        answers = [
            rs.FSRSReview(rating, days)
            for rating, days in zip(ratings[:LONGEST_HISTORY], elapsed[:LONGEST_HISTORY], strict=True)
        ]
        items += [rs.FSRSItem(answers[: n + 1]) for n in range(1, len(answers)) if which[start + n]]
    return list(rs.FSRS(list(rs.DEFAULT_PARAMETERS)).compute_parameters(items))


def _judged(parameters: tuple[float, ...], present: Evaluation, fitted: Evaluation) -> Outcome:
    figures = (
        f"on the last {present.tests} answers, which the fit had not seen, log loss {present.log_loss:.4f} would become "
        f"{fitted.log_loss:.4f} and RMSE(bins) {present.rmse_bins:.4f} would become {fitted.rmse_bins:.4f}"
    )
    if fitted.log_loss < present.log_loss and fitted.rmse_bins < present.rmse_bins:
        return Outcome(parameters, f"The fitted weights are better: {figures}.", present, fitted)
    return Outcome(
        None, f"Your weights stay as they are, since new ones are not better: {figures}.", present, fitted
    )
