"""The voice that asks, if it is wanted and there is one."""

from __future__ import annotations

from ladder_content.text import plain
from PySide6.QtCore import QObject

from ladder_desktop.interview.setup_view import SetupView
from ladder_desktop.voice.find_speaker import find_speaker, how_to_get_one
from ladder_desktop.voice.reading import UsualVoice, VoiceChoice
from ladder_desktop.voice.spoken import spoken


class Interviewer:
    """Reads aloud while `setup` says so; it is told if there is no voice."""

    def __init__(self, parent: QObject, setup: SetupView, voice: VoiceChoice | None) -> None:
        self._setup = setup
        self._voice = voice or UsualVoice()
        self._speaker = find_speaker(parent)
        if self._speaker is None:
            setup.refuse_voice(how_to_get_one())

    def read(self, text: str) -> None:
        """Read a piece of Markdown in place of what was being read; nothing for an empty one."""
        if self._speaker is None:
            return
        self._speaker.stop()
        if text and self._setup.aloud.isChecked():
            self._speaker.say(spoken(plain(text)), self._voice.voice, self._voice.voice_speed)

    def close(self) -> None:
        """Fall silent and leave no process behind."""
        if self._speaker is not None:
            self._speaker.close()
