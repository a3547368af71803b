"""A stand-in for the platform's speech command: a real program that notes what it is asked and says nothing."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPT = """#!/bin/sh
if [ "$1" = "--voices" ]; then
    printf 'Pty Language Age/Gender VoiceName File\\n 5  en-gb  --/M  English  gmw/en\\n 5  de  --/M  German  gmw/de\\n'
    exit 0
fi
printf '%s|%s\\n' "$*" "$(cat)" >> "{home}/said"
[ -e "{home}/hold" ] && echo $$ > "{home}/pid" && exec sleep 60
[ -e "{home}/deaf" ] && printf 'ALSA lib pcm.c:2666:(snd_pcm_open_noupdate) Unknown PCM default\\nerror: No such file or directory\\n' >&2
[ -e "{home}/fail" ] && echo "no sound card" && exit 1
exit 0
"""


@dataclass
class StandIn:
    """What the command was asked, and how it is made to hold on or to fail."""

    home: Path

    @property
    def said(self) -> list[tuple[str, str]]:
        """The arguments and the text of each call, in order."""
        path = self.home / "said"
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        return [(line.partition("|")[0], line.partition("|")[2]) for line in lines]

    def hold(self) -> None:
        (self.home / "hold").touch()

    def fail(self) -> None:
        (self.home / "fail").touch()

    def no_sound(self) -> None:
        """What espeak-ng 1.51 prints where there is no sound card; it ends with status 0 all the same."""
        (self.home / "deaf").touch()

    @property
    def pid(self) -> int | None:
        """The process that holds on."""
        path = self.home / "pid"
        text = path.read_text().strip() if path.exists() else ""
        return int(text) if text else None


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    if not sys.platform.startswith("linux"):
        pytest.skip("The stand-in is a program of Linux.")
    home = tmp_path / "voice"
    home.mkdir()
    program = home / "espeak-ng"
    program.write_text(SCRIPT.format(home=home))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{home}:/usr/bin:/bin")
    monkeypatch.setattr("ladder_desktop.voice.find_speaker.qt_speaker", lambda _: None)
    return StandIn(home)


@pytest.fixture
def no_voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("ladder_desktop.voice.find_speaker.qt_speaker", lambda _: None)
