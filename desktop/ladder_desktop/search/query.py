"""What a person typed, as a full-text query. Nothing that can be typed is an error.

A word finds what begins with it, so that hits come while one types. A word with dots, dashes or underscores is
looked for as its parts in a row: `--max-num-seqs`, `max_num_seqs` and `num-seqs` find the same. Double quotes hold
words together, and a number is meant whole. Operators of the search engine are plain words here.
"""

from __future__ import annotations

import re
import unicodedata

_PIECE = re.compile(r'"([^"]*)"|([^\s"]+)')
_PART = re.compile(r"[^\W_]+")
_ENDINGS = ("ing", "es", "ed", "s")
_SHORTEST_STEM = 4
_SMALL_WORD = re.compile(
    "an?|and|are|as|at|be|but|by|can|do|does|for|from|has|have|how|i|if|in|is|its?|my|not|of|on|or|that|the|then|"
    "there|this|to|was|what|when|where|which|who|why|will|with|you",
    re.IGNORECASE,
)
MOST_WORDS = 16  # further words would only cost time
LONGEST = 300


def match_all(typed: str) -> str:
    """Return the FTS5 expression for entries that hold every word, in a row before apart; "" if there is no word."""
    words = _parsed(typed)
    every = " AND ".join(map(_phrase, words))
    if len(words) < 2:
        return every
    row = " ".join(part for parts, _ in words for part in parts)
    return f'({every}) OR "{row}"*'


def match_any(typed: str) -> str:
    """Return the FTS5 expression for entries that hold at least one of several words."""
    return " OR ".join(map(_phrase, _parsed(typed)))


def _parsed(typed: str) -> list[tuple[list[str], bool]]:
    """Return the words, each as its parts and whether it was quoted; small words go unless they are all there is."""
    text = unicodedata.normalize("NFKC", typed[:LONGEST])
    pieces = [(_PART.findall(quoted or word), bool(quoted)) for quoted, word in _PIECE.findall(text)]
    words = [piece for piece in pieces if piece[0]][:MOST_WORDS]
    return [(p, q) for p, q in words if q or len(p) > 1 or not _SMALL_WORD.fullmatch(p[0])] or words


def _phrase(word: tuple[list[str], bool]) -> str:
    """Return a word as a prefix; an inflected one also as its stem, which finds the other forms."""
    parts, quoted = word
    whole = f'"{" ".join(parts)}"'
    if quoted or parts[-1].isdecimal():
        return whole
    stem = _stem(parts[-1])
    return f'({whole}* OR "{" ".join((*parts[:-1], stem))}"*)' if stem else f"{whole}*"


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and not word.endswith("ss"):
            stem = word[: -len(ending)]
            return stem if len(stem) >= _SHORTEST_STEM and stem.isalpha() else ""
    return ""
