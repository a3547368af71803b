"""The spread of what is remembered, and the daily work it makes at one desired retention or another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sqlite3 import Connection

import numpy as np
import numpy.typing as npt

from ladder_desktop.study.algorithm import Algorithm

Floats = npt.NDArray[np.float64]

_MEMORIES = """
    SELECT interval, stability, difficulty FROM cards JOIN items USING (item_id)
    WHERE due_day IS NOT NULL AND position IS NOT NULL AND (:study_id IS NULL OR study_id = :study_id)
"""
DAY_EDGES = (
    0,
    2,
    4,
    7,
    14,
    21,
    30,
    60,
    90,
    180,
    365,
    730,
    np.inf,
)  # from the first up to below the second, …
DIFFICULTY_EDGES = tuple(range(1, 11))  # the last bin holds 10 too
RETENTIONS = (0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.97)


@dataclass(frozen=True, slots=True)
class Histogram:
    """`counts[i]` values lie from `edges[i]` up to below `edges[i + 1]`; the last bin also holds its upper edge."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    median: float | None


@dataclass(frozen=True, slots=True)
class Load:
    """The projected daily work at one desired retention, were all stabilities to stay as they are."""

    retention: float
    answers: float  # a day
    minutes: float | None  # a day; None while nothing says how long an answer takes


def read_memories(db: Connection, study_id: str | None) -> Floats:
    """Return [items in review, 3]: interval, stability, difficulty."""
    rows = db.execute(_MEMORIES, {"study_id": study_id}).fetchall()
    return np.array(rows, np.float64).reshape(len(rows), 3)


def histogram(values: Floats, edges: Sequence[float]) -> Histogram:
    """Count `values` between `edges`."""
    counts, _ = np.histogram(values, np.array(edges))
    median = float(np.median(values)) if values.size else None
    return Histogram(tuple(map(float, edges)), tuple(counts.tolist()), median)


def interval_factor(algorithm: Algorithm, retention: float) -> float:
    """Return by what a stability is multiplied to get the days until recall falls to `retention`: FSRS-6's curve."""
    decay = -algorithm.parameters[20]
    return float((retention ** (1 / decay) - 1) / (0.9 ** (1 / decay) - 1))


def load(stabilities: Floats, algorithm: Algorithm, retention: float, seconds: float | None) -> Load:
    """Return the daily work of keeping items of these stabilities at `retention`.

    An item is asked once an interval; the share that is forgotten goes through the relearning steps besides.
    """
    intervals = np.clip(stabilities * interval_factor(algorithm, retention), 1, algorithm.maximum_interval)
    again = (1 - retention) * len(algorithm.relearning_steps)
    answers = float((1 / intervals).sum() * (1 + again))
    return Load(retention, answers, None if seconds is None else answers * seconds / 60)
