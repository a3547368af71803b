"""How long somebody looked at an item: monotonic, paused while the page is hidden, capped. No Qt."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

CARD = timedelta(seconds=60)  # somebody who left the desk did not think for an hour


class Stopwatch:
    """Measures one item at a time, up to `cap`. `seconds` is any clock that never goes backwards."""

    def __init__(self, cap: timedelta = CARD, seconds: Callable[[], float] = time.monotonic) -> None:
        self._cap = cap
        self._seconds = seconds
        self._before = 0.0
        self._since: float | None = None

    def start(self) -> None:
        """Begin again at zero."""
        self._before = 0.0
        self._since = self._seconds()

    def pause(self) -> None:
        """Stop counting; what has been counted stays."""
        self._before = self._total()
        self._since = None

    def resume(self) -> None:
        """Count on from where `pause` stopped."""
        if self._since is None:
            self._since = self._seconds()

    def elapsed(self) -> timedelta:
        """Return the time counted since `start`, at most `cap`."""
        return min(timedelta(seconds=self._total()), self._cap)

    def _total(self) -> float:
        return self._before + (0.0 if self._since is None else self._seconds() - self._since)
