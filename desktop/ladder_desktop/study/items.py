"""From a pack to what is studied of it."""

from __future__ import annotations

from ladder_content.model import Pack

from .records import Item


def items_of(pack: Pack) -> list[Item]:
    """Return the cards and tickets of a pack in the order of its studies, each study's cards before its tickets."""
    items = []
    for study in pack.studies:
        items += [Item(f"{pack.id}/{card.id}", "card", study.id) for card in study.cards]
        items += [Item(f"{pack.id}/{ticket.id}", "ticket", study.id) for ticket in study.tickets]
    return items
