"""Qt's speech as a speaker, with an engine that tells things as late as speech-dispatcher does."""

from __future__ import annotations

from collections import deque
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.voice.qt_speaker import QtSpeaker
from PySide6.QtCore import QObject, Signal


class State(Enum):
    Ready = 0
    Speaking = 1
    Error = 2


class Voice:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


class LateEngine(QObject):
    """Behaves as QTextToSpeech over speech-dispatcher: news come in order, later, and do not say of which text."""

    stateChanged = Signal(object)  # noqa: N815  Qt's name

    def __init__(self) -> None:
        super().__init__()
        self._state, self._voice = State.Ready, Voice("own")
        self._queue: deque[str] = (
            deque()
        )  # texts that the server has, the first of them begun or about to begin
        self._news: deque[State] = deque()
        self.heard: list[tuple[str, str]] = []  # the texts said to their end, and the voice of each

    def state(self) -> State:
        return self._state

    def voice(self) -> Voice:
        return self._voice

    def availableVoices(self) -> list[Voice]:
        return [Voice("own"), Voice("other")]

    def setVoice(self, voice: Voice) -> None:
        self._voice = voice

    def setRate(self, _rate: float) -> None:
        pass

    def errorString(self) -> str:
        return "no server"

    def say(self, text: str) -> None:
        if self._state != State.Ready:
            self.stop()
        self._queue.append(text)
        self._news.append(State.Speaking)

    def stop(self) -> None:
        self._news.extend(State.Ready for _ in self._queue)
        self._queue.clear()

    def fail(self) -> None:
        self._queue.clear()
        self._news.append(State.Error)

    def tick(self) -> None:
        """Deliver one piece of news; with none left, the text that is being said ends."""
        if not self._news and self._queue:
            self.heard.append((self._queue.popleft(), self._voice.name()))
            self._news.append(State.Ready)
        if self._news:
            state = self._news.popleft()
            if state != self._state:
                self._state = state
                self.stateChanged.emit(state)

    def settle(self) -> None:
        while self._news or self._queue:
            self.tick()


@pytest.fixture
def engine(qapp) -> LateEngine:
    return LateEngine()


@given(st.lists(st.sampled_from(["say", "stop", "tick"]), max_size=30))
def test_a_text_ends_once_and_only_the_last_one_asked_for(qapp, deeds):
    engine, home = LateEngine(), QObject()
    speaker = QtSpeaker(engine, home)
    ended: list[str] = []
    asked = ""
    speaker.finished.connect(lambda: ended.append(asked))
    wanted: list[str] = []
    for number, deed in enumerate(deeds):
        if deed == "say":
            asked = str(number)
            wanted.append(asked)
            speaker.say(asked, "", 1.0)
        elif deed == "stop":
            speaker.stop()
            asked = ""
        else:
            engine.tick()
    engine.settle()
    assert "" not in ended
    assert len(ended) == len(set(ended))
    assert [text for text, _ in engine.heard if text in ended] == ended
    if asked:
        assert ended[-1:] == [asked]
    speaker.deleteLater()


def test_the_own_voice_comes_back(engine):
    home = QObject()
    speaker = QtSpeaker(engine, home)
    for text, voice in (("a", "other"), ("b", ""), ("c", "gone")):
        speaker.say(text, voice, 1.0)
        engine.settle()
    assert engine.heard == [("a", "other"), ("b", "own"), ("c", "own")]


def test_a_fault_is_told_once_and_not_after_silence_was_asked_for(engine):
    home = QObject()
    speaker = QtSpeaker(engine, home)
    told: list[str] = []
    speaker.failed.connect(told.append)
    speaker.say("a", "", 1.0)
    engine.tick()
    engine.fail()
    engine.settle()
    assert told == ["The voice could not read aloud: no server."]
    speaker.stop()
    engine._state = State.Ready
    speaker.say("b", "", 1.0)
    engine.tick()
    speaker.stop()
    engine._news.clear()
    engine.fail()
    engine.settle()
    assert len(told) == 1
