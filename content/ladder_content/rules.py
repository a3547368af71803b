"""The rules of a pack that no type can express: ids are unique, references resolve, a ticket has one right answer a step."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from ladder_content.citations import FACT_ID, cited
from ladder_content.document import Document
from ladder_content.faults import Faults, shown
from ladder_content.gist import Placed
from ladder_content.model import STEP_NAMES, Map, Option, Reference, Ticket

ID = re.compile(r"[a-z0-9]([a-z0-9.-]{0,78}[a-z0-9])?")
MAX_CELL = 99


def check_ids(document: Document, faults: Faults, pattern: re.Pattern[str] = ID) -> None:
    """Every `id` in a file, and every name of a `lab`, is of the form that progress, links and file names rely on."""
    plain = "small letters, digits, dots and hyphens, at most 80 of them"
    form = "written like F1.09" if pattern is FACT_ID else plain
    for text in document.texts:
        named = text.field == "id" or text.field.endswith((".id", ".lab"))
        if named and not pattern.fullmatch(text.text):
            faults.add(document.name, text.line, text.field, f"is {shown(text.text)}; an id is {form}")


def check_unique(
    document: Document, ids: Iterable[tuple[str, str]], seen: dict[str, str], faults: Faults
) -> None:
    """Note each (path, id) whose id was seen before; `seen` maps ids to the place of the first."""
    for path, one in ids:
        line = document.lines[path]
        if one in seen:
            faults.add(document.name, line, path, f"repeats the id {shown(one)} of {seen[one]}")
        else:
            seen[one] = f"{document.name}, line {line}"


def check_ticket(document: Document, path: str, ticket: Ticket, faults: Faults) -> None:
    """The steps stand in the order of a diagnosis, and each has exactly one correct option among at least two."""
    for index, (step, name) in enumerate(zip(ticket.steps, STEP_NAMES, strict=True)):
        place = f"{path}.steps[{index}]"
        if step.name != name:
            order = ", ".join(STEP_NAMES)
            faults.add(
                document.name, document.lines[f"{place}.name"], f"{place}.name", f"breaks the order {order}"
            )
        line = document.lines[f"{place}.options"]
        check_one_correct(document, f"{place}.options", step.options, faults)
        if len(step.options) < 2:
            faults.add(document.name, line, f"{place}.options", "offers no choice; give at least two options")


def check_one_correct(document: Document, path: str, options: Sequence[Option], faults: Faults) -> None:
    """Exactly one option of a choice is correct."""
    right = sum(option.correct for option in options)
    if right != 1:
        found = f"has {right} correct options and must have exactly one"
        faults.add(document.name, document.lines[path], path, found)


def check_sections(name: str, sections: Sequence[Placed], faults: Faults) -> None:
    """The sections of a Gist have well-formed ids, each its own."""
    seen: dict[str, int] = {}
    for placed in sections:
        one = placed.section.id
        if not ID.fullmatch(one):
            faults.add(
                name, placed.line, shown(one), "is no id; small letters, digits, dots and hyphens make one"
            )
        if one in seen:
            faults.add(name, placed.line, one, f"repeats the id of the section in line {seen[one]}")
        seen.setdefault(one, placed.line)


def check_map(document: Document, path: str, one: Map, faults: Faults) -> None:
    """Nodes have unique ids and a place that fits a canvas; edges join two different nodes of the map."""
    nodes = [(f"{path}.nodes[{index}].id", node.id) for index, node in enumerate(one.nodes)]
    check_unique(document, nodes, {}, faults)
    some = any(value is not None for node in one.nodes for value in (node.lane, node.order))
    for index, node in enumerate(one.nodes):
        for name, value in (("lane", node.lane), ("order", node.order)):
            place = f"{path}.nodes[{index}].{name}"
            if value is None and some:
                line = document.lines[f"{path}.nodes[{index}]"]
                faults.add(
                    document.name, line, place, "is missing; give it to all boxes of the map or to none"
                )
            elif value is not None and not 0 <= value <= MAX_CELL:
                faults.add(document.name, document.lines[place], place, f"must be between 0 and {MAX_CELL}")
    known = {node.id for node in one.nodes}
    for index, edge in enumerate(one.edges):
        for name, end in (("source", edge.source), ("target", edge.target)):
            if end not in known:
                place = f"{path}.edges[{index}].{name}"
                faults.add(
                    document.name, document.lines[place], place, f"names no node of this map: {shown(end)}"
                )
        if edge.source == edge.target:
            place = f"{path}.edges[{index}].target"
            faults.add(document.name, document.lines[place], place, "is its own source")


def check_reference(document: Document, path: str, reference: Reference, faults: Faults) -> None:
    """A reference leads to the web and nowhere else."""
    if not re.fullmatch(r"https?://[^\s/]+(/\S*)?", reference.url):
        place = f"{path}.url"
        faults.add(
            document.name, document.lines[place], place, "must be a web address that starts with https://"
        )


def check_citations(document: Document, known: Container[str], faults: Faults) -> None:
    """Every fact that a text cites, or that an entry lists under `facts`, exists."""
    for text in document.texts:
        listed = re.search(r"\.facts\[\d+\]$", text.field) is not None
        for fact_id in [text.text] if listed else cited(text.text):
            if fact_id not in known:
                faults.add(
                    document.name,
                    text.line,
                    text.field,
                    f"names a fact that facts.yaml lacks: {shown(fact_id)}",
                )


def check_section_citations(
    name: str, sections: Sequence[Placed], known: Container[str], faults: Faults
) -> None:
    """Every fact that a Gist cites exists."""
    for placed in sections:
        for offset, line in enumerate(placed.section.body.split("\n")):
            for fact_id in cited(line):
                if fact_id not in known:
                    message = f"names a fact that facts.yaml lacks: {shown(fact_id)}"
                    faults.add(name, placed.body_line + offset, placed.section.id, message)
