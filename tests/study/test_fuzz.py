from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.study.fuzz import SEED_BITS, fuzz_range, fuzz_seed, fuzzed

MAXIMUM = 36_500
intervals = st.integers(min_value=1, max_value=MAXIMUM)
seeds = st.integers(min_value=0, max_value=2**SEED_BITS - 1)


@pytest.mark.parametrize(
    ("days", "first", "last"),
    [(1, 1, 1), (2, 2, 2), (3, 2, 4), (7, 5, 9), (10, 8, 12), (20, 17, 23), (30, 27, 33), (100, 93, 107)],
)
def test_the_ranges_are_ankis(days: int, first: int, last: int) -> None:
    assert fuzz_range(days, MAXIMUM) == (first, last)


@given(intervals, seeds)
def test_a_draw_lies_in_its_range(days: int, seed: int) -> None:
    first, last = fuzz_range(days, MAXIMUM)
    assert 1 <= first <= days <= last <= MAXIMUM
    assert first <= fuzzed(days, seed, MAXIMUM) <= last


@given(intervals, intervals, seeds)
def test_a_longer_interval_never_becomes_the_shorter_one(one: int, other: int, seed: int) -> None:
    short, long = sorted((one, other))
    assert fuzzed(short, seed, MAXIMUM) <= fuzzed(long, seed, MAXIMUM)


@given(st.integers(min_value=1, max_value=34_000))
def test_over_all_seeds_each_day_is_drawn_equally_often_and_the_mean_is_the_interval(days: int) -> None:
    first, last = fuzz_range(days, MAXIMUM)
    width = last - first + 1
    starts = [
        -(-(part << SEED_BITS) // width) for part in range(width + 1)
    ]  # of `width` equal parts of all seeds
    for part, (start, end) in enumerate(pairwise(starts)):
        assert fuzzed(days, start, MAXIMUM) == fuzzed(days, end - 1, MAXIMUM) == first + part
    assert first + last == 2 * days


def test_the_seeds_of_real_items_are_spread_evenly() -> None:
    """Chi-square with 4 degrees of freedom: 18.5 is passed by chance once in a thousand, and these draws are fixed."""
    draws = Counter(
        fuzzed(10, fuzz_seed(f"runtime-ladder/hub-card-{card}", reps), MAXIMUM)
        for card in range(1000)
        for reps in range(10)
    )
    assert sorted(draws) == [8, 9, 10, 11, 12]
    assert sum((count - 2000) ** 2 / 2000 for count in draws.values()) < 18.5


def test_the_seed_of_an_item_never_changes() -> None:
    """Logs written by an earlier version must replay to the same days in a later one."""
    assert fuzz_seed("runtime-ladder/hub-prefill-bound", 0) == 0x84DF8E27984D6B1B
    assert fuzz_seed("runtime-ladder/hub-prefill-bound", 1) == 0x51EBBBE5E6B54A58


def test_the_limit_holds() -> None:
    assert fuzz_range(90, 91) == (84, 91)
    assert fuzzed(90, 2**SEED_BITS - 1, 91) == 91
