"""A desk after a few weeks of study."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from ladder_desktop.study import (
    Desk,
    Item,
    Memory,
    Rating,
)

from tests.study.conftest import TravelClock

ITEMS = [Item(f"pack/{number}", "card", "hub") for number in range(24)]
FIVE_SECONDS = timedelta(seconds=5)


@pytest.fixture
def items() -> list[Item]:
    return ITEMS


@pytest.fixture(scope="module")
def grown() -> Iterator[tuple[Path, datetime]]:
    """Return a folder with a few weeks of study, with fuzz and some items still in steps; and when they ended."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    clock, rng = TravelClock(), Random(7)
    with TemporaryDirectory(dir=memory) as folder:
        with Desk.open(Path(folder), clock, new_per_day=4) as desk:
            desk.register(ITEMS)
            for _ in range(16):
                for _ in range(7):
                    if item := desk.next_item():
                        rating = rng.choices(list(Rating), (2, 1, 6, 2))[0]
                        desk.answer(item.item_id, rating, FIVE_SECONDS)
                clock.wait(days=2)
        yield Path(folder), clock.at


@pytest.fixture
def desk(grown: tuple[Path, datetime], tmp_path: Path, clock: TravelClock) -> Iterator[Desk]:
    folder, clock.at = grown
    shutil.copy(folder / "progress.db", tmp_path)
    with Desk.open(tmp_path, clock) as desk:
        yield desk


def memories(desk: Desk) -> dict[str, Memory]:
    return {state.item.item_id: state.memory for state in desk.states() if state.memory}
