"""Reading a progress bundle that somebody else may have made, damaged or forged.

Nothing is unpacked to disk, and the whole file is found right before any of it is stored. Each fault is one sentence
that names the file and what to do. Whether the log can have happened is for the desk to say: it replays it.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from ladder_desktop.study import Belongings, Desk, Item, Review, StudyError

from .bundle import FORMAT, ITEMS, MANIFEST, MEMBERS, OWN, REVIEWS, VERSION, Manifest

MAX_MEMBERS = 16
MAX_BYTES = 512 << 20  # of all members unpacked: some 500,000 reviews
MAX_RATIO = 200  # of a member's size to what it takes in the zip; only a zip bomb has more

# Everything the standard library raises for a zip that is cut short, damaged or not one at all.
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError)

T = TypeVar("T")


class ImportFault(Exception):  # noqa: N818 - not an error of the program
    """A bundle that was not taken in. Its text is one sentence that names the file and what to do."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a bundle holds. Its parts are whole and fit the manifest; the log has not been replayed."""

    manifest: Manifest
    items: tuple[Item, ...]
    reviews: tuple[Review, ...]
    own: Belongings


class _Header(msgspec.Struct):
    """What can be asked of a manifest of any version."""

    format: str
    version: int


def read_bundle(path: Path, desk: Desk) -> int:
    """Take the reviews of the bundle at `path` into a desk without reviews, in one transaction; return how many.

    Raises ImportFault; nothing was stored then.
    """
    bundle = load_bundle(path)
    try:
        desk.history.insert_reviews(bundle.reviews, bundle.items, bundle.own)
    except StudyError as error:
        raise ImportFault(f"{path} was not imported: {error}") from error
    return len(bundle.reviews)


def load_bundle(path: Path) -> Bundle:
    """Read and check the bundle at `path`; raises ImportFault."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _Reader(path, archive).bundle()
    except OSError as error:
        raise ImportFault(f"{path} could not be read ({error.strerror or error}): check the file.") from error
    except _BROKEN_ZIP as error:
        raise ImportFault(
            f"{path} is cut short, damaged or no progress bundle: copy or export it again."
        ) from error


class _Reader:
    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path = path
        self.archive = archive

    def bundle(self) -> Bundle:
        self._check_limits()
        manifest = self._manifest()
        wanted = MEMBERS[manifest.version]
        names = sorted(self.archive.namelist())
        if names != sorted((MANIFEST, *wanted)) or sorted(manifest.sha256) != sorted(wanted):
            raise self._fault("does not hold exactly the files of a progress bundle", "export it again")
        members = {name: self._read(name) for name in wanted}
        for name, data in members.items():
            if hashlib.sha256(data).hexdigest() != manifest.sha256[name]:
                raise self._fault(f"holds another {name} than its checksum says", "copy or export it again")
        items = self._lines(ITEMS, members[ITEMS], Item)
        reviews = self._lines(REVIEWS, members[REVIEWS], Review)
        if (manifest.items, manifest.reviews) != (len(items), len(reviews)):
            raise self._fault("holds another number of items or reviews than it says", "export it again")
        own = self._decode(OWN, members[OWN], Belongings) if OWN in members else Belongings()
        return Bundle(manifest, items, reviews, own)

    def _check_limits(self) -> None:
        infos = self.archive.infolist()
        total = sum(info.file_size for info in infos)
        dense = any(info.file_size > MAX_RATIO * max(info.compress_size, 1) for info in infos)
        if len(infos) > MAX_MEMBERS or total > MAX_BYTES or dense:
            raise self._fault("unpacks to more than a progress bundle may hold", "do not use this file")

    def _manifest(self) -> Manifest:
        if MANIFEST not in self.archive.namelist():
            raise self._fault("is a zip but no progress bundle, it has no manifest", "choose a .ladder file")
        data = self._read(MANIFEST)
        header = self._decode(MANIFEST, data, _Header)
        if header.format != FORMAT:
            raise self._fault("is no progress bundle of Runtime Ladder", "choose a .ladder file")
        if header.version > VERSION:
            raise self._fault("was written by a newer Runtime Ladder", "update this one, then import it")
        if header.version not in MEMBERS:
            raise self._fault(f"has the unknown format version {header.version}", "export it again")
        return self._decode(MANIFEST, data, Manifest)

    def _read(self, name: str) -> bytes:
        """Return a member; no more of it is unpacked than the zip's directory promised, and its CRC is checked."""
        info = self.archive.getinfo(name)
        with self.archive.open(info) as member:
            return member.read(info.file_size)

    def _lines(self, name: str, data: bytes, kind: type[T]) -> tuple[T, ...]:
        decoder = msgspec.json.Decoder(kind)
        lines = enumerate(data.splitlines(), start=1)
        return tuple(self._decode(f"{name} line {number}", line, kind, decoder) for number, line in lines)

    def _decode(
        self, where: str, data: bytes, kind: type[T], decoder: msgspec.json.Decoder[T] | None = None
    ) -> T:
        try:
            return (decoder or msgspec.json.Decoder(kind)).decode(data)
        except (msgspec.MsgspecError, StudyError, RecursionError) as error:
            reason = str(error).rstrip(".")
            what = f"cannot be understood ({where}: {reason})"
            raise self._fault(what, "update Runtime Ladder or export it again") from error

    def _fault(self, what: str, advice: str) -> ImportFault:
        return ImportFault(f"{self.path} {what}: {advice}.")
