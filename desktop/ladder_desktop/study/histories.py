"""FSRS-6 over many histories at once, in numpy: what every answer of a log left behind, were it all scheduled anew.

The formulas are those of the `fsrs` package (github.com/open-spaced-repetition/py-fsrs), which takes one answer of one
card at a time; a test walks both beside each other. Stability and difficulty depend on ratings and on the study days
between them alone, not on steps, limits or fuzz.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

LEAST_STABILITY = 0.001
AGAIN, HARD, EASY = 1, 2, 4


class Histories(msgspec.Struct, frozen=True):
    """Answers of several items, item by item, each item's in the order of the log.

    `ratings`, `days` and `elapsed` are [answers]: the rating 1 to 4, the study day, the study days since the item's
    last answer (0 for the first). `starts` is [items + 1]: where each item's answers begin.
    """

    item_ids: tuple[str, ...]
    starts: Ints
    ratings: Ints
    days: Ints
    elapsed: Ints

    @property
    def counts(self) -> Ints:
        """How many answers each item has: [items]."""
        return np.diff(self.starts)


class Walk(msgspec.Struct, frozen=True):
    """What the answers leave: stability and difficulty after each, chance of recall before each; [answers].

    The chance is NaN for the first answer of an item.
    """

    stability: Floats
    difficulty: Floats
    recall: Floats


def gather_histories(answers: Iterable[tuple[str, int, int]]) -> Histories:
    """Sort (item id, rating, study day), given in the order of the log, into histories."""
    rows: dict[str, list[tuple[int, int]]] = {}
    for item_id, rating, day in answers:
        rows.setdefault(item_id, []).append((rating, day))
    flat = np.array([pair for found in rows.values() for pair in found], np.int64).reshape(-1, 2)
    starts = np.cumsum([0, *map(len, rows.values())], dtype=np.int64)
    ratings, days = flat[:, 0], flat[:, 1]
    elapsed = np.zeros(len(days), np.int64)
    elapsed[1:] = np.maximum(np.diff(days), 0)
    elapsed[starts[:-1]] = 0
    return Histories(tuple(rows), starts, ratings, days, elapsed)


def walk(histories: Histories, parameters: Sequence[float]) -> Walk:
    """Schedule every answer by FSRS-6 with these parameters: all first answers, then all second ones, and so on."""
    total = len(histories.ratings)
    out = Walk(np.empty(total), np.empty(total), np.full(total, np.nan))
    counts = histories.counts
    order = np.argsort(-counts, kind="stable")
    starts, left = histories.starts[:-1][order], counts[order]
    for turn in range(int(counts.max(initial=0))):
        places = starts[: int(np.searchsorted(-left, -turn, side="left"))] + turn
        ratings = histories.ratings[places]
        if turn == 0:
            out.stability[places] = np.maximum(np.array(parameters[:4])[ratings - 1], LEAST_STABILITY)
            out.difficulty[places] = np.clip(_first_difficulty(parameters, ratings), 1, 10)
            continue
        stability, difficulty = out.stability[places - 1], out.difficulty[places - 1]
        elapsed = histories.elapsed[places]
        recall = chance_of_recall(stability, elapsed, parameters)
        out.recall[places] = recall
        out.stability[places] = np.where(
            elapsed < 1,
            _same_day(parameters, stability, ratings),
            np.where(
                ratings == AGAIN,
                _forgotten(parameters, stability, difficulty, recall),
                _recalled(parameters, stability, difficulty, recall, ratings),
            ),
        ).clip(min=LEAST_STABILITY)
        out.difficulty[places] = _next_difficulty(parameters, difficulty, ratings)
    return out


def chance_of_recall(stability: Floats, elapsed: Ints | Floats, parameters: Sequence[float]) -> Floats:
    """Return the chance of recall so many days after the last answer; broadcasts."""
    decay = -parameters[20]
    factor = 0.9 ** (1 / decay) - 1
    return np.asarray((1 + factor * elapsed / stability) ** decay, np.float64)


def days_until(stability: Floats, retention: float, parameters: Sequence[float]) -> Floats:
    """Return after how many days the chance of recall falls to `retention`; [as stability]."""
    decay = -parameters[20]
    return np.asarray(stability / (0.9 ** (1 / decay) - 1) * (retention ** (1 / decay) - 1), np.float64)


def _first_difficulty(w: Sequence[float], ratings: Ints | int) -> Floats:
    return np.asarray(w[4] - np.exp(w[5] * (np.asarray(ratings) - 1)) + 1, np.float64)


def _next_difficulty(w: Sequence[float], difficulty: Floats, ratings: Ints) -> Floats:
    damped = difficulty + (10 - difficulty) * (-w[6] * (ratings - 3)) / 9
    return np.clip(w[7] * _first_difficulty(w, EASY) + (1 - w[7]) * damped, 1, 10)


def _same_day(w: Sequence[float], stability: Floats, ratings: Ints) -> Floats:
    growth = np.exp(w[17] * (ratings - 3 + w[18])) * stability ** -w[19]
    return np.asarray(stability * np.where(ratings == AGAIN, growth, np.maximum(growth, 1)), np.float64)


def _forgotten(w: Sequence[float], stability: Floats, difficulty: Floats, recall: Floats) -> Floats:
    long_term = w[11] * difficulty ** -w[12] * ((stability + 1) ** w[13] - 1) * np.exp((1 - recall) * w[14])
    return np.asarray(np.minimum(long_term, stability / np.exp(w[17] * w[18])), np.float64)


def _recalled(
    w: Sequence[float], stability: Floats, difficulty: Floats, recall: Floats, ratings: Ints
) -> Floats:
    growth = np.exp(w[8]) * (11 - difficulty) * stability ** -w[9] * (np.exp((1 - recall) * w[10]) - 1)
    bonus = np.where(ratings == HARD, w[15], 1) * np.where(ratings == EASY, w[16], 1)
    return np.asarray(stability * (1 + growth * bonus), np.float64)
