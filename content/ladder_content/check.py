"""Checks a pack: what the loader refuses, and what an author should mend before publishing.

The lint on top of the loader's faults:

- A figure (a number in digits) in a text carries the id of its fact, in the same paragraph, list entry or table row.
  Givens carry none: the question and follow-up of a card, the scenario, readings and prompts of a ticket. The question of
  a cloze card is no given: it states. Names such as `H100`, `8B`, `fp8` or `p99`, ordinals, years and dates, and code
  are no figures.
- The `facts` of a card or ticket are the facts that its texts cite.
- An answer can be spoken in ninety seconds: it has at most 220 words. No question, answer or key point stands in two cards.
- No two nodes of a map stand in one place, and a node's mechanism is one that the themes have a colour for.
- A link `map:ladder` or `map:ladder/kv-cache` leads to a map of the same study, or to a box on it.
- A formula comes with the value that it gives.
- An id that was published (`published.yaml`) is still there, and still of its kind.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from ladder_content.citations import cited, without_citations
from ladder_content.document import Document, Text
from ladder_content.faults import Fault, Faults, shown
from ladder_content.loader import Draft, Gist, Maps, read_draft
from ladder_content.published import NAME as PUBLISHED
from ladder_content.published import lint_published

MAX_WORDS = 220
MECHANISMS = frozenset(
    [
        "prefill",
        "decode",
        "kv_owned",
        "kv_shared",
        "kv_cached",
        "kv_free",
        "waiting",
        "preempted",
        "draft_accepted",
        "draft_rejected",
        "collective",
        "kv_transfer",
        "scheduler",
    ]
)
_GIVENS = re.compile(
    r"(^|\.)(id|question|follow_up|scenario|prompt|name|url|source|target|mechanism|lab|unit|code|call|tags\[\d+\]|facts\[\d+\])$"
    r"|\.metrics\[\d+\]\."
)
_CARD_TEXT = re.compile(r"^\[\d+\]\.(question|answer|key_points\[\d+\])$")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_MATH = re.compile(r"(?<![\\\w$])(\$\$?)(?![\s\d$]).+?(?<![\s\\])\1(?![\d$])", re.DOTALL)  # a formula in TeX
_MAP_LINK = re.compile(r"\]\(map:([^)\s]*)\)")
_LINK_TARGET = re.compile(r"\]\([^)]*\)|https?://\S+")
_FENCED = re.compile(r"^ {0,3}(```+|~~~+).*?^ {0,3}\1[`~]*\s*$", re.DOTALL | re.MULTILINE)
_FIGURE = re.compile(r"(?<![\w.,/#-])\d[\d.,]*\w*")
_NO_FIGURE = re.compile(r"\d[\d.]*B|\d+(st|nd|rd|th)|(19|20)\d\d")


def check_pack(path: Path) -> list[Fault]:
    """Return every fault of a pack, loader and lint together, by file and line; an empty list if it is clean."""
    draft = read_draft(path)
    for gist in draft.gists:
        _lint_gist(gist, draft.faults)
    for document in draft.documents:
        _lint_document(document, draft.faults)
    _lint_cards(
        [one for one in draft.documents if PurePosixPath(one.name).name == "cards.yaml"], draft.faults
    )
    for maps in draft.maps:
        _lint_maps(maps, draft.faults)
        _lint_map_links(maps, draft)
    if draft.pack is not None:
        lint_published(draft.pack, draft.published, draft.in_published, draft.faults)
    return list(draft.faults.sorted())


def figures(text: str) -> list[str]:
    """Return the figures of a text: its numbers in digits that are neither names nor code nor formulas nor dates."""
    plain = _LINK_TARGET.sub("]", _MATH.sub(" ", _CODE.sub(" ", without_citations(text))))
    plain = re.sub(r"\b(19|20)\d\d-\d\d(-\d\d)?\b", " ", plain)
    found = (match[0].rstrip(".,") for match in _FIGURE.finditer(plain))
    return [figure for figure in found if not _NO_FIGURE.fullmatch(figure)]


def blocks(markdown: str) -> Iterator[tuple[int, str]]:
    """Cut Markdown into the pieces that must each carry their facts: (line offset, paragraph, list entry or table row)."""
    markdown = _FENCED.sub(lambda match: "\n" * match[0].count("\n"), markdown)
    start, piece = 0, list[str]()
    for offset, line in enumerate([*markdown.split("\n"), ""]):
        entry = re.match(r"\s*([-*+]|\d+[.)])\s+", line)
        if piece and (entry or not line.strip() or line.lstrip().startswith("|")):
            yield start, "\n".join(piece)
            piece = []
        if line.strip():
            start = start if piece else offset
            piece.append(line[entry.end() :] if entry else line)


def _lint_gist(gist: Gist, faults: Faults) -> None:
    for placed in gist.sections:
        for offset, block in blocks(placed.section.body):
            _lint_figures(gist.name, placed.body_line + offset, placed.section.id, block, faults)


def _lint_document(document: Document, faults: Faults) -> None:
    kind = PurePosixPath(document.name).name
    if kind == "facts.yaml":
        _lint_formulas(document, faults)
    elif kind not in ("pack.yaml", PUBLISHED):
        for text in document.texts:
            if not _is_given(text):
                for _, block in blocks(text.text):
                    _lint_figures(document.name, text.line, text.field, block, faults)
    if kind in ("cards.yaml", "tickets.yaml"):
        _lint_listed_facts(document, faults)


def _lint_cards(documents: Iterable[Document], faults: Faults) -> None:
    """Look for answers too long to speak, and for text that stands in two cards of the pack."""
    seen: dict[str, str] = {}
    for document in documents:
        for text in document.texts:
            if not _CARD_TEXT.search(text.field):
                continue
            words = without_citations(text.text).split()
            if text.field.endswith(".answer") and len(words) > MAX_WORDS:
                message = f"has {len(words)} words; an answer that can be spoken has at most {MAX_WORDS}"
                faults.add(document.name, text.line, text.field, message)
            first = seen.setdefault(" ".join(words).casefold(), f"{document.name}, line {text.line}")
            if first != f"{document.name}, line {text.line}":
                faults.add(document.name, text.line, text.field, f"stands in another card too: {first}")


def _is_given(text: Text) -> bool:
    """Tell whether a text sets a scene; a cloze question does not, it states."""
    cloze = text.field.endswith(".question") and "{{" in text.text
    return not cloze and _GIVENS.search(text.field) is not None


def _lint_figures(name: str, line: int, field: str, block: str, faults: Faults) -> None:
    found = figures(block)
    if found and not cited(block):
        faults.add(name, line, field, f"has a figure without the id of its fact: {shown(found[0])}")


def _lint_formulas(document: Document, faults: Faults) -> None:
    for text in document.texts:
        entry, _, name = text.field.partition(".")
        if name == "formula" and f"{entry}.value" not in document.lines:
            faults.add(document.name, text.line, text.field, "comes without the `value` that it gives")


def _lint_listed_facts(document: Document, faults: Faults) -> None:
    """Compare the facts that each entry lists with those that its texts cite."""
    texts: dict[str, list[Text]] = defaultdict(list)
    for text in document.texts:
        texts[text.field.partition(".")[0]].append(text)
    for entry, of_entry in texts.items():
        listed = {text.text for text in of_entry if text.field.startswith(f"{entry}.facts[")}
        used = {fact_id for text in of_entry for fact_id in cited(text.text)}
        line = document.lines.get(f"{entry}.facts", document.lines[entry])
        for fact_id in sorted(used - listed):
            faults.add(document.name, line, f"{entry}.facts", f"lacks {fact_id}, which a text here cites")
        for fact_id in sorted(listed - used):
            faults.add(
                document.name, line, f"{entry}.facts", f"lists {shown(fact_id)}, which no text here cites"
            )


def _lint_maps(maps: Maps, faults: Faults) -> None:
    name = maps.document.name
    for path, one in maps.entries.items():
        cells: dict[tuple[int, int], str] = {}
        for index, node in enumerate(one.nodes):
            place = f"{path}.nodes[{index}]"
            line = maps.document.lines[place]
            if node.mechanism is not None and node.mechanism not in MECHANISMS:
                message = f"is {shown(node.mechanism)}, which no theme has a colour for"
                faults.add(name, line, f"{place}.mechanism", message)
            if node.lane is None or node.order is None:
                continue
            first = cells.setdefault((node.lane, node.order), node.id)
            if first != node.id:
                faults.add(name, line, place, f"stands in the place of {shown(first)}: same lane, same order")


def _lint_map_links(maps: Maps, draft: Draft) -> None:
    """Look up the map links in every text of the study that the maps belong to."""
    places = {one.id for one in maps.entries.values()}
    places |= {f"{one.id}/{node.id}" for one in maps.entries.values() for node in one.nodes}
    folder = PurePosixPath(maps.document.name).parent
    texts = [
        (gist.name, placed.body_line + offset, placed.section.id, line)
        for gist in draft.gists
        for placed in gist.sections
        for offset, line in enumerate(placed.section.body.split("\n"))
    ]
    texts += [(one.name, text.line, text.field, text.text) for one in draft.documents for text in one.texts]
    for name, line, field, text in texts:
        for target in _MAP_LINK.findall(text) if PurePosixPath(name).parent == folder else ():
            if target not in places:
                draft.faults.add(
                    name, line, field, f"links to no map and no box of this study: {shown(target)}"
                )
