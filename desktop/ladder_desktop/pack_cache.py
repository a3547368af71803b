"""A pack that was read once is kept, parsed, in the data folder: reading its YAML again takes most of the start.

The copy counts only while no file of the pack, and no line of the loader, has changed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import ladder_content
import msgspec
from ladder_content.model import Pack

FILE = "pack.msgpack"


class Kept(msgspec.Struct):
    """What lies in the file."""

    stamp: str
    pack: Pack


def load_pack_quickly(path: Path, data_dir: Path) -> Pack:
    """Return a pack, from the copy if that is still true; PackError as from the loader, which then reads it."""
    stamp = _stamp(path)
    kept = data_dir / FILE
    with suppress(OSError, msgspec.DecodeError):
        found = msgspec.msgpack.decode(kept.read_bytes(), type=Kept)
        if found.stamp == stamp:
            return found.pack
    from ladder_content.loader import load_pack

    pack = load_pack(path)
    with suppress(OSError):
        draft = kept.with_suffix(f".{os.getpid()}")
        draft.write_bytes(msgspec.msgpack.encode(Kept(stamp, pack)))
        draft.replace(kept)
    return pack


def _stamp(path: Path) -> str:
    """Return what changes with any file of the pack or of the loader: names, sizes and times."""
    loader = Path(ladder_content.__file__).parent.glob("*.py")
    files = [*loader, path, *(path.rglob("*") if path.is_dir() else ())]
    lines = [str(path.resolve())]
    for file in sorted(files):
        with suppress(OSError):
            facts = file.stat()
            lines.append(f"{file}|{facts.st_size}|{facts.st_mtime_ns}")
    return "\n".join(lines)
