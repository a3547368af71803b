"""A candidate's progress as files: Anki packages, CSV tables and the progress bundle. No Qt.

`export` and `import_bundle` are the only doors; the window and the command line call them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ladder_content.model import Pack

from ladder_desktop.study import Clock, Desk

from .apkg import write_apkg
from .bundle import write_bundle
from .bundle_reader import ImportFault, read_bundle
from .csv_files import write_csv
from .files import ExportError
from .progress import Exported, Progress, progress_of

__all__ = ["FORMATS", "ExportError", "Exported", "ImportFault", "export", "import_bundle"]

_WRITERS: dict[str, tuple[str, Callable[[Path, Progress], Exported]]] = {
    ".apkg": ("Anki deck with scheduling", write_apkg),
    ".zip": ("CSV tables of cards and reviews", write_csv),
    ".ladder": ("progress bundle", write_bundle),
}

# What can be written, by suffix, with words for a dialog.
FORMATS: Mapping[str, str] = {suffix: words for suffix, (words, _) in _WRITERS.items()}


def export(path: Path, desk: Desk, pack: Pack, clock: Clock | None = None) -> Exported:
    """Write all progress to `path`; its suffix, a key of FORMATS, says in which form.

    A file that stands there is replaced in one stroke, or left as it is if anything fails. Raises ExportError, and
    StudyError if the desk cannot be read. `clock` is the desk's, where that is not the system's.
    """
    if path.suffix.lower() not in _WRITERS:
        known = ", ".join(f"{suffix} ({words})" for suffix, words in FORMATS.items())
        raise ExportError(f"{path} does not say what to write: end its name in one of {known}.")
    _, write = _WRITERS[path.suffix.lower()]
    return write(path, progress_of(desk, pack, clock))


def import_bundle(path: Path, desk: Desk) -> int:
    """Take the progress bundle at `path` into a desk without reviews; return how many reviews it brought.

    It is one transaction, and the card states come out identical. Raises ImportFault; nothing was stored then.
    """
    return read_bundle(path, desk)
