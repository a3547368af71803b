"""The platform's own speech command as a speaker: `say`, `espeak-ng`, `spd-say`, or Windows' speech by PowerShell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QProcess

from ladder_desktop.voice.speaker import Speaker

WORDS_A_MINUTE = 175
_HUSH_MS = 500
_LOAD = "Add-Type -AssemblyName System.Speech; $s = New-Object System.Speech.Synthesis.SpeechSynthesizer; "


@dataclass(frozen=True)
class Command:
    """How one program is asked to speak. The text goes in at its standard input, or `by_argument` as the last one.

    `arguments` makes the command line from a voice, which may be empty, and a speed. `listing` are the arguments that
    print the voices, `names` takes their names out of what is printed, and `hush` are those that silence a server
    that would go on speaking without the command.
    """

    program: str
    arguments: Callable[[str, float], list[str]]
    listing: list[str]
    names: Callable[[str], list[str]]
    hush: tuple[str, ...] = ()
    by_argument: bool = False


def _say(voice: str, speed: float) -> list[str]:
    return ["-r", str(round(WORDS_A_MINUTE * speed)), *(["-v", voice] if voice else []), "-f", "-"]


def _espeak(voice: str, speed: float) -> list[str]:
    return ["-s", str(round(WORDS_A_MINUTE * speed)), *(["-v", voice] if voice else []), "--stdin"]


def _spd_say(voice: str, speed: float) -> list[str]:
    rate = round(max(-100, min(100, 100 * (speed - 1) if speed > 1 else 200 * (speed - 1))))
    return ["--wait", "--rate", str(rate), *(["--synthesis-voice", voice] if voice else [])]


def _powershell(voice: str, speed: float) -> list[str]:
    rate = round(max(-10, min(10, 10 * (speed - 1) if speed > 1 else 20 * (speed - 1))))
    quoted = voice.replace("'", "''")
    choose = f"$s.SelectVoice('{quoted}'); " if voice else ""
    read = "[Console]::InputEncoding = [Text.Encoding]::UTF8; $s.Speak([Console]::In.ReadToEnd())"
    return ["-NoProfile", "-NonInteractive", "-Command", f"{_LOAD}{choose}$s.Rate = {rate}; {read}"]


def _columns(number: int) -> Callable[[str], list[str]]:
    def names(printed: str) -> list[str]:
        rows = [line.split() for line in printed.splitlines()[1:]]
        return [row[number] for row in rows if len(row) > number]

    return names


def _say_names(printed: str) -> list[str]:
    return [match[1] for match in re.finditer(r"^(.+?)\s+[a-z]{2,3}[_-]\w+\s+#", printed, re.MULTILINE)]


def _lines(printed: str) -> list[str]:
    return [line.strip() for line in printed.splitlines() if line.strip()]


SAY = Command("say", _say, ["-v", "?"], _say_names)
ESPEAK = Command("espeak-ng", _espeak, ["--voices"], _columns(1))
SPD_SAY = Command("spd-say", _spd_say, ["--list-synthesis-voices"], _columns(0), ("--cancel",), True)
POWERSHELL = Command(
    "powershell",
    _powershell,
    ["-NoProfile", "-Command", f"{_LOAD}$s.GetInstalledVoices() | % {{ $_.VoiceInfo.Name }}"],
    _lines,
)


class CommandSpeaker(Speaker):
    """Runs the command once for each text; stopping ends its process."""

    def __init__(self, command: Command, path: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = command
        self._path = path
        self._process: QProcess | None = None
        self._asked: QProcess | None = None

    def say(self, text: str, voice: str, speed: float) -> None:
        """Begin to say a text, in place of one that is being said."""
        self.stop()
        process = QProcess(self)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        process.finished.connect(self._ended)
        process.errorOccurred.connect(self._not_started)
        self._process = process
        arguments = self._command.arguments(voice, speed)
        if self._command.by_argument:
            process.start(self._path, [*arguments, "--", text])
        else:
            process.start(self._path, arguments)
            process.write(text.encode())
        process.closeWriteChannel()

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.blockSignals(True)
        if self._command.hush:
            self._hush(process)
        _end(process)

    def _hush(self, process: QProcess) -> None:
        """Silence the server, and let the command see it: one killed before leaves a server that drops the next text."""
        hush = QProcess(self)
        hush.start(self._path, list(self._command.hush))
        if hush.waitForFinished(_HUSH_MS):
            process.waitForFinished(_HUSH_MS)
        _end(hush)

    def list_voices(self) -> None:
        """Ask the command, in a process of its own."""
        if self._asked is None:
            self._asked = QProcess(self)
            self._asked.finished.connect(self._bring_voices)
            self._asked.errorOccurred.connect(self._bring_voices)
            self._asked.start(self._path, self._command.listing)

    def close(self) -> None:
        """End both processes."""
        self.stop()
        asked, self._asked = self._asked, None
        if asked is not None:
            _end(asked)

    def _bring_voices(self) -> None:
        asked, self._asked = self._asked, None
        if asked is not None:
            printed = bytes(asked.readAllStandardOutput().data()).decode(errors="replace")
            asked.deleteLater()
            self.listed.emit(list(dict.fromkeys(self._command.names(printed))))

    def _ended(self, code: int, _status: object) -> None:
        process, self._process = self._process, None
        printed = ""
        if process is not None:
            printed = bytes(process.readAll().data()).decode(errors="replace").strip()
            process.deleteLater()
        why = _fault(code, printed)
        if why:
            self.failed.emit(f"{self._command.program} could not read aloud: {why}.")
        else:
            self.finished.emit()

    def _not_started(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and self._process is not None:
            self._process.deleteLater()
            self._process = None
            self.failed.emit(f"{self._command.program} does not start.")


def _fault(code: int, printed: str) -> str:
    """Say why nothing was heard; empty if something was. espeak-ng ends well even where there is no sound output."""
    last = printed.splitlines()[-1] if printed else f"exit status {code}"
    if code == 0:
        return "it found no sound output" if last.startswith("error:") else ""
    return last


def _end(process: QProcess) -> None:
    process.blockSignals(True)
    if process.state() != QProcess.ProcessState.NotRunning:
        process.kill()
        process.waitForFinished(2000)
    process.deleteLater()
