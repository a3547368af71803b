"""From a pack to what is studied of it."""

from __future__ import annotations

from ladder_content.model import Card, Pack, Ticket

from .records import Item


def items_of(pack: Pack) -> list[Item]:
    """Return the cards and tickets of a pack in the order of its studies, each study's cards before its tickets."""
    items = []
    for study in pack.studies:
        items += [Item(f"{pack.id}/{card.id}", "card", study.id) for card in study.cards]
        items += [Item(f"{pack.id}/{ticket.id}", "ticket", study.id) for ticket in study.tickets]
    return items


def kin_of(pack: Pack) -> dict[str, frozenset[str]]:
    """Return, by item, the facts it rests on. Two cards on one fact are siblings: each gives the other away."""
    kin = {}
    for study in pack.studies:
        items: list[Card | Ticket] = [*study.cards, *study.tickets]
        for item in items:
            name = f"{pack.id}/{item.id}"
            kin[name] = frozenset(f"{pack.id}/{fact_id}" for fact_id in item.facts)
    return kin
