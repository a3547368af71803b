"""A share of recalled answers, with the interval in which the true one lies."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

Z95 = 1.959963984540054  # the 97.5 % point of the normal distribution


@dataclass(frozen=True, slots=True)
class Share:
    """`recalled` of `tests`. A test is the first answer of a study day to an item in review; Again is a miss."""

    recalled: int
    tests: int

    def __add__(self, other: Share) -> Share:
        return Share(self.recalled + other.recalled, self.tests + other.tests)

    @property
    def rate(self) -> float | None:
        """The observed share, None without tests."""
        return self.recalled / self.tests if self.tests else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % score interval, which stays inside 0 and 1 and is honest about few tests; None without tests."""
        if not self.tests:
            return None
        n, p = self.tests, self.recalled / self.tests
        shrink = 1 + Z95**2 / n
        centre = (p + Z95**2 / (2 * n)) / shrink
        half = Z95 / shrink * sqrt(p * (1 - p) / n + Z95**2 / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    def against(self, target: float) -> Literal["unknown", "below", "on", "above"]:
        """Say whether the interval lies below the target, holds it, or lies above it."""
        if (interval := self.interval) is None:
            return "unknown"
        low, high = interval
        if high < target:
            return "below"
        return "above" if low > target else "on"


NO_TESTS = Share(0, 0)
