"""How well weights foretell what is recalled: log loss, and the RMSE over bins that the FSRS benchmark uses."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from .histories import AGAIN, Floats, Histories, Ints, Mask, walk


class Evaluation(msgspec.Struct, frozen=True):
    """Both are better when smaller. `tests` is how many answers they rest on."""

    tests: int
    log_loss: float
    rmse_bins: float


def overnight(histories: Histories) -> Mask:
    """Return which answers test memory over a night: [answers]."""
    return histories.elapsed >= 1


def evaluate(histories: Histories, parameters: Sequence[float], which: Mask) -> Evaluation:
    """Compare what the weights foretell for the answers `which` ([answers]) with what was recalled.

    Earlier answers of the same item are known to the weights, the answer itself and later ones are not.
    """
    recall = np.clip(walk(histories, parameters).recall[which], 1e-6, 1 - 1e-6)
    recalled = (histories.ratings[which] > AGAIN).astype(np.float64)
    if not len(recall):
        return Evaluation(0, float("nan"), float("nan"))
    loss = -(recalled * np.log(recall) + (1 - recalled) * np.log(1 - recall)).mean()
    return Evaluation(len(recall), float(loss), _rmse(_bins(histories)[which], recall, recalled))


def _rmse(bins: Ints, recall: Floats, recalled: Floats) -> float:
    """Return the root of the mean squared gap between foretold and observed recall of each bin, by its size."""
    _, place, size = np.unique(bins, axis=0, return_inverse=True, return_counts=True)
    place = place.reshape(-1)
    gap = (np.bincount(place, recall) - np.bincount(place, recalled)) / size
    return float(np.sqrt((size * gap**2).sum() / size.sum()))


def _bins(histories: Histories) -> Ints:
    """Return [answers, 3]: how long ago, how many answers before and how many lapses before, each on a coarse scale."""
    first = np.repeat(histories.starts[:-1], histories.counts)
    place = np.arange(len(histories.ratings)) - first
    lapse = (histories.ratings == AGAIN) & (histories.elapsed >= 1)
    lapses = np.cumsum(lapse) - lapse
    lapses = lapses - lapses[first] if len(lapses) else lapses
    return np.stack(
        [_coarse(histories.elapsed, 3.62), _coarse(place + 1, 1.89), _coarse(lapses, 1.73)], axis=1
    )


def _coarse(values: Ints, base: float) -> Ints:
    """Return the power of `base` a value reaches; -1 for nothing."""
    return np.where(values > 0, np.floor(np.log(np.maximum(values, 1)) / np.log(base)), -1).astype(np.int64)
