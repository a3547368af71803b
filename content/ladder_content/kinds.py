"""The rules of the card kinds: which fields a kind needs, and which belong to another."""

from __future__ import annotations

from ladder_content import cloze
from ladder_content.document import Document
from ladder_content.faults import Faults
from ladder_content.model import Card, Expected
from ladder_content.rules import check_one_correct

MAX_TOLERANCE = 0.5
MIN_OPTIONS, MAX_OPTIONS = 3, 5


def check_card(document: Document, path: str, card: Card, faults: Faults) -> None:
    """A card has points to be graded against, the fields of its kind, and none of another kind."""
    if not card.key_points:
        _fault(document, path, "key_points", "is empty; give at least one point to grade against", faults)
    if card.kind == "numeric":
        _check_expected(document, path, card.expected, faults)
    elif card.expected is not None:
        _fault(document, path, "expected", f"belongs to a numeric card; this one is {card.kind}", faults)
    if card.kind == "lever":
        _check_options(document, path, card, faults)
    elif card.options:
        _fault(document, path, "options", f"belongs to a lever card; this one is {card.kind}", faults)
    if card.kind == "cloze":
        _check_cloze(document, path, card, faults)


def check_tolerance(document: Document, path: str, tolerance: float, faults: Faults) -> None:
    """A relative tolerance accepts something, and not everything."""
    if not 0 <= tolerance <= MAX_TOLERANCE:
        limits = f"must be between 0 and {MAX_TOLERANCE}; it is relative, so 0.02 is two percent"
        _fault(document, path, "tolerance", limits, faults)


def _check_expected(document: Document, path: str, expected: Expected | None, faults: Faults) -> None:
    if expected is None:
        needed = "is missing; a numeric card needs its value, unit and tolerance"
        _fault(document, path, "expected", needed, faults)
    else:
        check_tolerance(document, f"{path}.expected", expected.tolerance, faults)


def _check_options(document: Document, path: str, card: Card, faults: Faults) -> None:
    if not MIN_OPTIONS <= len(card.options) <= MAX_OPTIONS:
        count = f"has {len(card.options)} entries; a lever card offers {MIN_OPTIONS} to {MAX_OPTIONS}"
        _fault(document, path, "options", count, faults)
    if card.options:
        check_one_correct(document, f"{path}.options", card.options, faults)


def _check_cloze(document: Document, path: str, card: Card, faults: Faults) -> None:
    try:
        hidden = [part for part in cloze.parts(card.question) if part.hidden]
    except ValueError as error:
        _fault(document, path, "question", str(error), faults)
    else:
        if not hidden:
            _fault(document, path, "question", "hides nothing; a cloze card hides a part as {{part}}", faults)


def _fault(document: Document, path: str, name: str, message: str, faults: Faults) -> None:
    """Note a fault at a field, or at its entry where the field is not there."""
    line = document.lines.get(f"{path}.{name}", document.lines[path])
    faults.add(document.name, line, f"{path}.{name}", message)
