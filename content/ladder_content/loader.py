"""Loads a pack from a folder or a zip, and reports every fault with file, line and field.

What the loader guarantees about a pack that somebody else made:

- It reads only the plain files that the format names, inside the pack; it follows no link, unpacks no zip, writes
  nothing and reaches no network. Sizes, counts and nesting are bounded before anything is built.
- YAML is data: no tag constructs an object, no alias expands.
- It returns a Pack in which every type fits, every id is well formed and unique, and every reference resolves, or it
  raises PackError. No other exception comes out, whatever the bytes.
- It does not make texts harmless. They are Markdown that a stranger may have written: whoever shows them must not
  run HTML, load images or follow links that they contain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

from ladder_content import rules
from ladder_content.bundled import bundled_pack as bundled_pack
from ladder_content.citations import FACT_ID
from ladder_content.document import Document, decode, decode_list, decode_text
from ladder_content.faults import Fault, Faults, PackError, shown
from ladder_content.gist import Placed, parse_sections
from ladder_content.kinds import check_card
from ladder_content.layouts import LAYOUT, Layout, cells_of
from ladder_content.model import Card, Fact, Map, Pack, Record, Reference, Snippet, Study, Ticket
from ladder_content.placing import Cell, placed
from ladder_content.published import NAME as PUBLISHED
from ladder_content.published import Published
from ladder_content.snippets import check_snippet
from ladder_content.source import Archive, Folder, MissingError, Source, UnreadableError

__all__ = ["Fault", "PackError", "bundled_pack", "load_pack"]

T = TypeVar("T")
MAX_STUDIES = 100
_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class PackHead(Record, frozen=True):
    """pack.yaml."""

    id: str
    title: str
    version: str
    language: str
    licence: str
    studies: tuple[str, ...]


class StudyHead(Record, frozen=True):
    """study.yaml."""

    id: str
    title: str
    number: int
    summary: str
    references: tuple[Reference, ...]


@dataclass
class Gist:
    """A study's gist.md, cut into sections."""

    name: str
    sections: list[Placed]


@dataclass
class Maps:
    """A study's maps.yaml: its maps by their paths, as they are written, and the cells that layout.yaml holds."""

    document: Document
    entries: dict[str, Map]
    stored: dict[str, dict[str, Cell]] = field(default_factory=dict)


@dataclass
class Draft:
    """All that could be read of a pack. `pack` is None if there are faults."""

    faults: Faults = field(default_factory=Faults)
    pack: Pack | None = None
    documents: list[Document] = field(default_factory=list)
    gists: list[Gist] = field(default_factory=list)
    maps: list[Maps] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)  # fact ids, and where each stands
    published: Published = field(default_factory=Published)
    in_published: Document = field(default_factory=lambda: Document(PUBLISHED))


def load_pack(path: Path) -> Pack:
    """Load a pack from a folder or a zip; PackError, which holds every fault, if it has any."""
    draft = read_draft(path)
    if draft.pack is None:
        raise PackError(path, draft.faults.sorted())
    return draft.pack


def read_draft(path: Path) -> Draft:
    """Read as much of a pack as can be read, with the faults found on the way."""
    draft = Draft()
    try:
        if path.is_dir():
            _Reader(Folder(path), draft).read()
        else:
            archive = Archive(path)
            try:
                _Reader(archive, draft).read()
            finally:
                archive.close()
    except UnreadableError as error:
        draft.faults.add(".", 1, "", str(error))
    except FileNotFoundError:
        draft.faults.add(".", 1, "", "does not exist")
    except (OSError, ValueError) as error:  # ValueError: a path that no system can hold
        draft.faults.add(".", 1, "", f"cannot be opened: {getattr(error, 'strerror', None) or error}")
    return draft


