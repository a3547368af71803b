"""The door of the room: choosing the form, and failing without a trace."""

from __future__ import annotations

import errno
import os
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from ladder_content.model import Pack
from ladder_desktop.exporting import FORMATS, ExportError, export
from ladder_desktop.study import Desk, Item, Rating

from .conftest import HandClock, study


@pytest.fixture
def studied(desk: Desk, clock: HandClock) -> Desk:
    study(desk, clock)
    return desk


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_same_progress_gives_the_same_bytes(
    suffix: str, tmp_path: Path, pack: Pack, studied: Desk, clock: HandClock
) -> None:
    one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix.upper()}"
    export(one, studied, pack, clock)
    export(two, studied, pack, clock)
    assert one.read_bytes() == two.read_bytes()
    assert zipfile.ZipFile(one).testzip() is None


@pytest.mark.parametrize("suffix", FORMATS)
def test_an_export_replaces_what_stands_there(
    suffix: str, tmp_path: Path, pack: Pack, studied: Desk, clock: HandClock
) -> None:
    path = tmp_path / f"me{suffix}"
    path.write_text("older")
    export(path, studied, pack, clock)
    assert zipfile.is_zipfile(path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [path.name, "profile"]


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("function", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    suffix: str,
    function: str,
    tmp_path: Path,
    pack: Pack,
    studied: Desk,
    clock: HandClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / f"me{suffix}"
    path.write_text("older")
    monkeypatch.setattr(os, function, full)
    with pytest.raises(ExportError) as caught:
        export(path, studied, pack, clock)
    monkeypatch.undo()
    assert str(caught.value) == (
        f"{path} could not be written (No space left on device): choose another folder or file."
    )
    assert path.read_text() == "older"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [path.name, "profile"]


def test_an_interruption_leaves_nothing(
    tmp_path: Path, pack: Pack, studied: Desk, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        export(tmp_path / "me.ladder", studied, pack, clock)
    assert [entry.name for entry in tmp_path.iterdir()] == ["profile"]


def test_a_folder_that_is_not_there_is_named(
    tmp_path: Path, pack: Pack, studied: Desk, clock: HandClock
) -> None:
    path = tmp_path / "nowhere" / "me.ladder"
    with pytest.raises(ExportError, match=r"me\.ladder could not be written \(No such file"):
        export(path, studied, pack, clock)
    folder = tmp_path / "folder.ladder"
    folder.mkdir()
    with pytest.raises(ExportError, match=r"folder\.ladder could not be written"):
        export(folder, studied, pack, clock)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder.ladder", "profile"]


@pytest.mark.parametrize("name", ["me", "me.csv", "me.ladder.txt", ".ladder"])
def test_a_name_without_a_known_suffix_is_refused(
    name: str, tmp_path: Path, pack: Pack, studied: Desk, clock: HandClock
) -> None:
    with pytest.raises(ExportError, match=r"\.apkg \(Anki deck.*\.zip \(CSV.*\.ladder \(progress bundle\)"):
        export(tmp_path / name, studied, pack, clock)
    assert [entry.name for entry in tmp_path.iterdir()] == ["profile"]


def test_items_that_left_the_pack_are_counted(
    tmp_path: Path, pack: Pack, studied: Desk, clock: HandClock
) -> None:
    gone = Item("sample/gone", "card", "hub")
    studied.register([gone])
    studied.answer(gone.item_id, Rating.GOOD, timedelta(seconds=1))
    reviews = len(studied.history.reviews())
    deck = export(tmp_path / "me.apkg", studied, pack, clock)
    assert (deck.items, deck.reviews, deck.left_out) == (10, reviews - 1, 1)
    bundle = export(tmp_path / "me.ladder", studied, pack, clock)
    assert (bundle.items, bundle.reviews, bundle.left_out) == (11, reviews, 0)
