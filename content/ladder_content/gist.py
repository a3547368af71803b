"""The Gist of a study: Markdown, cut into sections at its second-level headings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ladder_content.faults import Faults
from ladder_content.model import Section

_FENCE = re.compile(r" {0,3}(```+|~~~+)")


@dataclass(frozen=True)
class Placed:
    """A section, the line of its heading, and the line its body starts on."""

    section: Section
    line: int
    body_line: int


def parse_sections(name: str, text: str, faults: Faults) -> list[Placed]:
    """Cut a Gist at its headings `## Title {#section-id}`, noting headings without id and text before the first."""
    lines = text.split("\n")
    marks = _headings(lines)
    before = marks[0] if marks else len(lines)
    for number, line in enumerate(lines[:before]):
        if line.strip():
            faults.add(name, number + 1, "", "has text before its first heading `## Title {#section-id}`")
            break
    sections = []
    for start, end in zip(marks, [*marks[1:], len(lines)], strict=True):
        placed = _section(name, lines, start, end, faults)
        if placed is not None:
            sections.append(placed)
    return sections


def _headings(lines: list[str]) -> list[int]:
    marks, fence = [], ""
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1].startswith(fence) and not line[opened.end() :].strip():
                fence = ""
        elif opened:
            fence = opened[1]
        elif line.startswith("## ") or line.rstrip() == "##":
            marks.append(number)
    return marks


def _section(name: str, lines: list[str], start: int, end: int, faults: Faults) -> Placed | None:
    title = lines[start][2:].strip()
    section_id = None
    if title.endswith("}") and "{#" in title:
        title, _, section_id = title[:-1].rpartition("{#")
        title = title.rstrip()
    if not title:
        faults.add(name, start + 1, "", "has a heading without a title")
        return None
    if section_id is None:
        faults.add(name, start + 1, title[:40], "needs an id at its end: `## Title {#section-id}`")
        return None
    first = start + 1
    while first < end and not lines[first].strip():
        first += 1
    body = "\n".join(lines[first:end]).rstrip()
    if not body:
        faults.add(name, start + 1, title[:40], "has a heading and no text below it")
        return None
    return Placed(Section(id=section_id, title=title, body=body), start + 1, first + 1)
