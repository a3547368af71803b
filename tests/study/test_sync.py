"""What was committed reaches the disk by itself, a moment later."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest
from ladder_desktop.study import Desk, Item, Rating, sync

from .conftest import TravelClock


def test_a_commit_is_synced_without_anybody_waiting(
    tmp_path: Path, clock: TravelClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = threading.Event()
    logs: list[Path] = []

    def watch(log: Path) -> None:
        logs.append(log)
        real(log)
        synced.set()

    real = sync.sync
    monkeypatch.setattr(sync, "sync", watch)
    monkeypatch.setattr(sync, "SOON", 0.001)
    with Desk.open(tmp_path, clock) as desk:
        desk.register([Item("pack/card-0", "card", "hub")])
        desk.answer("pack/card-0", Rating.GOOD, timedelta(seconds=1))
        assert synced.wait(60)
        assert set(logs) == {tmp_path / "progress.db-wal"}
        synced.clear()
        desk.undo()
        assert synced.wait(60)


def test_closing_ends_the_thread(tmp_path: Path, clock: TravelClock) -> None:
    def threads() -> list[str]:
        return [thread.name for thread in threading.enumerate() if thread.name == "progress-sync"]

    for _ in range(30):
        with Desk.open(tmp_path, clock) as desk:
            desk.register([Item("pack/card-0", "card", "hub")])
            desk.marks.flag(["pack/card-0"], 1)
            desk.marks.flag(["pack/card-0"], 0)
        assert threads() == []


def test_a_log_that_is_gone_is_no_fault(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        sync.sync(tmp_path / "progress.db-wal")
    syncer = sync.Syncer(tmp_path / "progress.db-wal")
    syncer.committed()
    syncer.close()


def test_a_long_log_is_folded_into_the_file_meanwhile(
    tmp_path: Path, clock: TravelClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded = threading.Event()

    def watch(log: Path) -> None:
        real(log)
        folded.set()

    real = sync.fold
    monkeypatch.setattr(sync, "fold", watch)
    monkeypatch.setattr(sync, "SOON", 0.001)
    monkeypatch.setattr(sync, "LONG", 0)
    with Desk.open(tmp_path, clock) as desk:
        desk.register([Item("pack/card-0", "card", "hub")])
        desk.answer("pack/card-0", Rating.GOOD, timedelta(seconds=1))
        while b"pack/card-0" not in (tmp_path / "progress.db").read_bytes():
            assert folded.wait(60)  # the first one may have begun before there was a card
            folded.clear()
        assert len(desk.history.reviews()) == 1
