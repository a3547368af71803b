"""What of a reading can be drawn: a share of a whole, or marks on one scale. No Qt.

Only numbers that stand in the reading's name or value are drawn. What cannot be read for certain stays text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ladder_content.model import Metric

NUMBER = r"(\d[\d,]*(?:\.\d+)?)"
UNIT = r"(%|[a-zµ][\w/]*)"
QUANTITY = rf"{NUMBER}\s?{UNIT}?"
TIMES = {"µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
WORDS = r"[^\d]*"
PERCENT = re.compile(rf"{NUMBER}\s?%(?: of [^,;]+| always|[,;] {WORDS})?")
PART = re.compile(rf"{NUMBER}(?: ?([A-Za-z]+))? of {NUMBER}(?: ?([A-Za-z]+))?(?:[,;] {WORDS})?")
FRACTION = re.compile(r"0?\.\d+")
OF_ONE = re.compile(r"\b(rate|share|acceptance|hit)\b", re.IGNORECASE)
LABEL = r"(p\d\d(?:\.\d+)?|mean|median)"
FRONT = re.compile(rf"{LABEL}:? {QUANTITY}(?: ?/ ?|,? | and ){LABEL}:? {QUANTITY}")
BEHIND = re.compile(rf"{QUANTITY} (before|now|at [a-z]+|plain), {QUANTITY} (after|now|at [a-z]+)")
WAS = re.compile(rf"{QUANTITY}, {QUANTITY} (before)")
TARGET = re.compile(rf"{QUANTITY}(?:,| against)(?: a)? target(?: of)? {QUANTITY}")
AGAINST = re.compile(rf"{QUANTITY} against {QUANTITY} (plain|before)")
NAMED_TARGET = re.compile(rf"\btarget {QUANTITY}$")
SINGLE = re.compile(QUANTITY)


@dataclass(frozen=True)
class Share:
    """A part of a whole, from 0 to 1."""

    part: float


@dataclass(frozen=True)
class Mark:
    """A number on a scale, in the scale's unit, with the word that the text gives it; the word of a bare one is ""."""

    label: str
    value: float


@dataclass(frozen=True)
class Marks:
    """Two numbers on one scale that begins at zero and ends at `end`: the first was before, is lower, or is the reading."""

    first: Mark
    second: Mark
    end: float


Gauge = Share | Marks


def gauge(metric: Metric) -> Gauge | None:
    """Return what of a reading can be drawn; None where text says it better."""
    value = metric.value.strip()
    return _share(metric.name, value) or _marks(metric.name, value)


def _share(name: str, value: str) -> Share | None:
    if found := PERCENT.fullmatch(value):
        return _within(_number(found[1]), 100)
    if found := PART.fullmatch(value):
        same = found[2] is None or found[2] == found[4]
        return _within(_number(found[1]), _number(found[3])) if same else None
    if FRACTION.fullmatch(value) and OF_ONE.search(name):
        return _within(float(value), 1)
    return None


def _marks(name: str, value: str) -> Marks | None:
    if found := FRONT.fullmatch(value):
        return _scale((found[1], found[2], found[3]), (found[4], found[5], found[6]))
    if found := BEHIND.fullmatch(value):
        return _scale((found[3], found[1], found[2]), (found[6], found[4], found[5]))
    if found := WAS.fullmatch(value):
        return _scale((found[5], found[3], found[4]), ("now", found[1], found[2]))
    if found := AGAINST.fullmatch(value):
        return _scale((found[5], found[3], found[4]), ("", found[1], found[2]))
    if found := TARGET.fullmatch(value):
        return _scale(("target", found[3], found[4]), ("", found[1], found[2]))
    if (found := SINGLE.fullmatch(value)) and (target := NAMED_TARGET.search(name)):
        return _scale(("target", target[1], target[2]), ("", found[1], found[2]))
    return None


def _scale(first: tuple[str, str, str | None], second: tuple[str, str, str | None]) -> Marks | None:
    """Bring two numbers to one unit; a number without one has the other's. None if the units do not agree."""
    units = [unit for _, _, unit in (first, second) if unit]
    if len(set(units)) > 1 and not all(unit in TIMES for unit in units):
        return None
    fallback = units[0] if units else ""
    values = [_number(number) * TIMES.get(unit or fallback, 1.0) for _, number, unit in (first, second)]
    end = 100.0 if units and units[0] == "%" else max(values)
    if end <= 0 or max(values) > end:
        return None
    return Marks(Mark(first[0], values[0]), Mark(second[0], values[1]), end)


def _within(part: float, whole: float) -> Share | None:
    return Share(part / whole) if whole > 0 and part <= whole else None


def _number(text: str) -> float:
    return float(text.replace(",", ""))
