"""References from a text to the facts behind its figures: `295 FLOP/B [F1.09]`, or several, `[F1.09, F1.10]`."""

from __future__ import annotations

import re

FACT_ID = re.compile(r"[A-Z]{1,3}[0-9]{1,3}\.[0-9]{1,3}[a-z]?")
_CITATION = re.compile(rf"\[({FACT_ID.pattern}(?:,\s*{FACT_ID.pattern})*)\](?![(\[])")


def cited(text: str) -> list[str]:
    """Return the fact ids that a text cites, in order, repeats included."""
    return [fact_id for match in _CITATION.finditer(text) for fact_id in FACT_ID.findall(match[1])]


def without_citations(text: str) -> str:
    """Return a text as it is read aloud: without its citations and the space before each."""
    return re.sub(rf"(?<!\s)\s*{_CITATION.pattern}", "", text)
