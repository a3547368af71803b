from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from ladder_desktop.study import Desk, Item, Rating, StudyError, store
from ladder_desktop.study.migrations import migrations
from ladder_desktop.study.store import SCHEMA_VERSION
from sqlite_utils import Database

from .conftest import TravelClock

FIVE_SECONDS = timedelta(seconds=5)


@pytest.fixture
def used(tmp_path: Path, clock: TravelClock, items: list[Item]) -> Path:
    """Return a folder in which a few answers were given."""
    with Desk.open(tmp_path / "used", clock) as desk:
        desk.register(items)
        desk.answer("pack/card-0", Rating.GOOD, FIVE_SECONDS)
        desk.answer("pack/card-1", Rating.EASY, FIVE_SECONDS)
    return tmp_path / "used"


@pytest.fixture
def raw(used: Path) -> Iterator[sqlite3.Connection]:
    """Return a bare connection to that folder's file."""
    connection = sqlite3.connect(used / "progress.db", isolation_level=None)
    yield connection
    connection.close()


def refusal(folder: Path) -> str:
    """Return the sentence with which a folder is refused, after seeing that its files stayed as they were."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}
    with pytest.raises(StudyError) as caught:
        Desk.open(folder)
    after = {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}
    assert after == before
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def test_the_connection_is_durable_and_strict(desk: Desk) -> None:
    with desk._store.reading() as db:
        pragmas = {
            name: db.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "user_version")
        }
        assert pragmas == {
            "journal_mode": "wal",
            "synchronous": 1,
            "foreign_keys": 1,
            "busy_timeout": 5000,
            "user_version": SCHEMA_VERSION,
        }
        tables = Database(db, execute_plugins=False)
        assert len(migrations.applied(tables)) == SCHEMA_VERSION
        assert migrations.pending(tables) == []
        assert all(
            tables.table(name).strict
            for name in ("items", "cards", "algorithms", "reviews", "marks", "changes")
        )


def test_a_review_of_nothing_cannot_be_stored(desk: Desk) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), desk._store.writing() as db:
        db.execute("INSERT INTO marks VALUES ('pack/none', 1, 0, 0, NULL)")


def test_a_newer_file_is_refused(used: Path, raw: sqlite3.Connection) -> None:
    raw.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    raw.close()
    sentence = refusal(used)
    assert str(used / "progress.db") in sentence
    assert f"version {SCHEMA_VERSION + 1}" in sentence
    assert "update Runtime Ladder" in sentence


def test_another_programs_file_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "progress.db")
    connection.execute("CREATE TABLE theirs (id INTEGER)")
    connection.close()
    assert "another program's database" in refusal(tmp_path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "progress.db").write_bytes(b"not a database, but somebody's notes" * 100)
    assert "damaged" in refusal(tmp_path)


def test_a_file_cut_short_is_refused(used: Path) -> None:
    file = used / "progress.db"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    sentence = refusal(used)
    assert "damaged" in sentence
    assert str(file) in sentence


def test_a_file_with_a_page_of_noise_is_refused(used: Path, raw: sqlite3.Connection) -> None:
    (root,) = raw.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'reviews'").fetchone()
    (size,) = raw.execute("PRAGMA page_size").fetchone()
    raw.close()
    data = bytearray((used / "progress.db").read_bytes())
    data[(root - 1) * size : root * size] = bytes(range(256)) * (size // 256)
    (used / "progress.db").write_bytes(data)
    assert "damaged" in refusal(used)


def test_damage_in_a_large_file_is_told_at_the_next_call(
    used: Path, raw: sqlite3.Connection, clock: TravelClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file is looked through beside the program, so that nobody waits for it."""
    monkeypatch.setattr(store, "CHECKED_AT_ONCE", 0)
    (root,) = raw.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'reviews_by_item'").fetchone()
    (size,) = raw.execute("PRAGMA page_size").fetchone()
    raw.close()
    with Desk.open(used, clock) as desk:
        assert desk._store._check
        desk._store._check.wait()
        assert desk.counts()
    data = bytearray((used / "progress.db").read_bytes())
    data[(root - 1) * size : root * size] = bytes(range(256)) * (size // 256)
    (used / "progress.db").write_bytes(data)
    with Desk.open(used, clock) as desk:
        assert desk._store._check
        desk._store._check.wait()
        for act in (desk.counts, lambda: desk.marks.flag(["pack/card-0"], 1)):
            with pytest.raises(StudyError, match="damaged"):
                act()


def test_closing_ends_the_look_for_damage(
    used: Path, clock: TravelClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "CHECKED_AT_ONCE", 0)
    for _ in range(20):
        Desk.open(used, clock).close()
        assert not [thread for thread in threading.enumerate() if thread.name == "progress-check"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    sentence = refusal(tmp_path / "file" / "data")
    assert str(tmp_path / "file" / "data") in sentence
    assert "--data" in sentence


def test_a_file_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "progress.db").mkdir()
    with pytest.raises(StudyError, match=r"progress\.db cannot be written"):
        Desk.open(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
@pytest.mark.parametrize("locked", ["file", "folder"])
def test_what_may_not_be_written_is_refused(locked: str) -> None:
    with tempfile.TemporaryDirectory() as folder:  # under /tmp, where a child without rights can reach it
        child = subprocess.run(
            [sys.executable, "-c", _OPEN_WITHOUT_RIGHTS, folder, locked],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        Path(folder).chmod(0o777)
        Path(folder, "progress.db").chmod(0o666)
        assert child.stdout.startswith(f"{folder}/progress.db cannot be ")
        assert child.stdout.endswith("--data.\n")
        with Desk.open(Path(folder)) as desk:
            assert desk.history.rebuild_mismatches() == []


_OPEN_WITHOUT_RIGHTS = """
import os, sys
from pathlib import Path
from ladder_desktop.study import Desk, StudyError
folder = Path(sys.argv[1])
Desk.open(folder).close()
(folder / "progress.db").chmod(0o444)
folder.chmod(0o555 if sys.argv[2] == "folder" else 0o777)
if os.geteuid() == 0:
    os.setuid(65534)  # root may write everywhere; nobody may not
try:
    Desk.open(folder)
except StudyError as error:
    print(error)
"""


def test_a_full_disk_changes_nothing_and_says_so(used: Path, clock: TravelClock) -> None:
    with Desk.open(used, clock) as desk:
        with desk._store.reading() as db:
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {pages}")
        sentence = ""
        while not sentence:
            before = (desk.states(), desk.history.reviews())
            try:
                desk.answer("pack/card-2", Rating.GOOD, FIVE_SECONDS, {"picked": "x" * 2000})
            except StudyError as error:
                sentence = str(error)
        assert "disk is full; free some space" in sentence
        assert (desk.states(), desk.history.reviews()) == before
        with desk._store.reading() as db:
            db.execute("PRAGMA max_page_count = 100000")
        desk.answer("pack/card-2", Rating.GOOD, FIVE_SECONDS)
        assert desk.history.rebuild_mismatches() == []


def test_a_file_that_another_program_holds_is_waited_for_and_then_refused(
    used: Path, clock: TravelClock, raw: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.05)
    with Desk.open(used, clock) as desk:
        raw.execute("BEGIN IMMEDIATE")
        assert desk.next_item()  # reading needs no lock
        with pytest.raises(StudyError, match="in use by another program"):
            desk.answer("pack/card-2", Rating.GOOD, FIVE_SECONDS)
        with pytest.raises(StudyError, match="in use by another program"):
            Desk.open(used, clock)
        raw.execute("ROLLBACK")
        desk.answer("pack/card-2", Rating.GOOD, FIVE_SECONDS)


def test_two_desks_on_one_file_answer_in_turn_and_lose_nothing(used: Path, clock: TravelClock) -> None:
    def study(faults: list[Exception]) -> None:
        try:
            with Desk.open(used, clock) as desk:
                for number in range(30):
                    desk.answer("pack/card-2", Rating(number % 4 + 1), FIVE_SECONDS)
                    assert desk.history.rebuild_mismatches() == []
        except Exception as error:
            faults.append(error)

    faults: list[Exception] = []
    threads = [threading.Thread(target=study, args=(faults,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    with Desk.open(used, clock) as desk:
        assert len(desk.history.reviews()) == 2 + 60
        assert desk.history.rebuild_mismatches() == []


def test_a_new_file_that_another_program_is_writing_is_waited_for(tmp_path: Path, clock: TravelClock) -> None:
    """Two first starts at once: before the file is in WAL mode, SQLite's own waiting does not cover the change to it."""
    other = sqlite3.connect(tmp_path / "progress.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    leaving = threading.Timer(0.3, other.execute, ("ROLLBACK",))
    leaving.start()
    Desk.open(tmp_path, clock).close()
    leaving.join()
    other.close()


def test_two_programs_may_start_at_once_on_an_empty_folder(tmp_path: Path, clock: TravelClock) -> None:
    faults: list[Exception] = []
    gate = threading.Barrier(4)

    def start() -> None:
        gate.wait()
        try:
            Desk.open(tmp_path, clock).close()
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
