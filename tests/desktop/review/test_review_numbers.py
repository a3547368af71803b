from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.review.numbers_typed import parse_number, written


@pytest.mark.parametrize(
    ("typed", "unit", "value"),
    [
        ("131072", "B", 131072),
        ("131,072", "B", 131072),
        ("131 072", "B", 131072),
        ("131\u202f072", "B", 131072),
        ("131_072", "B", 131072),
        ("131'072", "B", 131072),
        ("1,234,567.5", "", 1234567.5),
        (" 1.3e5 ", "bytes", 130000),
        ("1.3E+5", "bytes", 130000),
        ("1.3 x 10^5", "bytes", 130000),
        ("1.3×10**5", "bytes", 130000),
        ("128 KiB", "B", 131072),
        ("128KiB", "bytes", 131072),
        ("128 kib", "B", 131072),
        ("131.072 kB", "B", 131072),
        ("0.128 MB", "KiB", 125),
        ("128 KiB", "KiB", 128),
        ("128", "KiB", 128),
        ("128 KiB/token", "B/token", 131072),
        ("128 KiB", "B per token", 131072),
        ("128 KiB per token", "B/token", 131072),
        ("131072 bytes a token", "B/token", 131072),
        ("3.35 TB/s", "GB/s", 3350),
        ("284 ms", "s", 0.284),
        ("0.284", "s", 0.284),
        ("2 µs", "us", 2),
        ("1,5", "ms", 1.5),
        (".5", "", 0.5),
        ("5.", "", 5),
        ("-3", "", -3),
        ("−3", "", -3),
        ("90 %", "%", 90),
        ("3x", "×", 3),
        ("295 flop/b", "FLOP/B", 295),
        ("12 token", "tokens", 12),
        ("1e0", "", 1),
    ],
)
def test_what_is_accepted(typed: str, unit: str, value: float) -> None:
    found = parse_number(typed, unit)
    assert found is not None
    assert math.isclose(found, value, rel_tol=1e-12)


@pytest.mark.parametrize(
    ("typed", "unit"),
    [
        ("", "B"),
        ("many", "B"),
        ("KiB", "B"),
        ("1.2.3", ""),
        ("12 34", ""),
        ("1,23,456", ""),
        ("128 KiB", "tokens"),
        ("5 Gb", "GB"),
        ("3 s", "B"),
        ("3 B/s", "B"),
        ("3 GB/s", "GB/token"),
        ("12 bananas", "B"),
        ("nan", ""),
        ("inf", ""),
        ("1e999", ""),
        ("9" * 400, ""),
        ("1 + 1", ""),
        ("__import__('os')", ""),
        ("-", ""),
        (".", ""),
    ],
)
def test_what_is_not(typed: str, unit: str) -> None:
    assert parse_number(typed, unit) is None


@given(st.text(max_size=70), st.text(max_size=12))
def test_no_text_breaks_it(typed: str, unit: str) -> None:
    value = parse_number(typed, unit)
    assert value is None or math.isfinite(value)


@given(st.integers(-(10**14), 10**14))
def test_what_is_written_can_be_typed(number: int) -> None:
    assert parse_number(written(number), "B") == number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (131072, "131,072"),
        (0.9, "0.9"),
        (295.2239, "295.2"),
        (12345.678, "12,345.7"),
        (3.35e18, "3.35e+18"),
        (0.00012345, "0.0001234"),
        (0, "0"),
    ],
)
def test_written(value: float, text: str) -> None:
    assert written(value) == text
