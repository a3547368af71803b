"""What a person has chosen about the window: theme, zoom, motion, keys, voice, and where they were.

It lives in `window.ini` in the data folder. What was stored by hand or by another version and makes no sense counts as
not stored. What scheduling needs is not here but in progress.db, behind the desk.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, overload

import msgspec
from PySide6.QtCore import QObject, QPoint, QSettings, QSize, Signal

T = TypeVar("T")

ZOOMS = (80, 90, 100, 110, 125, 150, 175, 200)  # percent
MOTIONS = ("system", "full", "reduced")
SPEEDS = (0.5, 2.0)  # how slowly and how fast a voice may read, 1 being its own pace
RECENT = 12


class Setting(Generic[T]):
    """One value of window.ini as an attribute. `read` turns what was stored into a T, or raises ValueError or TypeError."""

    def __init__(
        self, default: T, read: Callable[[Any], T], write: Callable[[T], object] = lambda v: v
    ) -> None:
        self.default = default
        self._read = read
        self._write = write

    def __set_name__(self, owner: type, name: str) -> None:
        """Take the attribute's name as the key in the file."""
        self._name = name

    @overload
    def __get__(self, preferences: None, owner: type) -> Self: ...
    @overload
    def __get__(self, preferences: Preferences, owner: type) -> T: ...
    def __get__(self, preferences: Preferences | None, owner: type) -> Self | T:
        """Return what is stored, or the default."""
        if preferences is None:
            return self
        stored = preferences.file.value(f"window/{self._name}")
        if stored is None:
            return self.default
        try:
            return self._read(stored)
        except (ValueError, TypeError, msgspec.DecodeError):
            return self.default

    def __set__(self, preferences: Preferences, value: T) -> None:
        """Store a value and say so if it is another one; ValueError if it makes no sense."""
        value = self._read(self._write(value))
        if value != getattr(preferences, self._name):
            preferences.file.setValue(f"window/{self._name}", self._write(value))
            preferences.changed.emit(self._name)


def _text(stored: Any) -> str:
    return str(stored)


def _flag(stored: Any) -> bool:
    if str(stored).lower() not in ("true", "false"):
        raise ValueError(stored)
    return str(stored).lower() == "true"


def _zoom(stored: Any) -> int:
    """Return the nearest zoom there is."""
    return min(ZOOMS, key=lambda one: abs(one - int(stored)))


def _motion(stored: Any) -> str:
    if stored not in MOTIONS:
        raise ValueError(stored)
    return str(stored)


def _speed(stored: Any) -> float:
    speed = float(stored)
    if not SPEEDS[0] <= speed <= SPEEDS[1]:
        raise ValueError(stored)
    return speed


def _size(stored: Any) -> QSize:
    if not isinstance(stored, QSize):
        raise TypeError(stored)
    return stored


def _position(stored: Any) -> QPoint:
    if not isinstance(stored, QPoint):
        raise TypeError(stored)
    return stored


def _keys(stored: Any) -> dict[str, list[str]]:
    return msgspec.json.decode(stored, type=dict[str, list[str]])


def _list(stored: Any) -> list[str]:
    return msgspec.json.decode(stored, type=list[str])[:RECENT]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


class Preferences(QObject):
    """The typed values of window.ini. `changed` names the one that changed."""

    changed = Signal(str)

    theme = Setting("system", _text)
    """A theme's name, or `system`: light or dark as the platform is."""
    zoom = Setting(100, _zoom)
    """The size of all text, in percent."""
    motion = Setting("system", _motion)
    """`full`, `reduced`, or `system`: as the platform wishes."""
    keys: Setting[dict[str, list[str]]] = Setting({}, _keys, _json)
    """The keys a person gave to actions, by action id, in portable text such as `Ctrl+K`; no keys is an empty list."""
    voice = Setting("", _text)
    """The name of the voice that reads aloud; empty is the platform's own."""
    voice_speed = Setting(1.0, _speed)
    """How fast it reads; 1 is its own pace."""
    place = Setting("home", _text)
    """The target that was last on screen."""
    size = Setting(QSize(), _size)
    """The size of the window; not valid before it was first closed."""
    position: Setting[QPoint | None] = Setting(None, _position)
    """Where its upper left corner was, where the platform tells; None before it was first closed."""
    maximized = Setting(False, _flag)
    """Whether it filled the screen then."""
    introduced = Setting(False, _flag)
    """Whether the first-run view was left."""
    recent: Setting[list[str]] = Setting([], _list, _json)
    """Targets that were opened from the palette, newest first."""

    def __init__(self, file: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.file = file

    @classmethod
    def open(cls, data_dir: Path) -> Preferences:
        """Return the preferences of a data folder; a file that cannot be read counts as empty."""
        return cls(QSettings(str(data_dir / "window.ini"), QSettings.Format.IniFormat))

    def remembered(self, name: str) -> str:
        """Return a small thing that a page wanted back, such as a reading position; empty if there is none."""
        return str(self.file.value(f"pages/{name}", ""))

    def remember(self, name: str, text: str) -> None:
        """Keep a small thing for a page until it asks again. `name` is `<page>/<thing>`."""
        self.file.setValue(f"pages/{name}", text)
