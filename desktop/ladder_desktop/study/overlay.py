"""A card in a person's own words: the pack's card with what was reworded laid over it. No store, no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from ladder_content import cloze
from ladder_content.model import Card, Pack

from .words import Edit

FIELDS = {"question": "Question", "answer": "Answer", "key_points": "Key points", "follow_up": "Follow-up"}


def wording(card: Card) -> dict[str, str]:
    """Return what can be reworded, by field; key points are one a line."""
    return {
        "question": card.question,
        "answer": card.answer,
        "key_points": "\n".join(card.key_points),
        "follow_up": card.follow_up,
    }


def reworded(card: Card, edits: Iterable[Edit]) -> Card:
    """Return the card in the person's own words; a field that this version does not know is left alone."""
    own: dict[str, object] = {edit.field: edit.own for edit in edits if edit.field in FIELDS}
    if not own:
        return card
    if "key_points" in own:
        own["key_points"] = _lines(str(own["key_points"]))
    return msgspec.structs.replace(card, **own)


def reworded_pack(pack: Pack, edits: Iterable[Edit]) -> Pack:
    """Return the pack with every card in the person's own words."""
    by_item: dict[str, list[Edit]] = {}
    for edit in edits:
        by_item.setdefault(edit.item_id, []).append(edit)
    studies = tuple(
        msgspec.structs.replace(
            study,
            cards=tuple(reworded(card, by_item.get(f"{pack.id}/{card.id}", ())) for card in study.cards),
        )
        for study in pack.studies
    )
    return msgspec.structs.replace(pack, studies=studies) if by_item else pack


def changed_since(card: Card, edits: Iterable[Edit]) -> dict[str, str]:
    """Return what the pack says now of the fields that were reworded when it said something else."""
    now = wording(card)
    return {
        edit.field: now[edit.field]
        for edit in edits
        if edit.field in now and now[edit.field] != edit.original
    }


def fault_in(card: Card, own: Mapping[str, str]) -> str:
    """Return one sentence about a wording that cannot be shown; empty if it can."""
    if not own.get("question", card.question).strip():
        return "A card needs a question."
    if not own.get("answer", card.answer).strip():
        return "A card needs an answer."
    question = own.get("question", card.question)
    if card.kind == "cloze" and not any(part.hidden for part in cloze.parts(question)):
        return "This card hides a part of its question: write that part as {{hidden}}."
    return ""


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())
