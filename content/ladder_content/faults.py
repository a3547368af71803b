"""What is wrong with a pack, told so that its author can mend it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FAULT_LIMIT = 500  # a hostile pack must not make us write a book about it


@dataclass(frozen=True, order=True)
class Fault:
    """One fault. `file` is relative to the pack (`.` is the pack itself), `line` counts from 1, `field` may be empty."""

    file: str
    line: int
    field: str
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: "
        return f"{place}{self.field}: {self.message}" if self.field else place + self.message


class PackError(Exception):
    """The pack cannot be used. `faults` holds every fault found; the text is one sentence for a person."""

    def __init__(self, path: Path, faults: tuple[Fault, ...]) -> None:
        first, more = faults[0], len(faults) - 1
        where = "" if first.file == "." else f" {first.file}, line {first.line}"
        field = f", {first.field}" if first.field else ""
        rest = f" (and {more} more fault{'s' if more > 1 else ''})" if more else ""
        super().__init__(f"The pack {path} cannot be used:{where}{field} {first.message}{rest}.")
        self.path = path
        self.faults = faults


class Faults:
    """The faults found so far, up to `FAULT_LIMIT`."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(self, file: str, line: int, field: str, message: str) -> None:
        """Note one fault; beyond the limit it is dropped, for the pack is refused anyway."""
        if len(self.found) < FAULT_LIMIT:
            self.found.append(Fault(file, line, field, message))

    def sorted(self) -> tuple[Fault, ...]:
        """All faults, by file and line, each once."""
        return tuple(sorted(set(self.found)))


def shown(text: str) -> str:
    """Return a piece of somebody else's text in quotes, short and on one line."""
    return repr(text if len(text) <= 40 else text[:37] + "...")