class _Reader:
    """Reads the files of one pack in their order and applies the rules across them."""

    def __init__(self, source: Source, draft: Draft) -> None:
        self._source = source
        self._draft = draft
        self._faults = draft.faults
        self._items: dict[str, str] = {}  # ids of cards and tickets, on which progress hangs, and of snippets
        self._studies: dict[str, str] = {}
        self._numbers: dict[str, str] = {}

    def read(self) -> None:
        head, document = self._struct("pack.yaml", PackHead)
        published, self._draft.in_published = self._struct(PUBLISHED, Published, optional=True)
        self._draft.published = published or Published()
        facts, in_facts = self._list("facts.yaml", Fact)
        rules.check_ids(in_facts, self._faults, FACT_ID)
        named = [(text.field, text.text) for text in in_facts.texts if text.field.endswith(".id")]
        rules.check_unique(in_facts, named, self._draft.facts, self._faults)
        studies = [self._study(folder) for folder in self._folders(head, document)]
        unread = not in_facts.lines and any(fault.file == "facts.yaml" for fault in self._faults.found)
        if not unread:  # a facts.yaml that could not be read at all is fault enough
            self._check_citations()
        if head is not None and not self._faults.found:
            self._draft.pack = Pack(
                id=head.id,
                title=head.title,
                version=head.version,
                language=head.language,
                licence=head.licence,
                studies=tuple(study for study in studies if study is not None),
                facts=tuple(facts.values()),
            )

    def _bytes(self, name: str, empty: bytes | None = None) -> bytes | None:
        """Return the bytes of a file, `empty` for a missing one if that is given; None after noting why not."""
        try:
            return self._source.read(name)
        except UnreadableError as error:
            if empty is not None and isinstance(error, MissingError):
                return empty
            self._faults.add(name, 1, "", str(error))
            return None

    def _struct(self, name: str, kind: type[T], optional: bool = False) -> tuple[T | None, Document]:
        data = self._bytes(name, b"{}" if optional else None)
        value, document = (None, Document(name)) if data is None else decode(name, data, kind, self._faults)
        rules.check_ids(document, self._faults)
        self._draft.documents.append(document)
        return value, document

    def _list(self, name: str, kind: type[T], optional: bool = False) -> tuple[dict[str, T], Document]:
        data = self._bytes(name, b"[]" if optional else None)
        entries, document = (
            ({}, Document(name)) if data is None else decode_list(name, data, kind, self._faults)
        )
        self._draft.documents.append(document)
        return entries, document

    def _folders(self, head: PackHead | None, document: Document) -> list[str]:
        """Return the names of the study folders, once each and only where they are names and not paths."""
        folders: list[str] = []
        for index, folder in enumerate(head.studies if head else ()):
            place = f"studies[{index}]"
            line = document.lines[place]
            if not _FOLDER.fullmatch(folder):
                self._faults.add("pack.yaml", line, place, f"is no name of a folder: {shown(folder)}")
            elif folder in folders:
                self._faults.add("pack.yaml", line, place, f"stands twice: {shown(folder)}")
            elif len(folders) == MAX_STUDIES:
                self._faults.add(
                    "pack.yaml", line, place, f"is one too many; a pack holds {MAX_STUDIES} studies"
                )
                break
            else:
                folders.append(folder)
        if head and not head.studies:
            self._faults.add("pack.yaml", document.lines["studies"], "studies", "names no study")
        return folders

    def _study(self, folder: str) -> Study | None:
        base = f"studies/{folder}"
        head, document = self._struct(f"{base}/study.yaml", StudyHead)
        if head is not None:
            self._head(head, document)
        sections = self._gist(f"{base}/gist.md")
        maps = self._maps(f"{base}/maps.yaml")
        cards, in_cards = self._list(f"{base}/cards.yaml", Card)
        tickets, in_tickets = self._list(f"{base}/tickets.yaml", Ticket)
        snippets, in_snippets = self._list(f"{base}/snippets.yaml", Snippet, optional=True)
        for entries, one in ((cards, in_cards), (tickets, in_tickets), (snippets, in_snippets)):
            rules.check_ids(one, self._faults)
            rules.check_unique(
                one, [(f"{path}.id", entry.id) for path, entry in entries.items()], self._items, self._faults
            )
        for path, card in cards.items():
            check_card(in_cards, path, card, self._faults)
        for path, snippet in snippets.items():
            check_snippet(in_snippets, path, snippet, self._faults)
        for path, ticket in tickets.items():
            rules.check_ticket(in_tickets, path, ticket, self._faults)
        if head is None:
            return None
        return Study(
            id=head.id,
            title=head.title,
            number=head.number,
            summary=head.summary,
            sections=tuple(placed.section for placed in sections),
            maps=tuple(maps.values()),
            cards=tuple(cards.values()),
            tickets=tuple(tickets.values()),
            references=head.references,
            snippets=tuple(snippets.values()),
        )

    def _head(self, head: StudyHead, document: Document) -> None:
        rules.check_unique(document, [("id", head.id)], self._studies, self._faults)
        rules.check_unique(document, [("number", str(head.number))], self._numbers, self._faults)
        ids = [(f"references[{index}].id", one.id) for index, one in enumerate(head.references)]
        rules.check_unique(document, ids, {}, self._faults)
        for index, reference in enumerate(head.references):
            rules.check_reference(document, f"references[{index}]", reference, self._faults)

    def _gist(self, name: str) -> list[Placed]:
        data = self._bytes(name)
        text = None if data is None else decode_text(name, data, self._faults)
        sections = [] if text is None else parse_sections(name, text, self._faults)
        rules.check_sections(name, sections, self._faults)
        self._draft.gists.append(Gist(name, sections))
        return sections

    def _maps(self, name: str) -> dict[str, Map]:
        maps, document = self._list(name, Map)
        rules.check_ids(document, self._faults)
        rules.check_unique(document, [(f"{path}.id", one.id) for path, one in maps.items()], {}, self._faults)
        for path, one in maps.items():
            rules.check_map(document, path, one, self._faults)
        layouts, in_layouts = self._list(f"{PurePosixPath(name).parent}/{LAYOUT}", Layout, optional=True)
        stored = cells_of(layouts, maps.values(), in_layouts, self._faults)
        self._draft.maps.append(Maps(document, maps, stored))
        return (
            maps
            if self._faults.found
            else {path: placed(one, stored.get(one.id)) for path, one in maps.items()}
        )

    def _check_citations(self) -> None:
        """Look up every citation."""
        facts = self._draft.facts
        for document in self._draft.documents:
            rules.check_citations(document, facts, self._faults)
        for gist in self._draft.gists:
            rules.check_section_citations(gist.name, gist.sections, facts, self._faults)
