"""The tables as other programs read them."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from ladder_content.model import Pack
from ladder_desktop.exporting import export
from ladder_desktop.study import Desk, Item, Rating, items_of

from .conftest import HandClock, study

Rows = dict[str, dict[str, str]]


def read(path: Path) -> tuple[Rows, list[dict[str, str]]]:
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["cards.csv", "reviews.csv"]
        tables = []
        for name in archive.namelist():
            raw = archive.read(name)
            assert raw.startswith(b"\xef\xbb\xbf")
            text = io.StringIO(raw.decode("utf-8-sig"), newline="")
            tables.append(list(csv.DictReader(text, strict=True)))
    return {row["item_id"]: row for row in tables[0]}, tables[1]


def test_tables_say_what_the_desk_says(tmp_path: Path, pack: Pack) -> None:
    home = ZoneInfo("America/Los_Angeles")
    clock = HandClock(datetime(2025, 3, 3, 8, tzinfo=home).astimezone(UTC), home)
    with Desk.open(tmp_path, clock) as desk:
        desk.register(items_of(pack))
        study(desk, clock)
        exported = export(tmp_path / "progress.zip", desk, pack, clock)
        states, log = desk.states(), desk.history.reviews()
    cards, reviews = read(tmp_path / "progress.zip")
    assert (exported.items, exported.reviews) == (len(cards), len(reviews)) == (10, len(log))

    for state in states:
        row, memory = cards[state.item.item_id], state.memory
        assert (row["kind"], row["study_id"]) == (state.item.kind, state.item.study_id)
        if memory is None:
            assert row["state"] == "new"
            assert {row[name] for name in ("due", "due_day", "interval_days", "stability_days", "reps")} == {
                ""
            }
            continue
        assert row["state"] == memory.phase
        assert float(row["stability_days"]) == pytest.approx(memory.stability, abs=1e-6)
        assert float(row["difficulty"]) == pytest.approx(memory.difficulty, abs=1e-6)
        assert (int(row["reps"]), int(row["lapses"])) == (memory.reps, memory.lapses)
        due = datetime.fromisoformat(row["due"])
        if memory.due_day is not None:
            assert float(row["interval_days"]) == memory.interval
            assert (due.hour, due.utcoffset()) == (4, due.replace(tzinfo=home).utcoffset())
            assert row["due_day"] == due.date().isoformat()
            assert due.date().toordinal() - datetime(1970, 1, 1).toordinal() == memory.due_day
        else:
            assert due.timestamp() == (memory.due_at or 0) // 1000

    for row, review in zip(reviews, log, strict=True):
        assert (row["review_id"], row["item_id"]) == (review.review_id, review.item_id)
        assert (row["rating"], row["rating_name"].upper()) == (str(int(review.rating)), review.rating.name)
        at = datetime.fromisoformat(row["reviewed_at"])
        assert at.timestamp() == review.answered_at // 1000
        assert at.utcoffset() == timedelta(seconds=review.utc_offset)
        assert at.date().isoformat() == review.local_date
        assert float(row["duration_seconds"]) == review.duration_ms / 1000
        assert row["state_before"] == (review.before.phase if review.before else "new")
        assert row["state_after"] == review.after.phase
    assert {row["reviewed_at"][-6:] for row in reviews} == {"-08:00", "-07:00"}


def test_texts_survive_and_none_is_taken_for_a_formula(
    tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock
) -> None:
    export(tmp_path / "progress.zip", desk, pack, clock)
    cards, _ = read(tmp_path / "progress.zip")
    assert cards["sample/card-8"]["question"] == 'A "quoted", comma\nand a line'
    assert cards["sample/ticket-0"]["question"] == "p99 TTFT doubles, 日本"
    assert cards["sample/card-0"]["tags"] == "decode, memory bandwidth"
    assert cards["sample/card-7"]["question"] == '\'=HYPERLINK("https://evil.example")'


@pytest.mark.parametrize("start", ["=", "+", "-", "@", " =", "\t=", "\r\n@", "＝"])
def test_ids_that_look_like_formulas_are_texts(
    start: str, tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock
) -> None:
    evil = Item(f"{start}1+cmd|' /C calc'!A0", "card", f"{start}study")
    desk.register([evil])
    desk.answer(evil.item_id, Rating.GOOD, timedelta(seconds=-3))
    export(tmp_path / "progress.zip", desk, pack, clock)
    with zipfile.ZipFile(tmp_path / "progress.zip") as archive:
        for name in archive.namelist():
            rows = list(csv.reader(io.StringIO(archive.read(name).decode("utf-8-sig"), newline="")))
            texts = [cell for row in rows[1:] for cell in row if not _is_number(cell)]
            assert f"'{evil.item_id}" in texts
            assert not [text for text in texts if text.strip()[:1] in ("=", "+", "-", "@", "＝")]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_marks_notes_and_own_words_are_in_the_table(
    tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock
) -> None:
    desk.marks.suspend(["sample/card-0"])
    desk.marks.bury(["sample/card-1"])
    desk.marks.flag(["sample/card-1"], 4)
    desk.words.write_note("sample/card-2", "=Ask Ada")
    desk.words.edit("sample/card-2", {"question": "In my words?"}, {"question": "theirs"})
    export(tmp_path / "progress.zip", desk, pack, clock)
    cards, _ = read(tmp_path / "progress.zip")
    names = ("suspended", "buried", "leech", "flag", "own_words", "note")
    assert [cards["sample/card-0"][name] for name in names] == ["1", "0", "0", "", "0", ""]
    assert [cards["sample/card-1"][name] for name in names] == ["0", "1", "0", "blue", "0", ""]
    assert [cards["sample/card-2"][name] for name in names] == ["0", "0", "0", "", "1", "'=Ask Ada"]
    assert cards["sample/card-2"]["question"] == "In my words?"
