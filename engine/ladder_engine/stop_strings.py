"""Ends an answer at one of some strings, however its text is cut into tokens."""

from __future__ import annotations


class StopStrings:
    """A stream of text that ends where the first stop string is complete, and does not contain it.

    When two are complete at the same character, the longer one counts. The end of the text is held back as long as it
    could be the beginning of a stop string, so nothing is ever said that would have to be taken back.
    """

    def __init__(self, stops: tuple[str, ...]) -> None:
        self._stops = stops
        self._held = ""

    def push(self, piece: str, *, last: bool = False) -> tuple[str, bool]:
        """The text that can be said now, and whether a stop string is complete; with `last`, nothing is held back."""
        text = self._held + piece
        complete = [(at + len(stop), at) for stop in self._stops if (at := text.find(stop)) >= 0]
        if complete:
            return text[: min(complete)[1]], True
        held = 0 if last else self._beginning(text)
        self._held = text[len(text) - held :]
        return text[: len(text) - held], False

    def _beginning(self, text: str) -> int:
        """Length of the longest end of `text` with which a stop string begins."""
        longest = max((len(stop) for stop in self._stops), default=1) - 1
        lengths = range(min(longest, len(text)), 0, -1)
        return next(
            (size for size in lengths if any(stop.startswith(text[-size:]) for stop in self._stops)), 0
        )
