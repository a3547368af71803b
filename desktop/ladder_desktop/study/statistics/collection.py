"""One row an item, gathered by study and by tag; and the items that cost the most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import NamedTuple

from ladder_desktop.study.progress import MATURE_DAYS

from .share import Share

_ITEMS = """
    SELECT item_id, study_id, due_day IS NOT NULL, interval, stability, difficulty, lapses
    FROM items LEFT JOIN cards USING (item_id)
    WHERE position IS NOT NULL AND (:study_id IS NULL OR study_id = :study_id)
    ORDER BY position
"""
_ANSWERED = """
    SELECT item_id, count(*), sum(duration_ms), sum(tested AND rating > 1), sum(tested)
    FROM reviews INDEXED BY {index}
    WHERE study_day >= :since
    GROUP BY item_id
"""
_NOTHING = (0, 0, 0, 0)
EVER = -(2**62)


class ItemRow(NamedTuple):
    """An item of the packs: its state now (None while it is new), and its answers within the period."""

    item_id: str
    study_id: str
    learned: bool
    interval: int | None
    stability: float | None
    difficulty: float | None
    lapses: int | None
    answers: int
    milliseconds: int
    recalled: int
    tests: int


@dataclass(frozen=True, slots=True)
class Group:
    """The items of one study or one tag: how many there are and are known, and their answers within the period."""

    name: str
    items: int
    learned: int
    mature: int
    answers: int
    milliseconds: int
    tested: Share


@dataclass(frozen=True, slots=True)
class HardItem:
    """An item that costs more than others. `lapses` are of its whole life, the rest of the period."""

    item_id: str
    lapses: int
    difficulty: float
    stability: float
    answers: int
    milliseconds: int
    tested: Share


def read_items(db: Connection, study_id: str | None, since: int | None) -> list[ItemRow]:
    """Return the items of the packs in their order, with their answers from study day `since` on, or all of them.

    A period is quick by its days; the whole log is quicker in the order of its items, which spares the sorting.
    """
    sql = _ANSWERED.format(index="reviews_by_item" if since is None else "reviews_by_day")
    answered = {row[0]: row[1:] for row in db.execute(sql, {"since": EVER if since is None else since})}
    rows = db.execute(_ITEMS, {"study_id": study_id})
    return [ItemRow._make(row + answered.get(row[0], _NOTHING)) for row in rows]


def group(rows: Iterable[ItemRow], names: Mapping[str, Sequence[str]]) -> list[Group]:
    """Gather rows under the names that `names` gives for their ids; an item counts under each of its names."""
    members: dict[str, list[ItemRow]] = {}
    for row in rows:
        for name in dict.fromkeys(names.get(row.item_id, ())):
            members.setdefault(name, []).append(row)
    return [_group(name, found) for name, found in members.items()]


def by_study(rows: Iterable[ItemRow]) -> list[Group]:
    """Gather rows by study, in the order of the packs."""
    members: dict[str, list[ItemRow]] = {}
    for row in rows:
        members.setdefault(row.study_id, []).append(row)
    return [_group(name, found) for name, found in members.items()]


def hardest(rows: Iterable[ItemRow], limit: int) -> list[HardItem]:
    """Return the items with the most lapses; among equals the most difficult, then the one that took longest."""
    lapsed = [row for row in rows if row.lapses]
    lapsed.sort(key=lambda row: (-(row.lapses or 0), -(row.difficulty or 0), -row.milliseconds, row.item_id))
    return [
        HardItem(
            row.item_id,
            row.lapses or 0,
            row.difficulty or 0.0,
            row.stability or 0.0,
            row.answers,
            row.milliseconds,
            Share(row.recalled, row.tests),
        )
        for row in lapsed[:limit]
    ]


def _group(name: str, rows: Sequence[ItemRow]) -> Group:
    return Group(
        name=name,
        items=len(rows),
        learned=sum(row.learned for row in rows),
        mature=sum(row.learned and (row.interval or 0) >= MATURE_DAYS for row in rows),
        answers=sum(row.answers for row in rows),
        milliseconds=sum(row.milliseconds for row in rows),
        tested=Share(sum(row.recalled for row in rows), sum(row.tests for row in rows)),
    )
