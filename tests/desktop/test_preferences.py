"""What a person has chosen comes back as it was; what makes no sense counts as not chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from ladder_desktop.preferences import Preferences
from PySide6.QtCore import QSize
from pytestqt.qtbot import QtBot

CHOSEN = {
    "theme": "dark",
    "zoom": 125,
    "motion": "reduced",
    "keys": {"drill.undo": ["U", "Ctrl+Z"], "drill.good": []},
    "voice": "Zoë, en_GB",
    "voice_speed": 1.5,
    "place": "study:hub/qa/hub-prefill-bound",
    "size": QSize(901, 702),
    "introduced": True,
    "recent": ["card:hub-prefill-bound", "window.export"],
}


def test_everything_comes_back_from_the_file(qtbot: QtBot, tmp_path: Path) -> None:
    first = Preferences.open(tmp_path)
    for name, value in CHOSEN.items():
        assert getattr(first, name) != value
        with qtbot.waitSignal(first.changed) as signal:
            setattr(first, name, value)
        assert signal.args == [name]
    first.remember("lesson/hub", "section 3")
    first.file.sync()
    again = Preferences.open(tmp_path)
    assert {name: getattr(again, name) for name in CHOSEN} == CHOSEN
    assert again.remembered("lesson/hub") == "section 3"
    assert again.remembered("lesson/other") == ""


def test_the_same_value_again_is_no_change(qtbot: QtBot, tmp_path: Path) -> None:
    preferences = Preferences.open(tmp_path)
    with qtbot.assertNotEmitted(preferences.changed):
        preferences.theme = "system"
        preferences.keys = {}


@pytest.mark.parametrize(
    "line",
    [
        "zoom=big",
        "motion=wild",
        "keys=[1",
        "keys=7",
        "voice_speed=900",
        "size=here",
        "introduced=7",
        "recent={}",
    ],
)
def test_nonsense_in_the_file_counts_as_nothing(tmp_path: Path, line: str) -> None:
    (tmp_path / "window.ini").write_text(f"[window]\n{line}\n", "utf-8")
    name = line.partition("=")[0]
    assert getattr(Preferences.open(tmp_path), name) == getattr(Preferences, name).default


def test_a_zoom_between_two_is_the_nearest(tmp_path: Path) -> None:
    preferences = Preferences.open(tmp_path)
    preferences.zoom = 1000
    assert preferences.zoom == 200
    with pytest.raises(ValueError, match="wild"):
        preferences.motion = "wild"
