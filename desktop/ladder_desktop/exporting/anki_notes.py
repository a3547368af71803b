"""Cards and tickets as Anki notes: two note types, their templates, and the fields of each item.

The names and the order of the fields are fixed: Anki takes a note type with other fields for another note type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ladder_content.model import Card, Pack, Step, Study, Ticket

from ladder_desktop.study import Belongings

from .card_text import back, front, options, verdicts
from .markup import escape, to_html, to_inline_html
from .stable import stable_id

NOTHING_OWN = Belongings()
STEP_TITLES = {
    "shape": "Read the shape",
    "bound": "Name the bound",
    "lever": "Pick the lever",
    "study": "Point at the study",
}

_STYLE = """\
.card { font-family: system-ui, sans-serif; font-size: 18px; line-height: 1.5; text-align: left;
        max-width: 42em; margin: 0 auto; padding: 0 1em; }
h2 { font-size: 1em; margin: 1.4em 0 0.2em; opacity: 0.7; }
table { border-collapse: collapse; }
th, td { padding: 0.2em 1em 0.2em 0; text-align: left; font-variant-numeric: tabular-nums; }
pre { overflow-x: auto; }
.facts { font-size: 0.8em; opacity: 0.75; }
"""


@dataclass(frozen=True)
class NoteType:
    """An Anki note type with one card a note."""

    name: str
    fields: tuple[str, ...]
    front: str
    back: str
    style: str = _STYLE

    @property
    def id(self) -> int:
        """A stable id; another list of fields gets another id."""
        return stable_id("note type", self.name, *self.fields)


CARD = NoteType(
    name="Runtime Ladder card",
    fields=("Question", "Answer", "Key points", "Follow-up", "Facts"),
    front="{{Question}}",
    back=(
        "{{FrontSide}}<hr id=answer>{{Answer}}"
        "{{#Key points}}<h2>Key points</h2>{{Key points}}{{/Key points}}"
        "{{#Follow-up}}<h2>Follow-up</h2>{{Follow-up}}{{/Follow-up}}"
        "{{#Facts}}<h2>Facts</h2><div class=facts>{{Facts}}</div>{{/Facts}}"
    ),
)

TICKET = NoteType(
    name="Runtime Ladder ticket",
    fields=("Title", "Scenario", "Metrics", "Steps", "Diagnosis", "Evidence", "Facts"),
    front="<h2>{{Title}}</h2>{{Scenario}}{{Metrics}}{{Steps}}",
    back=(
        "<h2>{{Title}}</h2>{{Scenario}}{{Metrics}}<hr id=answer>{{Diagnosis}}"
        "<h2>What decides</h2>{{Evidence}}"
        "{{#Facts}}<h2>Facts</h2><div class=facts>{{Facts}}</div>{{/Facts}}"
    ),
)


@dataclass(frozen=True)
class Note:
    """One item ready for Anki. `guid` is the item's id, so that a second import finds the same note."""

    guid: str
    note_type: NoteType
    study: Study
    fields: tuple[str, ...]
    tags: tuple[str, ...]


def notes_of(pack: Pack, own: Belongings = NOTHING_OWN) -> list[Note]:
    """Return a note for every card and ticket of `pack`, in the order of the pack.

    A person's note on an item stands under its answer, and a leech has Anki's tag: neither needs a field of its own,
    which would make another note type.
    """
    texts = {note.item_id: note.text for note in own.notes}
    leeches = {marked.item_id for marked in own.marks if marked.mark.leech}
    notes = []
    for study in pack.studies:
        for card in study.cards:
            notes.append(_note(card, CARD, _card_fields(card, pack), pack, study))
        for ticket in study.tickets:
            notes.append(_note(ticket, TICKET, _ticket_fields(ticket, pack), pack, study))
    return [_with_own(note, texts.get(note.guid, ""), note.guid in leeches) for note in notes]


def _with_own(note: Note, text: str, leech: bool) -> Note:
    fields = list(note.fields)
    if text:
        place = note.note_type.fields.index("Answer" if note.note_type is CARD else "Evidence")
        lines = "<br>".join(escape(line) for line in text.splitlines())
        fields[place] += f"<h2>Your note</h2><p>{lines}</p>"
    return replace(note, fields=tuple(fields), tags=(*note.tags, *(("leech",) if leech else ())))


def _note(
    item: Card | Ticket, note_type: NoteType, fields: tuple[str, ...], pack: Pack, study: Study
) -> Note:
    return Note(f"{pack.id}/{item.id}", note_type, study, fields, _tags(item, pack, study))


def _card_fields(card: Card, pack: Pack) -> tuple[str, ...]:
    return (
        front(card),
        back(card),
        _bullets(card.key_points),
        to_html(card.follow_up),
        _facts(card.facts, pack),
    )


def _ticket_fields(ticket: Ticket, pack: Pack) -> tuple[str, ...]:
    metrics = "".join(
        f"<tr><td>{to_inline_html(metric.name)}</td><td>{to_inline_html(metric.value)}</td></tr>"
        for metric in ticket.metrics
    )
    return (
        to_inline_html(ticket.title),
        to_html(ticket.scenario),
        f"<table>{metrics}</table>" if metrics else "",
        "".join(map(_choices, ticket.steps)),
        "".join(map(_diagnosis, ticket.steps)),
        to_html(ticket.evidence),
        _facts(ticket.facts, pack),
    )


def _choices(step: Step) -> str:
    return f"<h2>{STEP_TITLES[step.name]}</h2>{to_html(step.prompt)}{options(step.options)}"


def _diagnosis(step: Step) -> str:
    return f"<h2>{STEP_TITLES[step.name]}</h2>{to_html(step.prompt)}{verdicts(step.options)}"


def _bullets(points: Sequence[str]) -> str:
    return (
        "<ul>" + "".join(f"<li>{to_inline_html(point)}</li>" for point in points) + "</ul>" if points else ""
    )


def _facts(fact_ids: Sequence[str], pack: Pack) -> str:
    facts = [pack.fact(fact_id) for fact_id in fact_ids]
    rows = "".join(
        f"<li>{escape(fact.id)}: {to_inline_html(fact.statement)} ({escape(fact.source)}, {escape(fact.as_of)})</li>"
        for fact in facts
    )
    return f"<ul>{rows}</ul>" if rows else ""


def _tags(item: Card | Ticket, pack: Pack, study: Study) -> tuple[str, ...]:
    """Anki separates tags by spaces, and `::` makes a tree of them."""
    tags = [f"{pack.id}::{study.id}", *item.tags]
    if isinstance(item, Card):
        tags.append(f"difficulty::{item.difficulty}")
    return tuple(dict.fromkeys("-".join(tag.split()) for tag in tags if tag.strip()))
