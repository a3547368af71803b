"""A command that only asks a server to speak: the server is silenced first, and the command sees it and ends.

speech-dispatcher 0.11 drops the next text, and the ones after it, when a waiting spd-say was killed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from ladder_desktop.voice.command import SPD_SAY, CommandSpeaker

SCRIPT = """#!/bin/sh
log() {{ echo "$1" >> "{home}/log"; }}
if [ "$1" = "--cancel" ]; then log cancelled; touch "{home}/cancelled"; exit 0; fi
for text in "$@"; do :; done
rm -f "{home}/cancelled"
log "begins $text"
{wait}
log "ends $text"
"""
ANSWERS = 'while [ ! -e "{home}/cancelled" ]; do sleep 0.01; done'
DEAF = "exec sleep 60"


@pytest.fixture
def server(qtbot, tmp_path: Path):
    if sys.platform == "win32":
        pytest.skip("The stand-in is a shell script.")

    def make(wait: str) -> CommandSpeaker:
        program = tmp_path / "spd-say"
        program.write_text(SCRIPT.format(home=tmp_path, wait=wait.format(home=tmp_path)))
        program.chmod(0o755)
        return CommandSpeaker(SPD_SAY, str(program))

    return make


def log(folder: Path) -> list[str]:
    path = folder / "log"
    return path.read_text().splitlines() if path.exists() else []


def test_the_next_text_waits_until_the_command_saw_the_silence(qtbot, tmp_path, server):
    speaker = server(ANSWERS)
    ended: list[None] = []
    speaker.finished.connect(lambda: ended.append(None))
    for number, text in enumerate(("one", "two", "three"), 1):
        speaker.say(text, "", 1.0)
        qtbot.waitUntil(lambda text=text: f"begins {text}" in log(tmp_path), timeout=10_000)
        assert len([line for line in log(tmp_path) if line.startswith("begins")]) == number
    speaker.close()
    assert log(tmp_path) == [
        line for text in ("one", "two", "three") for line in (f"begins {text}", "cancelled", f"ends {text}")
    ]
    assert ended == []


def test_a_command_that_does_not_see_it_is_ended(qtbot, tmp_path, server):
    speaker = server(DEAF)
    speaker.say("one", "", 1.0)
    qtbot.waitUntil(lambda: log(tmp_path) == ["begins one"], timeout=10_000)
    speaker.close()
    assert log(tmp_path) == ["begins one", "cancelled"]
    assert speaker._process is None
