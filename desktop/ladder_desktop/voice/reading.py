"""Reads a script aloud, sentence by sentence, and says which one it is at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from ladder_desktop.voice.find_speaker import find_speaker
from ladder_desktop.voice.script import Line
from ladder_desktop.voice.speaker import Speaker


class VoiceChoice(Protocol):
    """Which voice a person has chosen, and how fast; the window's preferences know."""

    voice: str
    voice_speed: float


class UsualVoice:
    """The platform's own voice at its own pace."""

    voice = ""
    voice_speed = 1.0


class Reading(QObject):
    """Goes through a script with the one speaker of this machine. Voice and speed are looked up for each sentence.

    `at` carries the line that is being said, and None when the reading ends or is stopped; `failed` a sentence.
    """

    at = Signal(object)
    failed = Signal(str)

    def __init__(
        self, choice: VoiceChoice | None = None, speaker: Speaker | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._choice = choice or UsualVoice()
        self._speaker = speaker if speaker is not None else find_speaker(self)
        self._lines: list[Line] = []
        self._next = 0
        if self._speaker is not None:
            self._speaker.finished.connect(self._go_on)
            self._speaker.failed.connect(self._give_up)

    @property
    def speaker(self) -> Speaker | None:
        """Who speaks; None if nobody can on this machine."""
        return self._speaker

    @property
    def on(self) -> bool:
        """Whether something is being read."""
        return bool(self._lines)

    def begin(self, lines: Sequence[Line]) -> None:
        """Read these lines, in place of what is being read."""
        self.stop()
        self._lines, self._next = list(lines), 0
        if self._lines and self._speaker is not None:
            self._go_on()

    def skip(self, by: int = 1) -> None:
        """Go on with a later sentence, or with an earlier one."""
        if self.on and self._speaker is not None:
            self._speaker.stop()
            self._next = max(0, self._next - 1 + by)
            self._go_on()

    def stop(self) -> None:
        """Fall silent."""
        if self.on:
            self._lines = []
            if self._speaker is not None:
                self._speaker.stop()
            self.at.emit(None)

    def close(self) -> None:
        """Fall silent and leave no process behind."""
        self.stop()
        if self._speaker is not None:
            self._speaker.close()

    def _go_on(self) -> None:
        if self._speaker is None or not self.on:
            return
        if self._next >= len(self._lines):
            self._lines = []
            self.at.emit(None)
            return
        line = self._lines[self._next]
        self._next += 1
        self._speaker.say(line.words, self._choice.voice, self._choice.voice_speed)
        self.at.emit(line)

    def _give_up(self, sentence: str) -> None:
        self._lines = []
        self.at.emit(None)
        self.failed.emit(sentence)
