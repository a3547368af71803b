"""What is left when the program does not end as it should: a mark that it ran, and a report that names no private text.

While a window is open `session.json` lies in the data folder; who finds it there at the next start knows that the last
one broke off. A hard crash writes its stacks to `crash.log`, an unforeseen fault in a slot goes into a report at once.
"""

from __future__ import annotations

import faulthandler
import os
import platform
import sys
import traceback
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TextIO

import msgspec

REPORTS = 10  # how many are kept


class Session:
    """One run of the window on a data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir
        self._mark = data_dir / "session.json"
        self._log = data_dir / "crash.log"
        self._stacks: TextIO | None = None

    def begin(self, now: datetime) -> Path | None:
        """Begin to watch. Returns the report about the last session if it broke off, None if it ended well."""
        broke_off = self._mark.exists()
        try:
            report = self._report(now, self._last_stacks()) if broke_off else None
            self._mark.write_bytes(msgspec.json.encode({"pid": os.getpid(), "began": now}))
            self._stacks = self._log.open("w", encoding="utf-8")
        except OSError:
            return None  # the store will say what is wrong with the folder
        faulthandler.enable(self._stacks)
        return report

    def end(self) -> None:
        """The window was closed as it should be."""
        if self._stacks is not None:
            faulthandler.disable()
            self._stacks.close()
            self._stacks = None
            self._log.unlink(missing_ok=True)
            self._mark.unlink(missing_ok=True)

    def note(self, kind: type[BaseException], trace: TracebackType | None, now: datetime) -> Path | None:
        """Write a report about a fault that nobody foresaw; None if it cannot be written.

        Where it happened is in it, and of which kind it is, but not its message, which may quote what a person wrote.
        """
        frames = "".join(traceback.format_tb(trace))
        try:
            return self._report(now, f"{kind.__module__}.{kind.__qualname__}\n{frames}")
        except OSError:
            return None

    def _last_stacks(self) -> str:
        try:
            return self._log.read_text("utf-8", errors="replace") or "Nothing was left: it was killed."
        except FileNotFoundError:
            return "Nothing was left: it was killed."

    def _report(self, now: datetime, what: str) -> Path:
        folder = self._folder / "reports"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"report-{now:%Y%m%d-%H%M%S-%f}.txt"
        path.write_text(f"{facts()}\n{now.isoformat(timespec='seconds')}\n\n{what}\n", "utf-8")
        for old in sorted(folder.glob("report-*.txt"))[:-REPORTS]:
            old.unlink(missing_ok=True)
        return path


def facts() -> str:
    """Return what a developer asks first: versions and system."""
    versions = [f"{name} {_version(name)}" for name in ("runtime-ladder", "PySide6-Essentials", "fsrs")]
    return "\n".join([*versions, f"Python {sys.version}", platform.platform()])


def _version(name: str) -> str:
    from importlib import metadata  # only a report needs it, and it takes its time

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
