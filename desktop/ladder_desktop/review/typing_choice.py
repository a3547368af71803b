"""Whether a person types answers in words before they look."""

from __future__ import annotations

from typing import Protocol


class TypingChoice(Protocol):
    """Whether there is a box to type into; the window's preferences are one."""

    @property
    def typed_answers(self) -> bool:
        """Whether there is one."""

    @typed_answers.setter
    def typed_answers(self, typed: bool) -> None: ...


class Aloud:
    """Answers in words are spoken, until somebody wants it otherwise."""

    typed_answers = False
