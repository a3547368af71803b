"""Cloze questions: a text in which the parts to recall stand in double braces, `a decode step reads {{all weights}}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HIDDEN = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


@dataclass(frozen=True)
class Part:
    """A piece of a cloze question, in order; `hidden` is what the learner has to recall."""

    text: str
    hidden: bool


def parts(question: str) -> list[Part]:
    """Cut a question into its shown and hidden parts; ValueError, which says why, if its braces do not pair up.

    Markdown is left alone. A question without braces is one shown part.
    """
    pieces = _HIDDEN.split(question)  # shown, hidden, shown, hidden, ..., shown
    for index, piece in enumerate(pieces):
        if "{{" in piece or "}}" in piece:
            raise ValueError("has double braces that do not pair up")
        if index % 2 and not piece.strip():
            raise ValueError("hides an empty part")
    return [Part(piece, bool(index % 2)) for index, piece in enumerate(pieces) if piece]


def filled(question: str) -> str:
    """Return a question with its hidden parts shown."""
    return _HIDDEN.sub(lambda match: match[1], question)
