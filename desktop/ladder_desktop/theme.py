"""A theme: the named colours of the whole application, read from a TOML file in themes/.

No other file holds a literal colour. `apply` sets Qt's palette and style sheet once; widgets that paint for
themselves ask the theme for a colour by its role.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory


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

    def colour(self, role: str) -> QColor:
        """Return the colour of a palette role or a mechanism; KeyError names an unknown one."""
        return QColor(self.hex(role))

    def hex(self, role: str) -> str:
        """Return the same colour as `#rrggbb`, for HTML and style sheets."""
        return self.palette[role] if role in self.palette else self.mechanism[role]

    def owner(self, seq_id: int) -> QColor:
        """Return the colour of a sequence; colours repeat after the last one."""
        return self._owner_colours[seq_id % len(self.owners)]

    @cached_property
    def _owner_colours(self) -> tuple[QColor, ...]:
        return tuple(QColor(value) for value in self.owners)


def load_theme(name: str) -> Theme:
    """Read `themes/<name>.toml`; ThemeError with one sentence if it is missing or incomplete."""
    source = resources.files("ladder_desktop").joinpath("themes", f"{name}.toml")
    try:
        data: dict[str, Any] = tomllib.loads(source.read_text("utf-8"))
        return Theme(
            name=data["name"],
            dark=data["dark"],
            palette=data["palette"],
            mechanism=data["mechanism"],
            owners=tuple(data["owners"]["colours"]),
        )
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ThemeError(f"The theme {name} cannot be read: {error}.") from error
    except KeyError as error:
        raise ThemeError(f"The theme {name} does not set {error.args[0]}.") from error


def apply(app: QApplication, theme: Theme) -> None:
    """Dress the application: Fusion style, our own palette, our own style sheet."""
    app.setStyle(QStyleFactory.create("Fusion"))
    app.setPalette(_palette(theme))
    app.setStyleSheet(_style_sheet(theme))
    font = app.font()
    font.setPointSizeF(10.5)
    app.setFont(font)


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
    }
    palette = QPalette()
    for role, name in roles.items():
        palette.setColor(role, theme.colour(name))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, theme.colour("faint"))
    return palette


def _style_sheet(theme: Theme) -> str:
    template = resources.files("ladder_desktop").joinpath("themes", "style.qss").read_text("utf-8")
    for name, value in sorted(theme.palette.items(), key=lambda item: -len(item[0])):
        template = template.replace(f"@{name}", value)
    return template
