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
    return _QtSpeaker(engine, parent)


class _QtSpeaker(Speaker):
    """Hands texts to a QTextToSpeech."""

    def __init__(self, engine: Any, parent: QObject) -> None:
        super().__init__(parent)
        self._engine = engine
        self._speaking = False
        engine.setParent(self)
        engine.stateChanged.connect(self._changed)

    def say(self, text: str, voice: str, speed: float) -> None:
        """Begin to say a text."""
        self.stop()
        for one in self._engine.availableVoices():
            if one.name() == voice:
                self._engine.setVoice(one)
        self._engine.setRate(max(-1.0, min(1.0, speed - 1 if speed > 1 else 2 * (speed - 1))))
        self._speaking = True
        self._engine.say(text)

    def stop(self) -> None:
        """Fall silent."""
        self._speaking = False
        self._engine.stop()

    def list_voices(self) -> None:
        """Bring the voices of the engine's language."""
        self.listed.emit([one.name() for one in self._engine.availableVoices()])

    def _changed(self, state: Any) -> None:
        states = type(state)
        if self._speaking and state == states.Ready:
            self._speaking = False
            self.finished.emit()
        elif self._speaking and state == states.Error:
            self._speaking = False
            self.failed.emit(f"The voice could not read aloud: {self._engine.errorString()}.")
