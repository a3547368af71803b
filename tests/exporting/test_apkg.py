"""Decks judged by the real Anki: the file is imported into a fresh collection and read back through Anki itself."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from ladder_content.model import Pack
from ladder_desktop.exporting import export
from ladder_desktop.exporting.anki_notes import CARD, TICKET
from ladder_desktop.study import Algorithm, Desk, Memory, items_of

from .conftest import HandClock, Oracle, study

# Where the person studied, and where the deck is imported.
JOURNEYS = [
    ("Asia/Kolkata", "Asia/Kolkata"),
    ("Pacific/Auckland", "Pacific/Auckland"),
    ("America/Los_Angeles", "America/Los_Angeles"),
    ("America/Los_Angeles", "Asia/Tokyo"),
]
ALGORITHM = Algorithm(desired_retention=0.92, learning_steps=(90, 600), relearning_steps=(300, 900))


@pytest.mark.parametrize(("home", "away"), JOURNEYS)
def test_anki_takes_over_where_the_person_stood(
    home: str, away: str, tmp_path: Path, pack: Pack, ask_anki: Oracle
) -> None:
    # Mid-March to July: the clocks change in Los Angeles on 9 March and in Auckland on 6 April.
    clock = HandClock(datetime(2025, 3, 3, 8, tzinfo=ZoneInfo(home)).astimezone(UTC), ZoneInfo(home))
    deck = tmp_path / "progress.apkg"
    with Desk.open(tmp_path, clock, ALGORITHM) as desk:
        desk.register(items_of(pack))
        study(desk, clock)
        states = {state.item.item_id: state.memory for state in desk.states()}
        reviews = desk.history.reviews()
        exported = export(deck, desk, pack, clock)
    assert (exported.items, exported.reviews, exported.left_out) == (10, len(reviews), 0)
    assert {memory.phase if memory else "new" for memory in states.values()} == {
        "new",
        "learning",
        "review",
        "relearning",
    }

    found = ask_anki(deck, away)

    assert found["first"] == {"new": 10, "updated": 0, "duplicate": 0, "conflicting": 0}
    assert found["second"]["new"] == 0
    assert found["after_second"] == found["counts"]
    assert found["integrity"]["clean"], found["integrity"]["text"]
    assert found["decks"] == ["Default", "Runtime Ladder", "Runtime Ladder::Hub: which ladder?"]
    assert found["cards"].keys() == states.keys()
    for item_id, memory in states.items():
        check_card(found["cards"][item_id], memory)
        if memory:
            assert found["recomputed"][item_id] == pytest.approx(
                [memory.stability, memory.difficulty], rel=1e-3
            )

    logged = [row[1:] for row in found["revlog"]]
    assert sorted(logged) == sorted(
        [
            review.item_id,
            int(review.rating),
            anki_interval(review.after),
            anki_interval(review.before),
            round((review.after.difficulty - 1) / 9 * 1000 + 100),
            min(review.duration_ms, 60_000),
            {"new": 0, "learning": 0, "review": 1, "relearning": 2}[
                review.before.phase if review.before else "new"
            ],
        ]
        for review in reviews
    )
    assert all(
        abs(row[0] - review.answered_at) < 20 for row, review in zip(found["revlog"], reviews, strict=True)
    )

    default, preset = sorted(found["presets"], key=lambda each: each["name"] != "Default")
    assert default["desiredRetention"] == 0.9
    assert preset["name"] == "Runtime Ladder"
    assert preset["fsrsParams6"] == pytest.approx(ALGORITHM.parameters)
    assert preset["desiredRetention"] == pytest.approx(0.92)
    assert preset["new"]["delays"] == pytest.approx([1.5, 10.0])
    assert preset["lapse"]["delays"] == pytest.approx([5.0, 15.0])


def check_card(card: dict[str, Any], memory: Memory | None) -> None:
    assert card["deck"] == "Runtime Ladder::Hub: which ladder?"
    if memory is None:
        assert (card["type"], card["queue"], card["reps"], card["stability"]) == (0, 0, 0, None)
        return
    assert card["stability"] == pytest.approx(memory.stability, rel=1e-3)
    assert card["difficulty"] == pytest.approx(memory.difficulty, abs=1e-3)
    assert card["retention"] == pytest.approx(0.92)
    assert card["decay"] == pytest.approx(ALGORITHM.parameters[20], abs=1e-3)
    assert card["last_review"] == memory.last_at // 1000
    assert (card["reps"], card["lapses"]) == (memory.reps, memory.lapses)
    if memory.due_day is not None:
        assert (card["type"], card["queue"], card["ivl"]) == (2, 2, memory.interval)
        assert date.fromisoformat(card["due_day"]) == date(1970, 1, 1) + timedelta(days=memory.due_day)
    else:
        assert memory.due_at is not None
        assert memory.step is not None
        assert (card["type"], card["queue"]) == ({"learning": 1, "relearning": 3}[memory.phase], 1)
        assert (card["due"], card["left"]) == (memory.due_at // 1000, 2 - memory.step)


def anki_interval(memory: Memory | None) -> int:
    if memory is None:
        return 0
    return memory.interval if memory.due_at is None else -((memory.due_at - memory.last_at) // 1000)


def test_anki_shows_the_texts_and_runs_nothing(
    tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock, ask_anki: Oracle
) -> None:
    export(tmp_path / "deck.apkg", desk, pack, clock)
    found = ask_anki(tmp_path / "deck.apkg", "UTC")
    notes = {guid: note["fields"] for guid, note in found["notes"].items()}

    plain = dict(zip(CARD.fields, notes["sample/card-0"], strict=True))
    assert plain["Question"] == "<p>What bounds decode, case 0?</p>"
    assert plain["Answer"] == "<p>Memory <strong>bandwidth</strong>: each step reads all weights [F1.01].</p>"
    assert plain["Key points"].count("<li>") == 2
    assert "A step reads every weight once." in plain["Facts"]
    assert sorted(found["notes"]["sample/card-0"]["tags"]) == [
        "decode",
        "difficulty::2",
        "memory-bandwidth",
        "sample::hub",
    ]
    card = found["cards"]["sample/card-0"]
    assert "bandwidth" not in card["question"]
    assert all(field in card["answer"] for field in notes["sample/card-0"])

    ticket = dict(zip(TICKET.fields, notes["sample/ticket-0"], strict=True))
    assert "2.4 s" in ticket["Metrics"]
    assert "<strong>right lever</strong>" in ticket["Diagnosis"]
    shown = found["cards"]["sample/ticket-0"]["question"]
    assert "right lever" in shown
    assert "the numbers say so" not in shown
    assert "Chunking the prompt" in found["cards"]["sample/ticket-0"]["answer"]

    hostile = found["cards"]["sample/card-7"]
    assert hostile["sounds"] == 0
    for side in (hostile["question"], hostile["answer"]):
        lowered = side.replace("&lt;", "‹").lower()
        assert not [
            bad for bad in ("<script", "<img", 'href="javascript', 'href="file', "\x1f") if bad in lowered
        ]
        assert "[latex]" not in side
    assert 'href="https://arxiv.org/abs/2309.06180"' in hostile["answer"]


def test_anki_takes_over_marks_notes_and_own_words(
    tmp_path: Path, pack: Pack, desk: Desk, clock: HandClock, ask_anki: Oracle
) -> None:
    study(desk, clock)
    desk.marks.suspend(["sample/card-0", "sample/card-6"])
    desk.marks.bury(["sample/card-1"])
    for flag in range(1, 5):
        desk.marks.flag([f"sample/card-{flag}"], flag)
    desk.words.write_note("sample/card-3", "Ask <Ada>\n[sound:evil.mp3]")
    desk.words.edit("sample/card-3", {"question": "In *my* words?"}, {"question": "theirs"})
    export(tmp_path / "deck.apkg", desk, pack, clock)
    found = ask_anki(tmp_path / "deck.apkg", "UTC")
    cards = found["cards"]
    assert [cards[f"sample/card-{number}"]["queue"] for number in (0, 1, 6)] == [-1, -3, -1]
    assert [cards[f"sample/card-{number}"]["flag"] for number in range(6)] == [0, 1, 2, 3, 4, 0]
    assert "In <em>my</em> words?" in cards["sample/card-3"]["question"]
    assert "Ask &lt;Ada&gt;<br>" in cards["sample/card-3"]["answer"]
    assert cards["sample/card-3"]["sounds"] == 0
    assert found["integrity"]["clean"], found["integrity"]["text"]
