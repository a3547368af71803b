"""Qt's own text to speech as a speaker, where PySide6's Addons are installed and have an engine that is ready."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject

from ladder_desktop.voice.speaker import Speaker


def qt_speaker(parent: QObject) -> Speaker | None:
    """Return a speaker of Qt's, or None if there is none here that can speak."""
    try:
        from PySide6.QtTextToSpeech import QTextToSpeech
    except ImportError:  # not installed, or a library of the system is missing
        return None
    engines = [name for name in QTextToSpeech.availableEngines() if name != "mock"]
    if not engines:
        return None
    engine = QTextToSpeech(engines[0])
    if engine.state() == QTextToSpeech.State.Error:
        engine.deleteLater()
        return None
    return QtSpeaker(engine, parent)


class QtSpeaker(Speaker):
    """Hands texts to a QTextToSpeech, one at a time.

    The engine tells what it does a moment later than it is asked, and not which text it means. So a text that takes
    the place of another waits until the other has begun, is silenced, and has ended.
    """

    def __init__(self, engine: Any, parent: QObject) -> None:
        super().__init__(parent)
        self._engine = engine
        self._own_voice = engine.voice()
        self._busy = False  # a text is with the engine, until it says that it is ready again
        self._wanted = False  # whether that text is to be heard to its end
        self._next: tuple[str, str, float] | None = None
        engine.setParent(self)
        engine.stateChanged.connect(self._changed)

    def say(self, text: str, voice: str, speed: float) -> None:
        """Begin to say a text, in place of one that is being said."""
        self.stop()
        self._next = (text, voice, speed)
        if not self._busy:
            self._begin()

    def stop(self) -> None:
        """Fall silent."""
        self._next, self._wanted = None, False
        if self._busy and self._engine.state() == type(self._engine.state()).Speaking:
            self._engine.stop()

    def list_voices(self) -> None:
        """Bring the voices of the engine's language."""
        self.listed.emit([one.name() for one in self._engine.availableVoices()])

    def close(self) -> None:
        """Fall silent, whatever the engine is at."""
        self.stop()
        self._engine.stop()

    def _begin(self) -> None:
        assert self._next is not None
        (text, voice, speed), self._next = self._next, None
        named = (one for one in self._engine.availableVoices() if one.name() == voice)
        self._engine.setVoice(next(named, self._own_voice))
        self._engine.setRate(max(-1.0, min(1.0, speed - 1 if speed > 1 else 2 * (speed - 1))))
        self._busy = self._wanted = True
        self._engine.say(text)

    def _changed(self, state: Any) -> None:
        states = type(state)
        if not self._busy:
            return
        if state == states.Speaking and not self._wanted:
            self._engine.stop()
        elif state == states.Ready:
            self._busy = False
            if self._next is not None:
                self._begin()
            elif self._wanted:
                self.finished.emit()
        elif state == states.Error:
            asked = self._wanted or self._next is not None
            self._busy, self._next = False, None
            if asked:
                self.failed.emit(f"The voice could not read aloud: {self._engine.errorString()}.")
