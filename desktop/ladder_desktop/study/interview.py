"""Mock interviews: what is asked, drawn by weakness, and what came of it.

An interview is no table of its own. Each of its answers is a review in the log, and the review's detail says to which
interview it belongs, which points were hit and how the ticket went. So an interview feeds the schedule, is undone,
exported and imported as every other answer is, and nothing can be in one place and not in the other.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from random import Random
from sqlite3 import Connection

import msgspec

from . import log
from .records import CardState, Kind, Rating, Review

CARD_MINUTES, TICKET_MINUTES = 3, 7  # a question with its follow-up; a ticket with its evidence
FIRST_TICKET = 15  # a shorter interview asks questions only
MINUTES_PER_TICKET = 20
GOOD_SHARE, HARD_SHARE = 0.8, 0.5


class Setting(msgspec.Struct, frozen=True):
    """What a person chose: how long, and out of which studies."""

    minutes: int
    study_ids: tuple[str, ...]


class Reply(msgspec.Struct, frozen=True):
    """How one item of an interview went. `hit` of `asked` points: key points and the follow-up, or a ticket's steps.

    `steps` says, for a ticket, which steps of the order of operations were right.
    """

    item_id: str
    kind: Kind
    rating: Rating
    hit: int
    asked: int
    steps: Mapping[str, bool]
    notes: str
    seconds: float

    @property
    def share(self) -> float:
        """The part of the points that was hit, 0 to 1."""
        return self.hit / self.asked if self.asked else 0.0


class Interview(msgspec.Struct, frozen=True):
    """One interview, as far as it went. `local_date` is the day on which its first answer was given."""

    interview_id: str
    setting: Setting
    local_date: str
    started_at: int  # milliseconds since 1970-01-01 UTC
    replies: tuple[Reply, ...]

    @property
    def share(self) -> float:
        """The mean over the items of the part of the points that was hit, 0 to 1."""
        return sum(reply.share for reply in self.replies) / len(self.replies)


def new_interview_id() -> str:
    """Return an id under which the answers of one interview find each other."""
    return str(uuid.uuid4())


def draw(states: Sequence[CardState], setting: Setting, today: int, random: Random) -> list[CardState]:
    """Return what an interview asks, in order: as many items as its minutes hold, weak ones more often than strong.

    `states` are those that may be asked; `today` is the study day. Weighted sampling without replacement after
    Efraimidis and Spirakis, 2006: the largest u ** (1 / weight).
    """
    of_kind: dict[str, list[CardState]] = {"card": [], "ticket": []}
    keyed = [(random.random() ** (1 / weakness(state, today)), state) for state in states]
    for _, state in sorted(keyed, key=lambda pair: pair[0], reverse=True):
        if state.item.study_id in setting.study_ids:
            of_kind[state.item.kind].append(state)
    wanted = setting.minutes // MINUTES_PER_TICKET + (setting.minutes % MINUTES_PER_TICKET >= FIRST_TICKET)
    tickets = of_kind["ticket"][:wanted]
    cards = of_kind["card"][: max(1, (setting.minutes - TICKET_MINUTES * len(tickets)) // CARD_MINUTES)]
    return _spread(cards, tickets)


def weakness(state: CardState, today: int) -> float:
    """Return a weight above 0: what has lapsed and what has faded weighs most, what is fresh in mind least.

    New items count as 2. Of the others a memory at its stability, where the chance of recall is 90 %, counts 1; each
    lapse adds a half, and difficulty up to 1.
    """
    memory = state.memory
    if memory is None:
        return 2.0
    faded = max(0, today - memory.last_day) / memory.stability
    return 0.2 + 0.8 * min(faded, 4.0) + 0.5 * min(memory.lapses, 6) + (memory.difficulty - 1) / 9


def interview_rating(share: float) -> Rating:
    """Return the rating that fits the part of the points that was hit; nobody finds an interview easy."""
    if share >= GOOD_SHARE:
        return Rating.GOOD
    return Rating.HARD if share >= HARD_SHARE else Rating.AGAIN


def detail_of(interview_id: str, setting: Setting, reply: Reply) -> dict[str, object]:
    """Return what the log keeps beside the rating."""
    return {
        "interview": {
            "id": interview_id,
            "minutes": setting.minutes,
            "studies": list(setting.study_ids),
            "hit": reply.hit,
            "asked": reply.asked,
            "steps": dict(reply.steps),
            "notes": reply.notes,
        }
    }


def all_interviews(db: Connection) -> list[Interview]:
    """Return every interview of the log, newest first. A detail that is not of this form is no interview."""
    rows = log.reviews_where(db, "json_extract(detail, '$.interview.id') IS NOT NULL")
    kinds: dict[str, Kind] = dict(db.execute("SELECT item_id, kind FROM items").fetchall())
    groups: dict[str, list[tuple[Review, Mapping[str, object]]]] = {}
    for review in rows:
        said = (review.detail or {}).get("interview")
        if isinstance(said, Mapping):
            groups.setdefault(str(said["id"]), []).append((review, said))
    found = [_interview(interview_id, group, kinds) for interview_id, group in groups.items()]
    return found[::-1]  # by the log, not by a clock that may have been set back


def _interview(
    interview_id: str, group: Sequence[tuple[Review, Mapping[str, object]]], kinds: Mapping[str, Kind]
) -> Interview:
    first, said = group[0]
    studies = said.get("studies")
    setting = Setting(_count(said, "minutes"), tuple(map(str, studies)) if isinstance(studies, list) else ())
    replies = tuple(_reply(review, said, kinds.get(review.item_id, "card")) for review, said in group)
    return Interview(interview_id, setting, first.local_date, first.answered_at, replies)


def _reply(review: Review, said: Mapping[str, object], kind: Kind) -> Reply:
    steps, notes = said.get("steps"), said.get("notes")
    return Reply(
        item_id=review.item_id,
        kind=kind,
        rating=review.rating,
        hit=_count(said, "hit"),
        asked=_count(said, "asked"),
        steps={str(name): right is True for name, right in steps.items()} if isinstance(steps, dict) else {},
        notes=notes if isinstance(notes, str) else "",
        seconds=review.duration_ms / 1000,
    )


def _count(said: Mapping[str, object], name: str) -> int:
    value = said.get(name)
    return value if isinstance(value, int) else 0


def _spread(cards: list[CardState], tickets: list[CardState]) -> list[CardState]:
    """Put the tickets between the questions: an interview begins with a question, and ends with a ticket."""
    order: list[CardState] = []
    for number, ticket in enumerate(tickets, start=1):
        upto = round(len(cards) * number / len(tickets))
        order += cards[len(order) - number + 1 : upto]
        order.append(ticket)
    return order or cards
