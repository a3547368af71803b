"""The timings that a whole history has under other settings, as if it had always been scheduled by them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose

import numpy as np

from .adjustment import Change, Timing, timing_of
from .algorithm import Algorithm
from .fuzz import fuzz_seed, fuzzed
from .histories import Histories, days_until, walk
from .records import Memory


def timings(histories: Histories, memories: Mapping[str, Memory], algorithm: Algorithm) -> dict[str, Timing]:
    """Return each item's timing after its newest answer under `algorithm`.

    The interval carries the fuzz that answering would have given, so that rescheduling by the settings that were in
    force all along changes nothing.
    """
    walked = walk(histories, algorithm.parameters)
    last = histories.starts[1:] - 1
    stability, difficulty = walked.stability[last], walked.difficulty[last]
    days = np.rint(days_until(stability, algorithm.desired_retention, algorithm.parameters))
    days = np.clip(days, 1, algorithm.maximum_interval).astype(np.int64)
    found = {}
    for item_id, strength, hardness, interval in zip(
        histories.item_ids, stability.tolist(), difficulty.tolist(), days.tolist(), strict=True
    ):
        memory = memories[item_id]
        if memory.phase != "review":
            interval = 0
        elif algorithm.fuzz:
            interval = fuzzed(interval, fuzz_seed(item_id, memory.reps - 1), algorithm.maximum_interval)
        found[item_id] = Timing(strength, hardness, interval)
    return found


def changes(histories: Histories, memories: Mapping[str, Memory], algorithm: Algorithm) -> tuple[Change, ...]:
    """Return the items whose timing would change, in the order of `histories`; rounding is no change."""
    found = []
    for item_id, after in timings(histories, memories, algorithm).items():
        before = timing_of(memories[item_id])
        if same_strength(before, after):
            after = Timing(before.stability, before.difficulty, after.interval)
        if before != after:
            found.append(Change(item_id, before, after))
    return tuple(found)


def same_strength(one: Timing, other: Timing) -> bool:
    """Say whether stability and difficulty are equal but for rounding in the last digits."""
    return isclose(one.stability, other.stability, rel_tol=1e-9) and isclose(
        one.difficulty, other.difficulty, rel_tol=1e-9
    )
