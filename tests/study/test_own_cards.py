"""Cards that a person has made: kept over restarts, undone, drilled, found, and carried to another profile."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from ladder_content.bundled import bundled_pack
from ladder_content.loader import load_pack
from ladder_content.model import Card, Expected, Option, Pack
from ladder_desktop.exporting import ImportFault, export, import_bundle
from ladder_desktop.study import Desk, OwnCard, Rating, items_of, with_own_cards
from ladder_desktop.study.catalogue import catalogue, parse_query

ITEM = "runtime-ladder/prediction-batch"


def made(steps: float = 41.0, **changes: object) -> OwnCard:
    card = Card(
        id="prediction-batch",
        question="How many steps does the zebra batch need?",
        answer=f"Measured: {steps:g} steps.",
        key_points=("41 steps",),
        follow_up="Why?",
        difficulty=2,
        tags=("prediction",),
        kind="numeric",
        expected=Expected(steps, "steps", 0.25),
        lab="short-chats",
    )
    return OwnCard(ITEM, "paging", msgspec.structs.replace(card, **changes))


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack(bundled_pack())


@pytest.fixture
def desk(tmp_path, clock):
    with Desk.open(tmp_path / "home", clock) as desk:
        yield desk


def studied(desk: Desk, pack: Pack) -> Pack:
    whole = with_own_cards(pack, desk.own_cards.all())
    desk.register(items_of(whole))
    return whole


def test_a_card_is_there_after_a_restart_and_undone_over_one(tmp_path, clock):
    with Desk.open(tmp_path, clock) as desk:
        desk.own_cards.keep(made())
    with Desk.open(tmp_path, clock) as desk:
        assert desk.own_cards.all() == (made(),)
        assert desk.undo() == "Undid Keeping prediction-batch"
        assert desk.own_cards.all() == ()
    with Desk.open(tmp_path, clock) as desk:
        assert desk.redo() == "Redid Keeping prediction-batch"
        assert desk.own_cards.all() == (made(),)
        desk.own_cards.drop([ITEM])
        assert desk.own_cards.all() == ()
        assert desk.undo() == "Undid Deleting prediction-batch"
        assert desk.own_cards.all() == (made(),)


def test_keeping_the_same_card_again_is_nothing_to_undo(desk):
    desk.own_cards.keep(made())
    desk.own_cards.keep(made())
    desk.undo()
    assert desk.undo() is None


def test_it_stands_in_its_study_and_is_drilled_like_any_card(desk, pack, clock):
    desk.own_cards.keep(made())
    whole = studied(desk, pack)
    paging = next(study for study in whole.studies if study.id == "paging")
    assert paging.cards[-1] == made().card
    queued = []
    desk.more_today("card", new=10_000)
    while (item := desk.next_item("card")) is not None and len(queued) < 10_000:
        queued.append(item.item_id)
        desk.answer(item.item_id, Rating.EASY, timedelta(seconds=1))
    assert ITEM in queued
    assert desk.memory(ITEM).reps == 1


def test_a_newer_measurement_takes_the_answers_place_and_the_memory_stays(desk, pack):
    desk.own_cards.keep(made(41))
    studied(desk, pack)
    desk.answer(ITEM, Rating.GOOD, timedelta(seconds=3))
    before = desk.memory(ITEM)
    desk.own_cards.keep(made(38))
    assert desk.own_cards.all() == (made(38),)
    assert desk.memory(ITEM) == before
    desk.undo()
    assert desk.own_cards.all() == (made(41),)


def test_the_list_finds_it(desk, pack, clock):
    desk.own_cards.keep(made())
    whole = studied(desk, pack)
    entries = catalogue(desk, whole, clock.now(), clock.zone())
    for query in ("tag:prediction", "is:own", "study:paging zebra", "prediction-batch"):
        assert [entry.item_id for entry in entries if parse_query(query)(entry)] == [ITEM], query


def test_a_pack_keeps_its_own_and_a_card_of_another_pack_or_study_stays_away(pack):
    first = pack.studies[0].cards[0]
    usurper = OwnCard(f"{pack.id}/{first.id}", "hub", msgspec.structs.replace(made().card, id=first.id))
    stranger = OwnCard("other/prediction-batch", "paging", made().card)
    nowhere = OwnCard(ITEM, "no-such-study", made().card)
    for own in (usurper, stranger, nowhere):
        assert with_own_cards(pack, [own]).studies == pack.studies
    twice = with_own_cards(with_own_cards(pack, [made()]), [made()])
    assert twice == with_own_cards(pack, [made()])


def test_a_bundle_carries_it_to_another_profile(desk, pack, clock, tmp_path):
    desk.own_cards.keep(made())
    whole = studied(desk, pack)
    desk.answer(ITEM, Rating.HARD, timedelta(seconds=5))
    export(tmp_path / "me.ladder", desk, pack, clock)
    with Desk.open(tmp_path / "new", clock) as other:
        import_bundle(tmp_path / "me.ladder", other)
        assert other.own_cards.all() == (made(),)
        assert studied(other, pack) == whole
        assert other.memory(ITEM) == desk.memory(ITEM)


def test_other_exports_hold_it_too(desk, pack, clock, tmp_path):
    desk.own_cards.keep(made())
    studied(desk, pack)
    desk.answer(ITEM, Rating.HARD, timedelta(seconds=5))
    assert export(tmp_path / "me.apkg", desk, pack, clock).left_out == 0


CLOZE = {"kind": "cloze", "expected": None, "question": "a {{b}}"}
TWO_RIGHT = {"kind": "lever", "expected": None, "options": (Option("a", "b", True), Option("c", "d", True))}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"id": "another"}, "holds another card"),
        ({"question": " "}, "no question"),
        ({"expected": None}, "does not say what is expected"),
        (TWO_RIGHT, "no single right option"),
        (CLOZE, "no card that is made here"),
        ({"answer": "x" * 30_000}, "no card that is made here"),
    ],
)
def test_a_forged_card_is_refused_in_a_sentence(desk, pack, clock, tmp_path: Path, changes, fault):
    desk.own_cards.keep(OwnCard(ITEM, "paging", msgspec.structs.replace(made().card, **changes)))
    export(tmp_path / "me.ladder", desk, pack, clock)
    with Desk.open(tmp_path / "new", clock) as other:
        with pytest.raises(ImportFault, match=fault):
            import_bundle(tmp_path / "me.ladder", other)
        assert other.own_cards.all() == ()
