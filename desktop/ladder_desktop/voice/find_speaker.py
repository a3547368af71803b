"""Who can read aloud on this machine, or what to install so that somebody can."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, QStandardPaths

from ladder_desktop.voice.command import ESPEAK, POWERSHELL, SAY, SPD_SAY, CommandSpeaker
from ladder_desktop.voice.qt_speaker import qt_speaker
from ladder_desktop.voice.speaker import Speaker

_COMMANDS = {"darwin": (SAY,), "win32": (POWERSHELL,)}
_LINUX = (ESPEAK, SPD_SAY)


def find_speaker(parent: QObject, platform: str = sys.platform) -> Speaker | None:
    """Return the first of Qt's speech and the platform's commands that is here; None if there is none."""
    found = qt_speaker(parent)
    if found is not None:
        return found
    for command in _COMMANDS.get(platform, _LINUX):
        path = QStandardPaths.findExecutable(command.program)
        if path:
            return CommandSpeaker(command, path, parent)
    return None


def how_to_get_one(platform: str = sys.platform) -> str:
    """Say in one sentence what to install."""
    if platform == "darwin":
        return "To hear texts read aloud, macOS needs its command `say`, which is missing here."
    if platform == "win32":
        return "To hear texts read aloud, Windows needs PowerShell with System.Speech, which is missing here."
    return "To hear texts read aloud, install espeak-ng, for example with: sudo apt install espeak-ng"
