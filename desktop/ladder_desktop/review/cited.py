"""Which reading of a ticket's dashboard a reason cites: by the words of its name, or by its value. No Qt.

A pack says nowhere which reading decides a step. Its reasons do: "Bytes read per second stand near the peak". What a
reason forecasts ("TPOT should fall") decides nothing and is passed over; so is a name of one word, which every second
sentence holds, unless its value stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ladder_content.model import Metric, Step, Ticket

SENTENCE = re.compile(r"(?<=[.;:?!])\s+")
FORECAST = re.compile(r"^(if|after)\b|\b(should|must|would|will|may|predicted|forecast)\b", re.IGNORECASE)
WORD = re.compile(r"[a-z][a-z-]*")
NUMBER = re.compile(r"\d[\d,.]*\d|\d")
UNIT = re.compile(r"\s?(%|[a-zµ]+)?", re.IGNORECASE)
PERCENTILE = re.compile(r"\bp\d\d\b")
WEAK = frozenset(
    ["a", "and", "at", "for", "in", "now", "of", "on", "one", "over", "per", "the", "today", "user", "with"]
)


def deciding_reading(ticket: Ticket, step: Step) -> int | None:
    """Return the place of the reading that the reasons for a step's right option cite best; None if they cite none.

    The option's own reason goes before the ticket's evidence, an earlier sentence before a later one.
    """
    right = next(option for option in step.options if option.correct)
    for text in (right.why, ticket.evidence):
        weight, place = 0, 0
        for sentence in _statements(text):
            for position, metric in enumerate(ticket.metrics):
                found = _cited(metric, sentence)
                if found > weight:
                    weight, place = found, position
        if weight >= 2:
            return place
    return None


def cites_reading(ticket: Ticket, text: str) -> bool:
    """Tell whether a text leans on anything that stands on the dashboard."""
    return any(_cited(metric, sentence) >= 2 for sentence in _statements(text) for metric in ticket.metrics)


def _statements(text: str) -> Iterator[str]:
    return (sentence for sentence in SENTENCE.split(text) if not FORECAST.search(sentence))


def _cited(metric: Metric, sentence: str) -> int:
    if "target" in _bare(metric.name):
        return 0  # what is wanted was not read off anything
    return _named(metric.name, sentence) + _valued(metric.value, sentence)


def _named(name: str, sentence: str) -> int:
    """2 if a sentence holds every word of a name of two words or more, 1 for a name of one word, else 0."""
    said = {_stem(word) for word in WORD.findall(sentence.lower())}
    asked = {_stem(word) for word in WORD.findall(_bare(name))} - WEAK
    return min(len(asked), 2) if asked and asked <= said else 0


def _valued(value: str, sentence: str) -> int:
    """2 if the first number of a value stands in a sentence with its unit, else 0; a lone digit proves nothing."""
    first = NUMBER.search(value)
    if first is None:
        return 0
    unit = UNIT.match(value, first.end())
    whole = value[first.start() : unit.end() if unit else first.end()]
    if len(whole) < 3:
        return 0
    return 2 if re.search(rf"(?<![\d.,]){re.escape(whole)}(?!\w|\.\d)", sentence, re.IGNORECASE) else 0


def _bare(name: str) -> str:
    return PERCENTILE.sub(" ", name.lower().partition(",")[0])


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word
