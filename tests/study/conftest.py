"""A clock that tests turn by hand, and a desk on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from ladder_desktop.study import Algorithm, Desk, Item

PLAIN = Algorithm(fuzz=False)


@dataclass
class TravelClock:
    at: datetime = datetime(2026, 10, 20, 10, tzinfo=UTC)
    where: tzinfo = UTC

    def now(self) -> datetime:
        return self.at

    def zone(self) -> tzinfo:
        return self.where

    def set(self, local: str, zone: str = "UTC") -> None:
        """Go to a wall time, `2026-10-24 22:00`, in a named zone."""
        self.where = ZoneInfo(zone)
        self.at = datetime.fromisoformat(local).replace(tzinfo=self.where).astimezone(UTC)

    def wait(self, **how_long: float) -> None:
        self.at += timedelta(**how_long)


@pytest.fixture
def clock() -> TravelClock:
    return TravelClock()


@pytest.fixture
def items() -> list[Item]:
    cards = [Item(f"pack/card-{number}", "card", "hub") for number in range(4)]
    return [*cards, Item("pack/ticket-0", "ticket", "hub"), Item("pack/ticket-1", "ticket", "memory")]


@pytest.fixture
def desk(tmp_path: Path, clock: TravelClock, items: list[Item]) -> Iterator[Desk]:
    with Desk.open(tmp_path, clock, PLAIN) as desk:
        desk.register(items)
        yield desk
