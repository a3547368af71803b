"""Saving, opening and exporting a run from the panel; damaged, foreign and newer files are one sentence."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from ladder_desktop.live.live_page import LivePage
from ladder_engine.tracing.fold import fold
from ladder_engine.tracing.trace_file import TraceReader, read_trace, write_trace
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import Make, with_run
from tests.traces import busy_trace


@pytest.fixture
def page(make: Make) -> LivePage:
    page = with_run(make())
    page._timer.stop()
    return page


def read_all(page: LivePage) -> None:
    for _ in range(100):
        page.frame()


def test_what_is_saved_opens_again_as_the_same_run(
    page: LivePage, make: Make, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.jsonl"
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), "Recording (*.jsonl)")
    )
    qtbot.keyClick(page, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert page.head.message.text() == "Saved as mine.jsonl."
    assert read_trace(path) == busy_trace()
    assert list(tmp_path.iterdir()) == [path]

    other = make()
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(path)], ""))
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(other, Qt.Key.Key_O, keys)
    read_all(other)
    assert other.player.edge == fold(busy_trace())
    assert other.player.position == 0
    assert not other.busy
    assert other.head.message.text() == "A recording: mine.jsonl"
    assert other.source.text().startswith("As it was recorded: ")
    other.seek(7)
    assert other.watch.grid.state.steps[-1].number == 7


def test_a_run_replaces_a_recording_that_is_still_being_read(page: LivePage, tmp_path: Path) -> None:
    write_trace(tmp_path / "a.jsonl", busy_trace())
    page.keeping.open(tmp_path / "a.jsonl")
    page.run()
    assert page.keeping.reader is None
    page.frame()
    assert page.player.edge == fold(busy_trace())
    assert "Measured on this machine" in page.source.text()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hello\n", "is not a trace of this engine"),
        ("", "is not a trace of this engine"),
        (
            '{"type":"RunStarted","schema":99,"step":0,"from":"tomorrow"}\n',
            "is a trace of version 99, and this program",
        ),
    ],
)
def test_a_file_that_cannot_be_read_says_so_and_the_run_that_is_shown_stays(
    page: LivePage, tmp_path: Path, text: str, sentence: str
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    before = page.player.state
    page.keeping.open(path)
    assert page.head.message.text().startswith(f"{path}: {sentence}")
    assert page.player.state is before
    page.keeping.open(tmp_path / "none.jsonl")
    assert "cannot be read" in page.head.message.text()


@pytest.mark.parametrize(("cut", "sentence"), [(b"", "breaks off after step"), (b"{}\n", "is damaged")])
def test_what_stands_before_the_damage_is_shown(
    page: LivePage, tmp_path: Path, cut: bytes, sentence: str
) -> None:
    path = tmp_path / "x.jsonl"
    write_trace(path, busy_trace())
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:200]) + (cut or lines[200][:20]))
    page.keeping.open(path)
    read_all(page)
    assert sentence in page.head.message.text()
    assert not page.busy


def test_a_long_recording_is_read_in_pieces(tmp_path: Path) -> None:
    write_trace(tmp_path / "x.jsonl", busy_trace())
    reader = TraceReader(tmp_path / "x.jsonl")
    pieces = []
    while not reader.done:
        pieces.append(reader.read(100))
    assert [len(piece) for piece in pieces[:-1]] == [100] * (len(pieces) - 1)
    assert [event for piece in pieces for event in piece] == busy_trace()


def test_the_other_forms(page: LivePage, tmp_path: Path) -> None:
    page.keeping.save(tmp_path / "run.json")
    names = {event["name"] for event in json.loads((tmp_path / "run.json").read_text())["traceEvents"]}
    assert {"step 1", "waiting", "KV blocks"} <= names

    page.watch.timeline.setFocus()
    page.keeping.save(tmp_path / "view.png")
    assert QImage(str(tmp_path / "view.png")).size() == page.watch.timeline.size()
    page.transport.slider.setFocus()
    page.keeping.save(tmp_path / "all.png")
    assert QImage(str(tmp_path / "all.png")).size() == page.watch.size()

    page.keeping.save(tmp_path / "requests.csv")
    rows = list(csv.reader((tmp_path / "requests.csv").read_text("utf-8").splitlines()))
    assert rows[0][:3] == ["#", "Request", "State"]
    assert [row[1] for row in rows[1:]] == [seq.name for seq in page.player.state.sequences.values()]
    page.faces.turn_table()
    page.keeping.save(tmp_path / "blocks.csv")
    assert len((tmp_path / "blocks.csv").read_text().splitlines()) == 1 + len(page.player.state.block_owner)


def test_an_ending_that_is_none_and_a_place_that_is_none(page: LivePage, tmp_path: Path) -> None:
    page.keeping.save(tmp_path / "run.xyz")
    assert "has no ending that is known" in page.head.message.text()
    for name in ("run.jsonl", "run.json", "run.csv", "run.png"):
        page.keeping.save(tmp_path / "no" / name)
        assert "cannot be written" in page.head.message.text()


def test_without_a_run_there_is_nothing_to_save(make: Make) -> None:
    page = make()
    page.keeping.ask_save()
    assert page.head.message.text().startswith("There is no run to save")


def test_a_file_of_traffic_becomes_a_scenario_that_says_how_it_was_scaled(
    page: LivePage, tmp_path: Path
) -> None:
    path = tmp_path / "azure.csv"
    path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,3740,44\n")
    before = page.head.picker.count()
    for _ in range(2):
        page.keeping.open_traffic(path)
        assert page.head.picker.count() == before + 1
    assert page.head.picker.currentText() == "Traffic: azure.csv"
    assert "divided by 8" in page.head.story.text()
    page.run()
    assert page._client.calls[-1] == "run azure.csv"  # type: ignore[attr-defined]
    path.write_text("nonsense\n")
    page.keeping.open_traffic(path)
    assert "its first line is not" in page.head.message.text()
