"""The bytes of a pack's files, from a folder or a zip, within limits.

Only names that the pack format knows are ever asked for, a zip is read in memory and never unpacked, and links are
refused: a pack cannot make us read anything but its own plain files.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Protocol

MAX_FILE_BYTES = 1 << 20
MAX_TOTAL_BYTES = 16 << 20
MAX_ZIP_BYTES = 32 << 20
MAX_ZIP_ENTRIES = 2000
_PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError)


class UnreadableError(Exception):
    """A file of a pack, or the pack itself, cannot be read; the text says why, without a name."""


class MissingError(UnreadableError):
    """The pack has no file of this name."""

    def __init__(self) -> None:
        super().__init__("is missing")


class Source(Protocol):
    """A place that holds a pack's files under their names relative to the pack."""

    def read(self, name: str) -> bytes:
        """Return a file's bytes; UnreadableError if it is missing, no plain file, or over a limit."""


class Folder:
    """A pack in a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._budget = _Budget()

    def read(self, name: str) -> bytes:
        """Return a file's bytes; UnreadableError if it is missing, no plain file, or over a limit."""
        path = self._root
        try:
            for part in PurePosixPath(name).parts:
                path = path / part
                if path.is_symlink():
                    raise UnreadableError("is a link; a pack holds plain files only")
            if not stat.S_ISREG(path.stat().st_mode):
                raise UnreadableError("is not a file")
            with path.open("rb") as file:
                return self._budget.spend(file.read(MAX_FILE_BYTES + 1))
        except (FileNotFoundError, NotADirectoryError):
            raise MissingError from None
        except OSError as error:
            raise UnreadableError(f"cannot be read: {error.strerror or type(error).__name__}") from None


class Archive:
    """A pack in a zip: its files at the top, or all of them in one folder."""

    def __init__(self, path: Path) -> None:
        if path.stat().st_size > MAX_ZIP_BYTES:
            raise UnreadableError(f"is larger than {MAX_ZIP_BYTES >> 20} MiB")
        try:
            self._file = zipfile.ZipFile(path)
        except (*_ZIP_ERRORS, NotImplementedError):
            raise UnreadableError("is neither a folder nor a zip that can be read") from None
        try:
            self._entries = _entries(self._file.infolist())
        except UnreadableError:
            self._file.close()
            raise
        self._budget = _Budget()

    def read(self, name: str) -> bytes:
        """Return a file's bytes; UnreadableError if it is missing, damaged, or over a limit."""
        info = self._entries.get(name)
        if info is None:
            raise MissingError
        if info.flag_bits & 0x1 or info.compress_type not in _PLAIN_METHODS:
            raise UnreadableError("is encrypted, or packed in another way than deflate")
        try:
            with self._file.open(info) as file:
                data = file.read(MAX_FILE_BYTES + 1)  # the header may lie about the size
        except (*_ZIP_ERRORS, NotImplementedError):
            raise UnreadableError("is damaged in the zip") from None
        return self._budget.spend(data)

    def close(self) -> None:
        """Close the zip file."""
        self._file.close()


class _Budget:
    """What a pack may still take of our memory."""

    def __init__(self) -> None:
        self._left = MAX_TOTAL_BYTES

    def spend(self, data: bytes) -> bytes:
        self._left -= len(data)
        if len(data) > MAX_FILE_BYTES:
            raise UnreadableError(f"is larger than {MAX_FILE_BYTES >> 20} MiB")
        if self._left < 0:
            raise UnreadableError(f"makes the pack larger than {MAX_TOTAL_BYTES >> 20} MiB")
        return data


def _entries(infos: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Return the zip's files by their names in the pack, once every name is known to stay inside it."""
    if len(infos) > MAX_ZIP_ENTRIES:
        raise UnreadableError(f"holds more than {MAX_ZIP_ENTRIES} files")
    files = [info for info in infos if not info.is_dir()]
    top = _common_folder([info.filename for info in files])
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in files:
        if _leaves_the_pack(info.filename) or stat.S_ISLNK(info.external_attr >> 16):
            raise UnreadableError(f"holds an entry that points out of the pack: {ascii(info.filename)[:80]}")
        name = info.filename.removeprefix(top)
        if name in entries:
            raise UnreadableError(f"holds an entry twice: {ascii(name)[:80]}")
        entries[name] = info
    return entries


def _common_folder(names: list[str]) -> str:
    """Return `folder/` if pack.yaml stands in exactly one top folder and not at the top, else an empty string."""
    if "pack.yaml" in names:
        return ""
    heads = {name.split("/")[0] for name in names if name.count("/") == 1 and name.endswith("/pack.yaml")}
    return heads.pop() + "/" if len(heads) == 1 else ""


def _leaves_the_pack(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or ":" in name
