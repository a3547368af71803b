"""What somebody answers to a card before looking at its back, and the rating that fits. No Qt.

The options of a lever card are shown in a shuffled order, so that a second visit asks for the reason and not for the
letter. What is kept are the positions in the pack.
"""

from __future__ import annotations

from random import Random

from ladder_content.model import Card, Option

from ladder_desktop.review.numbers_typed import parse_number
from ladder_desktop.study import Rating


class Attempt:
    """One try at one card. Looking without an answer is no mistake: `right` stays None."""

    def __init__(self, card: Card, shuffle: Random) -> None:
        self.card = card
        self.typed = ""
        self.picked: int | None = None
        self.right: bool | None = None
        self._order = list(range(len(card.options)))
        shuffle.shuffle(self._order)

    @property
    def options(self) -> tuple[Option, ...]:
        """The options in the order in which they are shown."""
        return tuple(self.card.options[position] for position in self._order)

    @property
    def chosen(self) -> Option | None:
        """The option that was picked."""
        return None if self.picked is None else self.card.options[self.picked]

    @property
    def correct(self) -> Option | None:
        """The option that is right."""
        return next((option for option in self.card.options if option.correct), None)

    @property
    def suggestion(self) -> Rating:
        """The rating that fits; Hard and Easy stay the person's own call."""
        return Rating.AGAIN if self.right is False else Rating.GOOD

    def submit(self, typed: str) -> bool:
        """Take what was typed; words are kept and not judged. False, and nothing changes, if a number cannot be read."""
        expected = self.card.expected
        if expected is None:
            self.typed = typed.strip()
        if expected is None or not typed.strip():
            return True
        value = parse_number(typed, expected.unit)
        if value is not None:
            self.typed = typed.strip()
            self.right = expected.accepts(value)
        return value is not None

    def pick(self, place: int) -> bool:
        """Take the option shown at this place; False if none stands there or one was taken before."""
        if self.picked is not None or not 0 <= place < len(self._order):
            return False
        self.picked = self._order[place]
        self.right = self.card.options[self.picked].correct
        return True

    def detail(self) -> dict[str, object]:
        """Return what the review log keeps of it; nothing if there was no answer."""
        if self.right is None:
            return {"typed": self.typed} if self.typed else {}
        answer = {"typed": self.typed} if self.picked is None else {"picked": self.picked}
        return {**answer, "right": self.right}
