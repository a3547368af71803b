"""The memory curve of a card: the chance of recalling it, from its first review to now and on. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from .records import Rating, Review

DAY_MS = 86_400_000


class Dot(msgspec.Struct, frozen=True):
    """A review on the curve: when it was, how it went, and the chance of recall just before it (None: it was new)."""

    at: int  # milliseconds since 1970-01-01 UTC
    rating: Rating
    chance: float | None


class Stretch(msgspec.Struct, frozen=True):
    """The time from one review to the next, in which memory only fades."""

    start: int
    end: int
    stability: float
    decay: float

    def chance(self, at: int) -> float:
        """Return the chance of recall at an instant."""
        return retrievability(self.stability, (at - self.start) / DAY_MS, self.decay)


class Curve(msgspec.Struct, frozen=True):
    """Stretches and dots, oldest first; the last stretch reaches to the end that was asked for."""

    stretches: tuple[Stretch, ...]
    dots: tuple[Dot, ...]


def retrievability(stability: float, days: float, decay: float) -> float:
    """Return FSRS's chance of recall `days` after a review: 1 at once, 0.9 after `stability` days.

    `decay` is positive, the last of the 21 parameters; a negative time, from a clock set back, counts as none.
    """
    factor = float(0.9 ** (-1 / decay)) - 1
    return float((1 + factor * max(0.0, days) / stability) ** -decay)


def curve_of(reviews: Sequence[Review], until: int) -> Curve:
    """Return the curve of one card's reviews, oldest first, up to an instant in milliseconds."""
    stretches: list[Stretch] = []
    dots: list[Dot] = []
    for place, review in enumerate(reviews):
        start = review.answered_at
        end = reviews[place + 1].answered_at if place + 1 < len(reviews) else until
        before = stretches[-1].chance(start) if stretches else None
        dots.append(Dot(start, review.rating, before))
        decay = review.algorithm.parameters[20]
        stretches.append(Stretch(start, max(start, end), review.after.stability, decay))
    return Curve(tuple(stretches), tuple(dots))
