"""The plain text of a pack: what a small language model is trained on, and what a voice can read aloud."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ladder_content.citations import without_citations
from ladder_content.cloze import filled
from ladder_content.model import Card, Map, Study, Ticket

_MARKDOWN = MarkdownIt("commonmark").enable("table")


def plain_text(studies: Iterable[Study]) -> str:
    """Return studies as plain text: their documents, with a form feed between one and the next."""
    return "\n\f\n".join(document for study in studies for document in documents(study)) + "\n"


def documents(study: Study) -> Iterator[str]:
    """Yield what can be read by itself: a section, a map, a card as `Q: ...` and `A: ...`, a ticket, a snippet's lesson."""
    yield f"{study.title}\n{plain(study.summary)}"
    for section in study.sections:
        yield f"{section.title}\n{plain(section.body)}"
    for one in study.maps:
        yield _map(one)
    for card in study.cards:
        yield _card(card)
    for ticket in study.tickets:
        yield _ticket(ticket)
    for snippet in study.snippets:
        yield f"{snippet.title}\n{plain(snippet.explanation)}"


def _card(card: Card) -> str:
    question, answer = card.question, card.answer
    if card.kind == "cloze":
        question = filled(question)
    elif card.kind == "numeric" and card.expected is not None:
        answer = f"{card.expected.value:,.6g} {card.expected.unit}. {answer}"
    elif card.kind == "lever":
        right = next(option.text for option in card.options if option.correct)
        answer = f"{right}. {answer}"
    return f"Q: {' '.join(plain(question).split())}\nA: {' '.join(plain(answer).split())}"


def _map(one: Map) -> str:
    labels = {node.id: node.label for node in one.nodes}
    lines = [one.title, "", plain(one.summary)]
    lines += [f"{node.label}: {plain(node.why)}" for node in one.nodes]
    lines += [
        f"From {labels[edge.source]} to {labels[edge.target]}: {plain(edge.effect)} {plain(edge.consequence)}"
        for edge in one.edges
    ]
    return "\n".join(lines)


def _ticket(ticket: Ticket) -> str:
    readings = "; ".join(f"{metric.name}: {metric.value}" for metric in ticket.metrics)
    lines = [f"Ticket: {ticket.title}", plain(ticket.scenario), f"Readings: {readings}."]
    for step in ticket.steps:
        right = next(option for option in step.options if option.correct)
        lines.append(f"{plain(step.prompt)} {plain(right.text)}. {plain(right.why)}")
        lines += [f"Not: {plain(one.text)}. {plain(one.why)}" for one in step.options if one is not right]
    lines.append(f"What decides: {plain(ticket.evidence)}")
    return "\n".join(lines)


def plain(markdown: str) -> str:
    """Return Markdown as plain paragraphs, without markup, citations and HTML. A table row becomes one paragraph."""
    paragraphs: list[str] = []
    header: list[str] = []
    row: list[str] | None = None  # the cells so far, inside a table
    for token in _MARKDOWN.parse(without_citations(markdown)):
        if token.type == "tr_open":
            row = []
        elif token.type == "inline" and row is not None:
            row.append(_inline(token.children or []))
        elif token.type == "thead_close":
            header, row = row or [], None
        elif token.type == "tr_close" and header:
            paragraphs.append(_row(header, row or []))
            row = None
        elif token.type == "table_close":
            header = []
        elif token.type == "inline":
            paragraphs.append(_inline(token.children or []))
        elif token.type in ("fence", "code_block"):
            paragraphs.append(token.content.rstrip())
    return "\n".join(paragraph for paragraph in paragraphs if paragraph)


def _row(header: list[str], cells: list[str]) -> str:
    """Read a table row as a speaker would: its first cell, then each further cell after the name of its column."""
    named = (f"{name}: {cell}" for name, cell in zip(header[1:], cells[1:], strict=True))
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in (cells[0], *named))


def _inline(tokens: Sequence[Token]) -> str:
    kept = (token for token in tokens if token.type != "html_inline")
    return "".join(" " if token.type in ("softbreak", "hardbreak") else token.content for token in kept)
