"""What a lesson asks of whoever remembers for it: small texts by name, such as where the reading stopped."""

from __future__ import annotations

from typing import Protocol


class Memory(Protocol):
    """Keeps texts from one day to the next; the window's preferences are one."""

    def remembered(self, name: str) -> str:
        """Return what was kept under a name; empty if nothing was."""
        ...

    def remember(self, name: str, text: str) -> None:
        """Keep a text under a name, `<page>/<thing>`."""
        ...


class ShortMemory:
    """Remembers for as long as it lives."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def remembered(self, name: str) -> str:
        """Return what was kept under a name; empty if nothing was."""
        return self._kept.get(name, "")

    def remember(self, name: str, text: str) -> None:
        """Keep a text under a name."""
        self._kept[name] = text
