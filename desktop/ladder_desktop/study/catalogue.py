"""All cards of a pack with what is known of each, and the little language in which one asks for some of them.

    study:<id>   tag:<tag>   flag:<1 to 4>   ahead:<days>   is:<state>   words of the text   -<any of these>

A card has to fit every term. States are new, learning, review, due, suspended, buried, leech, flagged, noted, edited,
own (made by the person).
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import datetime, tzinfo

import msgspec
from ladder_content.model import Card, Pack, Study

from .agenda import LEARN_AHEAD
from .desk import Desk
from .errors import StudyError
from .overlay import reworded
from .records import CardState
from .studyday import study_day, to_ms


class Entry(msgspec.Struct, frozen=True):
    """One card: its text in the person's own words, and what is known of it on a study day."""

    study: Study
    card: Card
    state: CardState
    note: str
    edited: bool
    own: bool
    today: int
    due: bool

    @property
    def item_id(self) -> str:
        """The id under which the desk knows it."""
        return self.state.item.item_id

    @property
    def buried(self) -> bool:
        """Whether it is set aside today."""
        return self.state.mark.buried(self.today)

    @property
    def text(self) -> str:
        """All its words, in lower case."""
        card = self.card
        parts = (card.id, card.question, card.answer, *card.key_points, card.follow_up, *card.tags, self.note)
        return "\n".join(parts).casefold()


Test = Callable[[Entry], bool]

_STATES: dict[str, Test] = {
    "new": lambda entry: entry.state.memory is None,
    "learning": lambda entry: entry.state.memory is not None and entry.state.memory.phase != "review",
    "review": lambda entry: entry.state.memory is not None and entry.state.memory.phase == "review",
    "due": lambda entry: entry.due,
    "suspended": lambda entry: entry.state.mark.suspended,
    "buried": lambda entry: entry.buried,
    "leech": lambda entry: entry.state.mark.leech,
    "flagged": lambda entry: entry.state.mark.flag > 0,
    "noted": lambda entry: bool(entry.note),
    "edited": lambda entry: entry.edited,
    "own": lambda entry: entry.own,
}
STATES = tuple(_STATES)


def catalogue(desk: Desk, pack: Pack, now: datetime, zone: tzinfo) -> list[Entry]:
    """Return every card of a pack, in its order."""
    today = study_day(now, zone)
    ahead = to_ms(now + LEARN_AHEAD)
    states = {state.item.item_id: state for state in desk.states()}
    own = desk.history.belongings()
    made = {card.item_id for card in own.cards}
    notes = {note.item_id: note.text for note in own.notes}
    entries = []
    for study in pack.studies:
        for card in study.cards:
            item_id = f"{pack.id}/{card.id}"
            if (state := states.get(item_id)) is None:
                continue
            edits = [edit for edit in own.edits if edit.item_id == item_id]
            due = _is_due(state, today, ahead)
            entry = Entry(
                study,
                reworded(card, edits),
                state,
                note=notes.get(item_id, ""),
                edited=bool(edits),
                own=item_id in made,
                today=today,
                due=due,
            )
            entries.append(entry)
    return entries


def parse_query(query: str) -> Test:
    """Return the test a card has to pass; StudyError, one sentence, if the query cannot be understood."""
    if query.startswith("search:"):
        query = query.removeprefix("search:")
    try:
        terms = shlex.split(query)
    except ValueError:
        terms = query.replace('"', " ").replace("'", " ").split()
    tests = [_term(term) for term in terms]
    return lambda entry: all(test(entry) for test in tests)


def _term(term: str) -> Test:
    if term.startswith("-") and len(term) > 1:
        inner = _term(term[1:])
        return lambda entry: not inner(entry)
    field, colon, value = term.partition(":")
    if not colon or field not in ("study", "tag", "flag", "ahead", "is"):
        words = term.casefold()
        return lambda entry: words in entry.text
    if field == "study":
        return lambda entry: entry.study.id == value
    if field == "tag":
        return lambda entry: value in entry.card.tags
    if field == "is":
        if value not in _STATES:
            raise StudyError(f"is:{value} is no state; use one of {', '.join(STATES)}.")
        return _STATES[value]
    if not value.isdecimal():
        raise StudyError(f"{term} needs a number, such as {field}:1.")
    number = int(value)
    return _flagged(number) if field == "flag" else _ahead(number)


def _flagged(flag: int) -> Test:
    return lambda entry: entry.state.mark.flag == flag


def _ahead(days: int) -> Test:
    """Reviews that fall due within so many days, but not today."""

    def test(entry: Entry) -> bool:
        memory = entry.state.memory
        return memory is not None and memory.due_day is not None and 0 < memory.due_day - entry.today <= days

    return test


def _is_due(state: CardState, today: int, ahead: int) -> bool:
    memory, mark = state.memory, state.mark
    if memory is None or mark.suspended or mark.buried(today):
        return False
    if memory.due_at is not None:
        return memory.due_at <= ahead
    return memory.due_day is not None and memory.due_day <= today
