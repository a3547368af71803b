"""A theme: the named colours of the whole application, read from a TOML file (see theme_file.py).

No other file holds a literal colour. `apply` sets Qt's palette and style sheet once; widgets that paint for
themselves ask the theme for a colour by its role.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

BODY_POINTS = 10.5
BLINK_MS = 1000
_POINTS = re.compile(r"font-size: ([0-9.]+)pt")


class ThemeError(Exception):
    """A theme file is missing or does not say what it must; the message names the file and the fault."""


@dataclass(frozen=True)
class Theme:
    """Named colours as `#rrggbb`: palette roles, mechanisms, and the owners of KV blocks in order."""

    name: str
    dark: bool
    palette: dict[str, str]
    mechanism: dict[str, str]
    owners: tuple[str, ...]
    scale: float = 1.0
    """How much larger all text is than usual."""
    still: bool = False
    """Whether motion is to be left out."""

    def colour(self, role: str) -> QColor:
        """Return the colour of a palette role or a mechanism; KeyError names an unknown one."""
        return QColor(self.hex(role))

    def hex(self, role: str) -> str:
        """Return the same colour as `#rrggbb`, for HTML and style sheets."""
        return self.palette[role] if role in self.palette else self.mechanism[role]

    def owner(self, seq_id: int) -> QColor:
        """Return the colour of a sequence; colours repeat after the last one."""
        return self._owner_colours[seq_id % len(self.owners)]

    def points(self, size: float) -> float:
        """Return a size of text in points, larger or smaller as the person has chosen."""
        return round(size * self.scale, 1)

    def scaled(self, sheet: str) -> str:
        """Return a style sheet with every font size in points as the person has chosen."""
        return _POINTS.sub(lambda found: f"font-size: {self.points(float(found[1]))}pt", sheet)

    @cached_property
    def _owner_colours(self) -> tuple[QColor, ...]:
        return tuple(QColor(value) for value in self.owners)


def load_theme(key: str) -> Theme:
    """Read a bundled theme; ThemeError if there is none of this key."""
    from ladder_desktop.theme_file import Themes

    return Themes().load(key)


def apply(app: QApplication, theme: Theme) -> None:
    """Dress the application: Fusion style, our own palette, our own style sheet."""
    app.setStyle(QStyleFactory.create("Fusion"))
    app.setPalette(_palette(theme))
    font = app.font()
    font.setPointSizeF(theme.points(BODY_POINTS))
    app.setFont(
        font
    )  # before the style sheet: what stays on screen takes its font again with that, and keeps it
    app.setStyleSheet(_style_sheet(theme))
    for effect in (Qt.UIEffect.UI_AnimateMenu, Qt.UIEffect.UI_AnimateCombo, Qt.UIEffect.UI_AnimateTooltip):
        app.setEffectEnabled(effect, not theme.still)
    app.setCursorFlashTime(0 if theme.still else BLINK_MS)


def monospace() -> QFont:
    """Return the platform's fixed-width font."""
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)


def _palette(theme: Theme) -> QPalette:
    roles = {
        QPalette.ColorRole.Window: "window",
        QPalette.ColorRole.Base: "surface",
        QPalette.ColorRole.AlternateBase: "sunken",
        QPalette.ColorRole.Button: "surface",
        QPalette.ColorRole.ToolTipBase: "surface",
        QPalette.ColorRole.WindowText: "text",
        QPalette.ColorRole.Text: "text",
        QPalette.ColorRole.ButtonText: "text",
        QPalette.ColorRole.ToolTipText: "text",
        QPalette.ColorRole.PlaceholderText: "faint",
        QPalette.ColorRole.Highlight: "accent",
        QPalette.ColorRole.HighlightedText: "accent_text",
        QPalette.ColorRole.Link: "accent",
        QPalette.ColorRole.Accent: "accent",
        QPalette.ColorRole.Mid: "line",
        QPalette.ColorRole.Midlight: "selection",
    }
    palette = QPalette()
    for role, name in roles.items():
        palette.setColor(role, theme.colour(name))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, theme.colour("faint"))
    return palette


def _style_sheet(theme: Theme) -> str:
    folder = Path(__file__).with_name("themes")
    tick = "tick-light" if theme.colour("accent_text").lightnessF() > 0.5 else "tick-dark"
    template = (
        (folder / "style.qss").read_text("utf-8").replace("@tick", f'"{(folder / tick).as_posix()}.svg"')
    )
    for name, value in sorted(theme.palette.items(), key=lambda item: -len(item[0])):
        template = template.replace(f"@{name}", value)
    return theme.scaled(template)
