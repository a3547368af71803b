"""What an author does with a pack beside writing it: begin one from the example, and make one file of it."""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from ladder_content.check import check_pack
from ladder_content.faults import PackError
from ladder_content.layouts import LAYOUT, layout_text
from ladder_content.loader import read_draft
from ladder_content.published import note_published

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same pack gives the same bytes, whenever it is built


class AuthoringError(Exception):
    """A pack could not be begun or built; one sentence that says why and what to do."""


def new_pack(folder: Path) -> None:
    """Write the example pack into a folder that does not exist yet; the folder's name becomes the pack's id.

    Raises AuthoringError if the name is no id, the folder exists, or it cannot be written.
    """
    if not _NAME.fullmatch(folder.name):
        raise AuthoringError(
            f"{folder.name!r} cannot be the id of a pack; use small letters, digits and hyphens, such as my-team."
        )
    if folder.exists():
        raise AuthoringError(f"{folder} exists already; choose another name.")
    try:
        _copy(resources.files("ladder_content").joinpath("template"), folder)
        head = folder / "pack.yaml"
        text = re.sub(r"^id: .*$", f"id: {folder.name}", head.read_text("utf-8"), count=1, flags=re.MULTILINE)
        head.write_text(text, "utf-8")
    except OSError as error:
        raise AuthoringError(
            f"{folder} cannot be written ({error.strerror}); choose another place."
        ) from error


def build_pack(folder: Path, out: Path) -> None:
    """Make one zip of a sound pack folder, in one stroke; equal folders give equal bytes.

    The places of boxes whose author gave none are worked out with care here and stored in the zip.

    What is built is published: the folder's published.yaml takes in the ids that are new.
    Raises PackError with every fault of a pack that is not sound, AuthoringError if the zip cannot be written.
    """
    faults = check_pack(folder)
    if faults:
        raise PackError(folder, tuple(faults))
    if not folder.is_dir():
        raise AuthoringError(f"{folder} is a zip already; nothing is to be built.")
    publish_pack(folder)
    try:
        handle, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
        try:
            with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                for inside, data in sorted(_files(folder).items()):
                    archive.writestr(zipfile.ZipInfo(inside, _EPOCH), data, zipfile.ZIP_DEFLATED)
            Path(name).replace(out)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise AuthoringError(f"{out} cannot be written ({error.strerror}); choose another place.") from error


def publish_pack(folder: Path) -> None:
    """Note the ids of a sound pack folder in its published.yaml: from now on they stay.

    Raises PackError, or AuthoringError if the file cannot be written.
    """
    draft = read_draft(folder)
    if draft.pack is None:
        raise PackError(folder, draft.faults.sorted())
    try:
        note_published(folder, draft.pack, draft.published)
    except OSError as error:
        raise AuthoringError(
            f"{folder} cannot be written ({error.strerror}); copy the pack first."
        ) from error


def _files(folder: Path) -> dict[str, bytes]:
    """Return what goes into the zip by its name there: the files of a pack, and the layout of maps that have none."""
    paths = [path for path in folder.rglob("*") if path.suffix in (".yaml", ".md")]
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    for maps in read_draft(folder).maps:
        text = layout_text(maps.entries.values(), maps.stored)
        if text:
            files[f"{PurePosixPath(maps.document.name).parent}/{LAYOUT}"] = text.encode()
    return files


def _copy(source: Traversable, target: Path) -> None:
    if source.is_dir():
        target.mkdir(parents=True)
        for child in source.iterdir():
            _copy(child, target / child.name)
    else:
        target.write_bytes(source.read_bytes())
