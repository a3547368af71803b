"""Cards gone through outside the queue: cramming, which leaves the schedule alone, or reviewing ahead. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from .records import Rating

LATER = 4  # how many others come before a card that was not known


class Session:
    """A round of cards. One that was not known comes again after a few others, the rest are done."""

    def __init__(self, item_ids: Iterable[str], name: str, scheduled: bool) -> None:
        """`name` says what they have in common; `scheduled`: answers are logged and move the schedule."""
        self.name = name
        self.scheduled = scheduled
        self._waiting = deque(dict.fromkeys(item_ids))
        self._done: list[tuple[tuple[str, ...], str, Rating]] = []

    @property
    def current(self) -> str | None:
        """The card whose turn it is; None at the end."""
        return self._waiting[0] if self._waiting else None

    @property
    def left(self) -> int:
        """How many cards wait, the current one among them."""
        return len(self._waiting)

    def rate(self, rating: Rating) -> None:
        """Move the current card on."""
        before = tuple(self._waiting)
        item_id = self._waiting.popleft()
        if rating is Rating.AGAIN:
            self._waiting.insert(min(LATER, len(self._waiting)), item_id)
        self._done.append((before, item_id, rating))

    def skip(self, item_id: str) -> None:
        """Leave a card out: it was buried or suspended."""
        if item_id in self._waiting:
            self._waiting.remove(item_id)

    def last(self) -> tuple[str, Rating] | None:
        """Return which card was rated last, and how."""
        return self._done[-1][1:] if self._done else None

    def undo(self) -> str | None:
        """Take back the last rating and return its card, whose turn it is again."""
        if not self._done:
            return None
        before, item_id, _ = self._done.pop()
        self._waiting = deque(before)
        return item_id
