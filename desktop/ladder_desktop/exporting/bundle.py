"""The progress bundle: a `.ladder` file that carries one person's whole study from one profile to another.

It is a zip of

    manifest.json     format, version, when and by what it was written, the pack, counts, a SHA-256 of each member
    items.jsonl       one Item a line: everything that was ever registered
    reviews.jsonl     one Review a line, in the order of the log
    own.json          Belongings: marks, notes, own wording, own cards, what moved items beside the answers, settings

The log is the truth: card states follow from it, and each review names the algorithm and the parameters that
scheduled it. Version 1 had no own.json, version 2 no own cards. The same progress at the same moment gives the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from .files import write_zip
from .progress import Exported, Progress

FORMAT = "runtime-ladder-progress"
VERSION = 3

MANIFEST = "manifest.json"
ITEMS = "items.jsonl"
REVIEWS = "reviews.jsonl"
OWN = "own.json"
MEMBERS = {1: (ITEMS, REVIEWS), 2: (ITEMS, REVIEWS, OWN), 3: (ITEMS, REVIEWS, OWN)}  # of each version


class PackName(msgspec.Struct, frozen=True):
    """Which pack the progress was made with."""

    id: str
    title: str
    version: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The first thing a reader looks at."""

    format: str
    version: int
    created: datetime
    app: str
    pack: PackName
    items: int
    reviews: int
    sha256: dict[str, str]


def write_bundle(path: Path, progress: Progress) -> Exported:
    """Write `progress` as a bundle at `path`; raises ExportError."""
    members = {
        ITEMS: _lines(progress.items),
        REVIEWS: _lines(progress.reviews),
        OWN: msgspec.json.format(msgspec.json.encode(progress.own), indent=1),
    }
    pack = progress.pack
    manifest = Manifest(
        format=FORMAT,
        version=VERSION,
        created=progress.now,
        app=_app_version(),
        pack=PackName(pack.id, pack.title, pack.version),
        items=len(progress.items),
        reviews=len(progress.reviews),
        sha256={name: hashlib.sha256(data).hexdigest() for name, data in members.items()},
    )
    write_zip(path, {MANIFEST: msgspec.json.format(msgspec.json.encode(manifest), indent=1), **members})
    return Exported(path, len(progress.items), len(progress.reviews))


def _lines(values: Iterable[object]) -> bytes:
    encoder = msgspec.json.Encoder()
    return b"".join(encoder.encode(value) + b"\n" for value in values)


def _app_version() -> str:
    try:
        return version("runtime-ladder")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "source"
