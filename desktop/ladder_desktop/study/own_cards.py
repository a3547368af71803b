"""Cards that a person has made: a prediction kept in the lab is one. They stand in their study beside those of the pack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from sqlite3 import Connection

import msgspec
from ladder_content.model import Card, Pack

from .journal import Journal
from .marks import naming
from .records import action_name
from .store import Store

LONGEST = 20_000  # bytes of a card


class OwnCard(msgspec.Struct, frozen=True):
    """A card, and the study in which it stands. `item_id` is "<pack id>/<card id>", as of every card."""

    item_id: str
    study_id: str
    card: Card


class OwnCards:
    """The own cards of a person. Each call that writes is one action that can be undone."""

    def __init__(self, store: Store, journal: Journal) -> None:
        self._store = store
        self._journal = journal

    def all(self) -> tuple[OwnCard, ...]:
        """Return them by item."""
        with self._store.reading() as db:
            return tuple(all_own_cards(db))

    def keep(self, own: OwnCard) -> None:
        """Keep a card, in the place of the one with its id; what is remembered of that one stays."""
        with self._journal.action(action_name("Keeping", own.item_id), own.item_id) as db:
            db.execute(
                "INSERT OR IGNORE INTO items (item_id, kind, study_id) VALUES (?, 'card', ?)",
                (own.item_id, own.study_id),
            )
            if own not in all_own_cards(db):
                db.execute("DELETE FROM own_cards WHERE item_id = ?", (own.item_id,))
                insert_own_cards(db, [own])

    def drop(self, item_ids: Sequence[str]) -> None:
        """Part with some of them; their reviews stay in the log."""
        label, item_id = naming("Deleting", item_ids)
        with self._journal.action(label, item_id) as db:
            db.executemany("DELETE FROM own_cards WHERE item_id = ?", [(each,) for each in item_ids])


def with_own_cards(pack: Pack, cards: Iterable[OwnCard]) -> Pack:
    """Return the pack with those cards that are of it, each behind the cards of its study; a pack's own id stays its own."""
    taken = {f"{pack.id}/{card.id}" for study in pack.studies for card in study.cards}
    taken |= {f"{pack.id}/{ticket.id}" for study in pack.studies for ticket in study.tickets}
    by_study: dict[str, list[Card]] = {}
    for own in cards:
        if own.item_id == f"{pack.id}/{own.card.id}" and own.item_id not in taken:
            by_study.setdefault(own.study_id, []).append(own.card)
    if not by_study:
        return pack
    studies = tuple(
        msgspec.structs.replace(study, cards=(*study.cards, *by_study.get(study.id, ())))
        for study in pack.studies
    )
    return msgspec.structs.replace(pack, studies=studies)


def fault_in_card(own: OwnCard) -> str:
    """Return why a card from elsewhere cannot be taken in; empty if it can."""
    card = own.card
    if not own.item_id.endswith(f"/{card.id}") or not card.id:
        return f"{own.item_id} holds another card"
    if not card.question.strip() or not card.answer.strip():
        return f"{own.item_id} has no question or no answer"
    if (card.kind == "numeric") != (card.expected is not None):
        return f"{own.item_id} is {card.kind} and does not say what is expected"
    if (card.kind == "lever") != bool(card.options) or (
        card.options and sum(option.correct for option in card.options) != 1
    ):
        return f"{own.item_id} is {card.kind} and has no single right option"
    if card.kind == "cloze" or len(msgspec.json.encode(card)) > LONGEST:
        return f"{own.item_id} is no card that is made here"
    return ""


def all_own_cards(db: Connection) -> list[OwnCard]:
    """Return every own card, by item."""
    rows: Sequence[tuple[str, str, str]] = db.execute(
        "SELECT item_id, study_id, card FROM own_cards ORDER BY item_id"
    ).fetchall()
    return [
        OwnCard(item_id, study_id, msgspec.json.decode(card, type=Card)) for item_id, study_id, card in rows
    ]


def insert_own_cards(db: Connection, cards: Iterable[OwnCard]) -> None:
    """Store cards whose items are known and have none."""
    rows = [(own.item_id, own.study_id, msgspec.json.encode(own.card).decode()) for own in cards]
    db.executemany("INSERT INTO own_cards (item_id, study_id, card) VALUES (?, ?, ?)", rows)
