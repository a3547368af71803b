"""Theme files: TOML with every named colour, the bundled ones in themes/ and a person's own in their data folder.

An own file may begin with `base = "dark"` and then names only what it changes:

    name = "Dusk"
    base = "dark"
    [palette]
    accent = "#......"
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QStyle

from ladder_desktop.preferences import Preferences
from ladder_desktop.theme import Theme, ThemeError

Colour = Annotated[str, msgspec.Meta(pattern="^#[0-9a-fA-F]{6}$")]
BUNDLED = ("light", "dark", "colour-blind-light", "colour-blind-dark")


class Palette(msgspec.Struct, forbid_unknown_fields=True):
    """The colours of text, grounds and lines."""

    window: Colour
    surface: Colour
    sunken: Colour
    line: Colour
    edge: Colour
    text: Colour
    muted: Colour
    faint: Colour
    accent: Colour
    accent_text: Colour
    selection: Colour
    good: Colour
    warn: Colour
    bad: Colour


class ThemeFile(msgspec.Struct, forbid_unknown_fields=True):
    """A whole theme file."""

    name: Annotated[str, msgspec.Meta(min_length=1)]
    dark: bool
    palette: Palette
    mechanism: dict[str, Colour]
    owners: dict[str, Annotated[list[Colour], msgspec.Meta(min_length=2)]]


class Themes:
    """The themes there are: the bundled ones, and `themes/*.toml` in the data folder."""

    def __init__(self, data_dir: Path | None = None) -> None:
        self._own = data_dir / "themes" if data_dir is not None else None

    @property
    def folder(self) -> Path | None:
        """Where a person's own themes lie."""
        return self._own

    def keys(self) -> list[str]:
        """Return the key of every theme, which is its file's name; an own one of a bundled name takes its place."""
        own = sorted(path.stem for path in self._own.glob("*.toml")) if self._own else []
        return [*BUNDLED, *(key for key in own if key not in BUNDLED)]

    def load(self, key: str) -> Theme:
        """Read a theme; ThemeError with one sentence that names the file and the field if it is not sound."""
        source = self._source(key)
        data = _read(source)
        if "base" in data:
            base = str(data.pop("base"))
            if base not in BUNDLED:
                raise ThemeError(f"{source}: base must be one of {', '.join(BUNDLED)}, not {base}.")
            data = _over(_read(_bundled(base)), data)
        complete = _read(_bundled(BUNDLED[0]))
        try:
            file = msgspec.convert(data, ThemeFile)
        except msgspec.ValidationError as error:
            raise ThemeError(f"{source} is not a sound theme: {_plain(str(error))}.") from error
        if faults := sorted(complete["mechanism"].keys() ^ file.mechanism.keys()):
            raise ThemeError(f"{source} is not a sound theme: mechanism.{faults[0]} is missing or unknown.")
        if file.owners.keys() != {"colours"}:
            raise ThemeError(f"{source} is not a sound theme: owners needs colours, and nothing else.")
        return Theme(
            name=file.name,
            dark=file.dark,
            palette=msgspec.structs.asdict(file.palette),
            mechanism=file.mechanism,
            owners=tuple(file.owners["colours"]),
        )

    def title(self, key: str) -> str:
        """Return a theme's name for people; its key if the file is not sound."""
        try:
            return self.load(key).name
        except ThemeError:
            return key

    def _source(self, key: str) -> Path:
        own = self._own / f"{key}.toml" if self._own else None
        if own is not None and own.is_file() and own.parent == self._own:
            return own
        if key not in BUNDLED:
            raise ThemeError(f"There is no theme {key}; there are: {', '.join(self.keys())}.")
        return _bundled(key)


def _bundled(key: str) -> Path:
    return Path(__file__).parent / "themes" / f"{key}.toml"


def _read(source: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(source.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThemeError(f"{source} cannot be read: {error}.") from error


def _over(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return the base with what the own file sets."""
    merged = dict(base)
    for name, value in own.items():
        under = merged.get(name)
        merged[name] = _over(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return merged


def _plain(fault: str) -> str:
    """Say a fault of the schema with the field in front: `palette.window: ...`."""
    what, _, where = fault.partition(" - at ")
    field = where.strip("`").removeprefix("$.")
    return f"{field}: {what}" if field else what


def wanted_theme(themes: Themes, preferences: Preferences) -> Theme:
    """Return the theme that is wanted, in the wanted size and stillness; `system` is light or dark as the platform is."""
    hints = QGuiApplication.styleHints()
    key = preferences.theme
    if key == "system":
        key = "dark" if hints.colorScheme() == Qt.ColorScheme.Dark else "light"
    return replace(themes.load(key), scale=preferences.zoom / 100, still=_is_still(preferences.motion))


def _is_still(motion: str) -> bool:
    if motion != "system":
        return motion == "reduced"
    return QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0
