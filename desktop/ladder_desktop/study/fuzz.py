"""Fuzz: spread the reviews of items learned together over neighbouring days, without moving their mean.

The width follows Anki's ranges (docs.ankiweb.net, "Fuzz factor"): one day, plus 15 % of the part of the interval
between 2.5 and 7 days, 10 % of the part between 7 and 20, and 5 % of the rest. The `fsrs` package rounds a draw
that it should floor, which lets it leave the range and adds half a day on average, and draws from the global
random source, so that a preview differs from its result; hence this own version.
"""

from __future__ import annotations

import math

_BANDS = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.10), (20.0, math.inf, 0.05))
SEED_BITS = 64


def fuzz_seed(item_id: str, reps: int) -> int:
    """Return the draw, 0 to 2**64 - 1, of an item answered `reps` times before: the same now, later and in a replay."""
    from hashlib import blake2b  # late: the window opens before anything is answered

    digest = blake2b(f"{item_id}\n{reps}".encode(), digest_size=SEED_BITS // 8).digest()
    return int.from_bytes(digest, "big")


def fuzz_range(days: int, maximum: int) -> tuple[int, int]:
    """Return the first and last day an interval of `days` may become; symmetric but for the limits 2 and `maximum`."""
    if days < 3:
        return days, days
    width = 1.0 + sum(share * max(0.0, min(days, end) - start) for start, end, share in _BANDS)
    half = math.floor(width + 0.5)
    return max(2, days - half), min(days + half, maximum)


def fuzzed(days: int, seed: int, maximum: int) -> int:
    """Return an interval drawn evenly from its range by `seed`.

    Both ends of the range grow with `days`, and the draw is their weighted mean, rounded down: with the same
    seed a longer interval never becomes the shorter one.
    """
    first, last = fuzz_range(days, maximum)
    return first + (seed * (last - first + 1) >> SEED_BITS)
