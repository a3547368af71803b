"""Undo and redo over restarts, whatever was done; and what becomes of the answers of an older profile."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from ladder_desktop.study import Desk, Item, Memory, Rating, journal
from ladder_desktop.study.migrations import migrations
from sqlite_utils import Database

from .conftest import PLAIN, TravelClock

SECOND = timedelta(seconds=1)
ACTIONS: list[tuple[str, Callable[[Desk, str, int], object]]] = [
    ("Good on card-{}", lambda desk, card, _: desk.answer(card, Rating.GOOD, SECOND)),
    ("Again on card-{}", lambda desk, card, _: desk.answer(card, Rating.AGAIN, SECOND)),
    ("Flag red on card-{}", lambda desk, card, _: desk.marks.flag([card], 1)),
    ("Suspend card-{}", lambda desk, card, _: desk.marks.suspend([card])),
    ("Unflag card-{}", lambda desk, card, _: desk.marks.flag([card], 0)),
    ("Unsuspend card-{}", lambda desk, card, _: desk.marks.unsuspend([card])),
    ("Note on card-{}", lambda desk, card, turn: desk.words.write_note(card, f"turn {turn}")),
    ("Edit of card-{}", lambda desk, card, turn: desk.words.edit(card, {"q": f"{turn}"}, {"q": "?"})),
    ("1 more new card today", lambda desk, card, _: desk.more_today("card", new=1)),
]


def picture(desk: Desk) -> object:
    return desk.states(), desk.history.reviews(), desk.history.belongings(), desk.counts()


def test_every_kind_of_action_over_200_steps_and_restarts(
    desk: Desk, tmp_path: Path, clock: TravelClock
) -> None:
    seen = []
    for turn in range(234):
        words, act = ACTIONS[turn % len(ACTIONS)]
        number = turn // len(ACTIONS) % 4
        before = picture(desk)
        act(desk, f"pack/card-{number}", turn)
        label = words.format(number)
        assert desk.undo_label() == label
        seen.append((before, label, picture(desk)))
    desk.close()
    with Desk.open(tmp_path, clock, PLAIN) as desk:
        for before, label, _ in reversed(seen):
            assert desk.undo() == f"Undid {label}"
            assert picture(desk) == before
        assert desk.undo() is None
    with Desk.open(tmp_path, clock, PLAIN) as desk:
        for _, label, after in seen:
            assert desk.redo_label() == label
            assert desk.redo() == f"Redid {label}"
            assert picture(desk) == after
        assert desk.redo() is None
        assert desk.history.rebuild_mismatches() == []


def test_something_new_ends_what_could_be_redone(desk: Desk) -> None:
    desk.marks.suspend(["pack/card-0"])
    desk.marks.suspend(["pack/card-1"])
    desk.undo()
    desk.undo()
    assert desk.redo_label() == "Suspend card-0"
    desk.marks.flag(["pack/card-2"], 3)
    assert desk.redo_label() is None
    assert desk.redo() is None
    assert desk.undo_label() == "Flag green on card-2"


def test_an_action_that_fails_leaves_no_trace(desk: Desk) -> None:
    desk.marks.suspend(["pack/card-0"])
    desk.undo()
    with pytest.raises(sqlite3.IntegrityError), desk.journal.action("Nothing") as db:
        db.execute("INSERT INTO marks VALUES ('pack/card-0', 1, 0, 9, NULL)")
    assert (desk.undo_label(), desk.redo_label()) == (None, "Suspend card-0")


def test_the_oldest_actions_are_forgotten_in_the_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert journal.KEPT >= 200
    monkeypatch.setattr(journal, "KEPT", 10)
    for turn in range(25):
        desk.marks.flag(["pack/card-0"], turn % 4 + 1)
    with desk._store.reading() as db:
        (actions,) = db.execute("SELECT count(*) FROM actions").fetchone()
        assert 10 <= actions < 10 + journal.FORGET_EVERY
        assert db.execute("SELECT count(DISTINCT action_id) FROM changes").fetchone() == (actions,)


def test_an_undo_gives_back_every_bit_of_a_number(desk: Desk) -> None:
    awkward = 0.1 + 0.2 + 1e-16
    with desk._store.writing() as db:
        db.execute(
            "INSERT INTO cards VALUES ('pack/card-0', 'review', NULL, ?, 5, NULL, 9, 9, 1, 0, 0, 0)",
            (awkward,),
        )
    before = desk.memory("pack/card-0")
    desk.answer("pack/card-0", Rating.GOOD, SECOND)
    desk.undo()
    after = desk.memory("pack/card-0")
    assert after == before
    assert after
    assert after.stability.hex() == awkward.hex()


def test_a_profile_of_the_first_version_keeps_its_undo(tmp_path: Path, clock: TravelClock) -> None:
    """Its answers were kept on a stack of their own; they become actions, with the same names and the same effect."""
    with Desk.open(tmp_path / "now", clock, PLAIN) as desk:
        desk.register([Item("pack/card-0", "card", "hub"), Item("pack/card-1", "card", "hub")])
        pictures: list[tuple[Memory | None, Memory | None]] = []
        for number, rating in enumerate((Rating.GOOD, Rating.EASY, Rating.AGAIN)):
            pictures.append((desk.memory("pack/card-0"), desk.memory("pack/card-1")))
            desk.answer(f"pack/card-{number % 2}", rating, SECOND)
        with desk._store.reading() as db:
            copied = {
                name: [
                    row[: {"reviews": 13, "items": 4}.get(name)]
                    for row in db.execute(f"SELECT * FROM {name}")
                ]
                for name in ("items", "algorithms", "cards", "reviews")
            }
    (tmp_path / "old").mkdir()
    connection = sqlite3.connect(tmp_path / "old" / "progress.db")
    old = Database(connection)
    migrations.apply(old, stop_before="m002_marks_own_words_and_actions")
    for name, rows in copied.items():
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    connection.execute("INSERT INTO undo (seq) SELECT seq FROM reviews ORDER BY seq")
    connection.execute(f"PRAGMA application_id = {0x524C4452}")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    old.close()
    with Desk.open(tmp_path / "old", clock, PLAIN) as desk:
        for label in ("Again on card-0", "Easy on card-1", "Good on card-0"):
            assert desk.undo() == f"Undid {label}"
            wanted = pictures.pop()
            assert (desk.memory("pack/card-0"), desk.memory("pack/card-1")) == wanted
        assert desk.undo() is None
        assert desk.redo() == "Redid Good on card-0"
        assert desk.history.reviews()[0].rating is Rating.GOOD
        assert msgspec.structs.astuple(desk.counts()) == (1, 1, 0)
