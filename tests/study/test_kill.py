"""An answer that was acknowledged survives the death of the program at any moment."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ladder_desktop.study import Desk

_STUDY = """
import itertools, sys
from datetime import timedelta
from pathlib import Path
from ladder_desktop.study import Desk, Item, Rating

desk = Desk.open(Path(sys.argv[1]))
desk.register([Item(f"pack/{number}", "card", "hub") for number in range(20)])
for number in itertools.count():
    answered = desk.answer(f"pack/{number % 20}", Rating(number % 4 + 1), timedelta(seconds=1), {"number": number})
    print("kept", answered.review_id, flush=True)
    if number % 7 == 6:
        newest = desk.history.reviews()[-1].review_id
        print("taking", newest, flush=True)
        desk.undo()
        print("taken", newest, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX")
def test_no_acknowledged_answer_is_lost_by_kill_9(tmp_path: Path) -> None:
    chance = random.Random(9)
    kept: set[str] = set()
    for _ in range(8):
        taken, doubtful = set(), set()
        for word, review_id in study_until_killed(tmp_path, answers=chance.randint(5, 60), chance=chance):
            if word == "kept":
                kept.add(review_id)
            elif word == "taking":
                doubtful.add(review_id)  # killed in the middle of an undo, either outcome is right
            else:
                taken.add(review_id)
        connection = sqlite3.connect(tmp_path / "progress.db")
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.close()
        with Desk.open(tmp_path) as desk:
            stored = {review.review_id for review in desk.history.reviews()}
            assert desk.history.rebuild_mismatches() == []
        assert kept - doubtful <= stored
        assert not taken & stored
        kept = stored
    assert len(kept) > 40


def study_until_killed(folder: Path, answers: int, chance: random.Random) -> list[tuple[str, str]]:
    """Let a child answer until it has acknowledged `answers`, kill it a moment later, return what it said."""
    child = subprocess.Popen(
        [sys.executable, "-c", _STUDY, str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout
    with child.stdout:
        lines = [child.stdout.readline() for _ in range(answers)]
        time.sleep(chance.random() * 0.005)
        child.kill()
        lines += child.stdout.readlines()
    assert child.wait() == -9
    words = [line.split() for line in lines if line.endswith("\n")]
    return [(word, review_id) for word, review_id in words]
