"""Daily copies of the progress: made whole, thinned with age, and taken back without losing what was there."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from ladder_desktop.study import DamagedError, Desk, Item, Rating, StudyError
from ladder_desktop.study.backups import DAYS, MONTHS, WEEKS, Backups, reviews_in

TODAY = date(2026, 11, 30)
NOW = datetime(2026, 11, 30, 18, 40)
ITEMS = [Item(f"pack/{number}", "card", "hub") for number in range(5)]


def answered(folder: Path, count: int) -> None:
    with Desk.open(folder) as desk:
        desk.register(ITEMS)
        for item in ITEMS[:count]:
            desk.answer(item.item_id, Rating.GOOD, timedelta(seconds=3))


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1024] + b"\xff" * 3000)


def test_one_copy_a_day_that_holds_every_answer(tmp_path: Path) -> None:
    answered(tmp_path, 3)
    backups = Backups(tmp_path)
    made = backups.make_if_due(TODAY)
    assert made is not None
    assert reviews_in(made) == 3
    assert backups.make_if_due(TODAY) is None
    assert backups.make_if_due(TODAY + timedelta(days=1)) is not None
    assert [(one.day, one.reviews) for one in backups.all()] == [(TODAY + timedelta(days=1), 3), (TODAY, 3)]
    assert sorted(path.suffix for path in backups.folder.iterdir()) == [".db", ".db"]


def test_answers_still_in_the_log_are_in_the_copy(tmp_path: Path) -> None:
    with Desk.open(tmp_path) as desk:
        desk.register(ITEMS)
        desk.answer(ITEMS[0].item_id, Rating.GOOD, timedelta(seconds=3))
        assert (tmp_path / "progress.db-wal").stat().st_size > 0
        made = Backups(tmp_path).make_if_due(TODAY)
    assert made is not None
    assert reviews_in(made) == 1


def test_nothing_is_copied_where_there_is_nothing_or_only_damage(tmp_path: Path) -> None:
    assert Backups(tmp_path).make_if_due(TODAY) is None
    answered(tmp_path, 1)
    damage(tmp_path / "progress.db")
    assert Backups(tmp_path).make_if_due(TODAY) is None
    assert Backups(tmp_path).all() == []


def test_old_copies_are_thinned(tmp_path: Path) -> None:
    answered(tmp_path, 1)
    backups = Backups(tmp_path)
    backups.folder.mkdir()
    source = (tmp_path / "progress.db").read_bytes()
    for age in range(1, 600):
        (backups.folder / f"progress-{TODAY - timedelta(days=age)}.db").write_bytes(source)
    assert backups.make_if_due(TODAY) is not None
    ages = sorted((TODAY - one.day).days for one in backups.all())
    assert ages[:DAYS] == list(range(DAYS))
    weekly = [age for age in ages if DAYS <= age < DAYS + 7 * WEEKS]
    monthly = [age for age in ages if age >= DAYS + 7 * WEEKS]
    assert WEEKS <= len(weekly) <= WEEKS + 2
    assert MONTHS <= len(monthly) <= MONTHS + 2
    gaps = [later - earlier for earlier, later in itertools.pairwise(weekly)]
    assert max(gaps) <= 13
    assert backups.make_if_due(TODAY) is None  # thinning again changes nothing
    kept = len(backups.all())
    backups.make_if_due(TODAY + timedelta(days=1))
    assert kept - 2 <= len(backups.all()) <= kept + 1


def test_the_way_back_keeps_what_was_there(tmp_path: Path) -> None:
    answered(tmp_path, 2)
    backups = Backups(tmp_path)
    copy = backups.make_if_due(TODAY)
    assert copy is not None
    with Desk.open(tmp_path) as desk:
        before = desk.states()
        desk.answer(ITEMS[4].item_id, Rating.EASY, timedelta(seconds=3))
        aside = backups.restore(copy, NOW)  # while the desk is open
        assert len(desk.history.reviews()) == 2
        assert desk.states() == before
        assert desk.history.rebuild_mismatches() == []
    assert aside is not None
    assert reviews_in(aside) == 3
    with Desk.open(tmp_path) as desk:
        assert desk.states() == before


def test_a_damaged_file_is_moved_aside_and_the_copy_takes_its_place(tmp_path: Path) -> None:
    answered(tmp_path, 2)
    backups = Backups(tmp_path)
    copy = backups.make_if_due(TODAY)
    assert copy is not None
    damage(tmp_path / "progress.db")
    damaged = (tmp_path / "progress.db").read_bytes()
    with pytest.raises(DamagedError, match="backups restore"):
        Desk.open(tmp_path)
    aside = backups.restore(copy, NOW)
    assert aside is not None
    assert aside.read_bytes() == damaged
    with Desk.open(tmp_path) as desk:
        assert len(desk.history.reviews()) == 2


def test_what_is_no_copy_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    answered(tmp_path, 2)
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE reviews (x)")
    for path in (other, tmp_path / "nothing.db"):
        with pytest.raises(StudyError, match="no sound copy"):
            Backups(tmp_path).restore(path, NOW)
    assert reviews_in(tmp_path / "progress.db") == 2


def test_a_folder_in_the_way_is_one_sentence(tmp_path: Path) -> None:
    answered(tmp_path, 1)
    (tmp_path / "backups").write_text("in the way")
    with pytest.raises(StudyError, match="backups"):
        Backups(tmp_path).make_if_due(TODAY)
