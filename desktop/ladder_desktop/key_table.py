"""The table of all keys as Markdown, from the registry: `docs/keys.md` is made by it and held true by a test."""

from __future__ import annotations

import tempfile
from itertools import groupby
from pathlib import Path

from ladder_content.loader import bundled_pack, load_pack
from PySide6.QtGui import QAction, QKeySequence

from ladder_desktop.actions import ActionRegistry, group_of, name_of

HEAD = """# Keys

Every action with the keys it comes with, by where it works. Settings > Keys gives it others; `?` in the window shows
those that work where you are, and Ctrl+K finds any of them by name. This file is made by `make keys`.
"""


def key_table(registry: ActionRegistry) -> str:
    """Return the table of every action that the registry knows."""
    groups = dict.fromkeys(group_of(action.objectName()) for action in registry.all())
    order = list(groups)
    actions = sorted(registry.all(), key=lambda one: order.index(group_of(one.objectName())))
    parts = [HEAD]
    for group, members in groupby(actions, key=lambda one: group_of(one.objectName())):
        rows = [_row(registry, action) for action in members]
        parts.append("\n".join([f"## {group}", "", "| Action | Keys | Id |", "|---|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def _row(registry: ActionRegistry, action: QAction) -> str:
    keys = " ".join(f"`{_plain(key)}`" for key in registry.default_keys(action.objectName()))
    return f"| {name_of(action)} | {keys} | {action.objectName()} |"


def _plain(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)


def bundled_key_table() -> str:
    """Return the table for the bundled pack, from a window on a profile of its own that is never shown."""
    from ladder_desktop.app import Application
    from ladder_desktop.start import dressed, make_qt
    from ladder_desktop.study import Desk

    theme = dressed(make_qt(), "light")
    with tempfile.TemporaryDirectory() as folder:
        application = Application(Path(folder), load_pack(bundled_pack()), Desk.open(Path(folder)), theme)
        try:
            application.window.build_all()
            return key_table(application.registry)
        finally:
            application.close()
