"""What can be found in a pack: one entry for each place that can be shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ladder_content.citations import cited, without_citations
from ladder_content.cloze import filled, parts
from ladder_content.model import Card, Edge, Fact, Map, Pack, Study, Ticket

_LINK = re.compile(r"\[([^\]\n]*)\]\([^)\s]*\)")
_EMPHASIS = re.compile(r"\*\*|[*`]")
_BLOCK = re.compile(r"^[-|: ]+$|^\s*(?:#+|>|[-+]|\d+\.)\s|\|", re.MULTILINE)
_CAMEL = re.compile(r"\b\w*?[a-z0-9][A-Z]\w*\b")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HYPHENED = re.compile(r"\b[A-Za-z]+(?:-[A-Za-z]+)+\b")
_THOUSANDS = re.compile(r"\b\d{1,3}(?:,\d{3})+\b")


@dataclass(frozen=True)
class Entry:
    """A place as it is indexed. `aside` is searched and never shown: ids, tags, other spellings, a ticket's verdict."""

    kind: str
    title: str
    where: str
    body: str
    aside: str
    target: str


def entries_of(pack: Pack) -> Iterator[Entry]:
    """Yield every section, card, ticket, map, box, arrow, program and reference of a pack, then its facts."""
    citing: dict[str, tuple[Study, str]] = {}  # a fact, and the first place that cites it
    for study in pack.studies:
        for text, place in _texts(study):
            for fact_id in cited(text):
                citing.setdefault(fact_id, (study, place))
        yield from _of_study(study)
    for fact in pack.facts:
        if fact.id in citing:
            yield _fact(fact, *citing[fact.id])


def _of_study(study: Study) -> Iterator[Entry]:
    base, name = f"study:{study.id}", f"{study.number}. {study.title}"
    for section in study.sections:
        yield _entry(
            "section", section.title, f"{name} · Gist", section.body, "", f"{base}/gist/{section.id}"
        )
    for one in study.maps:
        yield from _map(one, f"{name} · {one.title}", f"{base}/maps/{one.id}")
    for card in study.cards:
        yield _card(card, f"{name} · Q&A", f"{base}/qa/{card.id}")
    for snippet in study.snippets:
        body = f"{_words(snippet.explanation)}\n{snippet.code}"
        yield _entry(
            "program", snippet.title, f"{name} · Sandbox", body, snippet.id, f"{base}/sandbox/{snippet.id}"
        )
    for ticket in study.tickets:
        yield _ticket(ticket, f"{name} · Tickets")
    for ref in study.references:
        target = f"{base}/gist/go-deeper/{ref.id}"
        yield _entry("reference", ref.title, f"{name} · Go deeper", ref.reason, ref.url, target)


def _card(card: Card, where: str, target: str) -> Entry:
    title, whole = _words(card.question), ""
    if card.kind == "cloze":
        title = _words("".join("…" if part.hidden else part.text for part in parts(card.question)))
        whole = filled(card.question)
    options = [f"{option.text}. {option.why}" for option in card.options]
    body = "\n".join((card.answer, whole, *card.key_points, card.follow_up, *options))
    return _entry("card", title, where, body, " ".join((card.id, *card.tags)), target)


def _ticket(ticket: Ticket, where: str) -> Entry:
    readings = "; ".join(f"{metric.name}: {metric.value}" for metric in ticket.metrics)
    verdict = [ticket.evidence]
    for step in ticket.steps:
        verdict += [step.prompt, *(f"{option.text} {option.why}" for option in step.options)]
    aside = " ".join((ticket.id, *ticket.tags, *map(_words, verdict)))
    body = f"{ticket.scenario}\n{readings}"
    return _entry("ticket", ticket.title, where, body, aside, f"ticket:{ticket.id}")


def _map(one: Map, where: str, target: str) -> Iterator[Entry]:
    yield _entry("map", one.title, where.rpartition(" · ")[0] + " · Maps", one.summary, one.id, target)
    labels = {node.id: node.label for node in one.nodes}
    for node in one.nodes:
        aside = (node.mechanism or "").replace("_", " ")
        yield _entry("box", node.label, where, node.why, aside, f"{target}/{node.id}")
    for number, edge in enumerate(one.edges):
        yield _edge(edge, labels, where, f"{target}/#{number}")


def _edge(edge: Edge, labels: dict[str, str], where: str, target: str) -> Entry:
    title = f"{labels[edge.source]} → {labels[edge.target]}: {_words(edge.label)}"
    body = "\n".join((edge.effect, edge.consequence, edge.protocol, edge.direction))
    return _entry("arrow", title, where, body, "", target)


def _fact(fact: Fact, study: Study, place: str) -> Entry:
    value = "" if fact.value is None else f"{fact.value:,.6g} {fact.unit or ''}"
    body = "\n".join((fact.statement, value, fact.source))
    return _entry("fact", fact.id, f"{study.number}. {study.title} · Facts", body, "", f"{place}/{fact.id}")


def _texts(study: Study) -> Iterator[tuple[str, str]]:
    """Yield the texts that cite facts, each with the place at which its facts can be opened."""
    base = f"study:{study.id}"
    for section in study.sections:
        yield section.body, f"{base}/gist/{section.id}"
    for card in study.cards:
        told = (card.question, card.answer, card.follow_up, *card.key_points)
        options = (f"{option.text} {option.why}" for option in card.options)
        yield "\n".join((*told, *options)), f"{base}/qa/{card.id}"
    for snippet in study.snippets:
        yield snippet.explanation, f"{base}/sandbox/{snippet.id}"
    first = f"{base}/gist/{study.sections[0].id}" if study.sections else base
    for one in study.maps:
        nodes = (node.why for node in one.nodes)
        edges = (f"{e.label} {e.protocol} {e.direction} {e.effect} {e.consequence}" for e in one.edges)
        yield "\n".join((one.summary, *nodes, *edges)), first
    for ticket in study.tickets:
        yield _ticket_text(ticket), first


def _ticket_text(ticket: Ticket) -> str:
    options = (f"{option.text} {option.why}" for step in ticket.steps for option in step.options)
    return "\n".join((ticket.scenario, ticket.evidence, *options))


def _entry(kind: str, title: str, where: str, body: str, aside: str, target: str) -> Entry:
    """Return an entry of texts that may be Markdown, with the other spellings of their words aside."""
    title, body = _words(title), body if kind == "program" else _words(body)
    spellings = sorted({*_spellings(title), *_spellings(body), *_spellings(aside)})
    return Entry(kind, title, where, body, " ".join((aside, *spellings)).strip(), target)


def _spellings(text: str) -> Iterator[str]:
    """Yield `Paged Attention` for PagedAttention, and `allreduce` for all-reduce."""
    for word in _CAMEL.findall(text):
        yield _HUMP.sub(" ", word)
    for word in _HYPHENED.findall(text):
        yield word.replace("-", "")
    for number in _THOUSANDS.findall(text):
        yield number.replace(",", "")


def _words(markdown: str) -> str:
    """Return the words of a text; where a mark of Markdown is missed, or is none, nobody searching is harmed."""
    text = _BLOCK.sub(" ", _EMPHASIS.sub("", _LINK.sub(r"\1", without_citations(markdown))))
    return " ".join(text.split())
