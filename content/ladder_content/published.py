"""The ids that a pack has been published with: `published.yaml`.

People's progress hangs on the ids of cards and tickets; links and saved places lead to sections, maps and programs. So
an id that was published stays, and keeps its kind. The file is written when a pack is built; what the pack really gives
up moves to `retired` by hand, and is never used again.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import msgspec
import yaml

from ladder_content.document import Document
from ladder_content.faults import Faults, shown
from ladder_content.model import Pack, Record

NAME = "published.yaml"
KINDS = ("studies", "cards", "tickets", "sections", "maps", "snippets")
_HEAD = (
    "# The ids this pack was published with. They never change: progress and links hang on them.\n"
    "# `content build` adds new ones. What the pack gives up for good moves to `retired`.\n"
)


class Published(Record, frozen=True):
    """Ids by kind. Sections and maps, which are unique in their study only, are written `study/id`."""

    studies: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()
    snippets: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()


def ids_of(pack: Pack) -> Published:
    """Return the ids that stand in a pack, in its order."""
    return Published(
        studies=tuple(study.id for study in pack.studies),
        cards=tuple(card.id for study in pack.studies for card in study.cards),
        tickets=tuple(ticket.id for study in pack.studies for ticket in study.tickets),
        sections=tuple(f"{study.id}/{one.id}" for study in pack.studies for one in study.sections),
        maps=tuple(f"{study.id}/{one.id}" for study in pack.studies for one in study.maps),
        snippets=tuple(one.id for study in pack.studies for one in study.snippets),
    )


def lint_published(pack: Pack, published: Published, document: Document, faults: Faults) -> None:
    """Note each published id that is gone or denotes another kind of thing, and each retired one that is used again."""
    today = ids_of(pack)
    kind_of = {one: kind for kind in KINDS for one in getattr(today, kind)}
    for kind in (*KINDS, "retired"):
        there = frozenset(getattr(today, kind))
        for index, one in enumerate(getattr(published, kind)):
            now, message = kind_of.get(one), None
            if kind == "retired" and now:
                message = f"is retired and used again in {now}: {shown(one)}; choose a new id"
            elif kind != "retired" and one not in there:
                gone = "is gone; give it back its id, or move it to `retired`"
                message = f"was published and {f'stands in {now} now' if now else gone}: {shown(one)}"
            if message:
                place = f"{kind}[{index}]"
                faults.add(NAME, document.lines[place], place, message)


def note_published(folder: Path, pack: Pack, before: Published) -> None:
    """Add the ids of a pack to those in its published.yaml, in one stroke. OSError if it cannot be written."""
    today = ids_of(pack)
    kept = {kind: dict.fromkeys((*getattr(before, kind), *getattr(today, kind))) for kind in KINDS}
    after = msgspec.structs.replace(before, **{kind: tuple(ids) for kind, ids in kept.items()})
    if after == before:
        return
    lists = {kind: list(getattr(after, kind)) for kind in (*KINDS, "retired") if getattr(after, kind)}
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{NAME}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_HEAD + yaml.safe_dump(lists, sort_keys=False, allow_unicode=True))
        Path(name).chmod(0o644)
        Path(name).replace(folder / NAME)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
