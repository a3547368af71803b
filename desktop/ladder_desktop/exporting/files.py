"""How every export reaches the disk: whole, or not at all."""

from __future__ import annotations

import os
import secrets
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

# The oldest time a zip can hold. The same progress then gives the same bytes, whenever it is written.
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)


class ExportError(Exception):
    """An export that could not be written. Its text is one sentence that names the file and what to do."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a temporary file beside `path`; when the block ends well it is on disk and takes the name `path`.

    When the block raises, the temporary file is removed and whatever stood at `path` stays as it was.
    Raises ExportError where the operating system refuses.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        try:
            with part.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExportError(
            f"{path} could not be written ({reason}): choose another folder or file."
        ) from error


def write_zip(path: Path, members: Mapping[str, bytes]) -> None:
    """Write `members` (name to bytes) as a compressed zip at `path`, in their order; raises ExportError."""
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, ZIP_EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix on every platform, so that the bytes do not depend on it
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where folders can be opened (not on Windows)."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems refuse it; the file itself is already safe
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
