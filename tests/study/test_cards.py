"""A card in own words, its memory curve, sessions outside the queue, and asking for cards."""

from __future__ import annotations

from datetime import timedelta

import fsrs
import msgspec
import pytest
from ladder_content.model import Card, Pack, Study
from ladder_desktop.study import Desk, Edit, Rating, StudyError, items_of
from ladder_desktop.study.catalogue import catalogue, parse_query
from ladder_desktop.study.curve import DAY_MS, curve_of, retrievability
from ladder_desktop.study.overlay import changed_since, fault_in, reworded, wording
from ladder_desktop.study.session import Session

from .conftest import TravelClock

SECOND = timedelta(seconds=1)


def card(name: str, **changes: object) -> Card:
    plain: dict[str, object] = {
        "id": name,
        "question": f"Why {name}?",
        "answer": "Since.",
        "key_points": ("one", "two"),
        "follow_up": "And then?",
        "difficulty": 1,
        "tags": ("decode",),
    }
    return msgspec.convert({**plain, **changes}, Card)


def edit(field: str, own: str, original: str) -> Edit:
    return Edit("mine/a", field, own, original)


# Own words


def test_own_words_lie_over_the_packs_and_outlive_its_updates() -> None:
    old, new = card("a"), card("a", question="Why, by now?", answer="Since then.")
    edits = [edit("question", "Mine?", "Why a?"), edit("key_points", "three\n\n four ", "one\ntwo")]
    mine = reworded(new, edits)
    assert (mine.question, mine.key_points, mine.answer) == ("Mine?", ("three", "four"), "Since then.")
    assert changed_since(old, edits) == {}
    assert changed_since(new, edits) == {"question": "Why, by now?"}
    assert reworded(old, [edit("of the future", "x", "y")]) is old
    assert wording(old)["key_points"] == "one\ntwo"


@pytest.mark.parametrize(
    ("kind", "own", "fault"),
    [
        ("qa", {"question": " "}, "question"),
        ("qa", {"answer": ""}, "answer"),
        ("cloze", {"question": "nothing hidden"}, "{{hidden}}"),
        ("cloze", {"question": "some {{thing}}"}, ""),
        ("qa", {}, ""),
    ],
)
def test_a_wording_that_cannot_be_shown_is_refused(kind: str, own: dict[str, str], fault: str) -> None:
    question = "a {{gap}}" if kind == "cloze" else "Why?"
    said = fault_in(card("a", kind=kind, question=question), own)
    assert fault in said
    assert bool(said) == bool(fault)


def test_an_edit_that_says_what_the_pack_says_is_none(desk: Desk) -> None:
    desk.words.edit("pack/card-0", {"question": "Mine?"}, {"question": "Theirs?"})
    assert desk.words.edits("pack/card-0") == [Edit("pack/card-0", "question", "Mine?", "Theirs?")]
    desk.words.edit("pack/card-0", {"question": "Theirs?"}, {"question": "Theirs?"})
    assert desk.words.edits("pack/card-0") == []
    assert desk.undo() == "Undid Edit of card-0"
    assert desk.words.edits("pack/card-0")[0].own == "Mine?"


# The memory curve


def test_the_curve_is_the_one_of_fsrs(desk: Desk, clock: TravelClock) -> None:
    """The fsrs package is asked for whole days, on which both must agree."""
    for rating, days in ((Rating.EASY, 9), (Rating.GOOD, 40), (Rating.AGAIN, 1), (Rating.GOOD, 0)):
        desk.answer("pack/card-0", rating, SECOND)
        clock.wait(days=days)
    reviews = desk.history.reviews_of("pack/card-0")
    scheduler = fsrs.Scheduler(reviews[0].algorithm.parameters)
    for review in reviews:
        stability = review.after.stability
        for days in (0, 1, 7, 100, 4000):
            known = fsrs.Card(card_id=1, state=fsrs.State.Review, stability=stability, difficulty=5)
            known.last_review = clock.now()
            wanted = scheduler.get_card_retrievability(known, clock.now() + timedelta(days=days))
            assert retrievability(stability, days, review.algorithm.parameters[20]) == pytest.approx(wanted)


def test_the_curve_falls_between_reviews_and_its_dots_lie_on_it(desk: Desk, clock: TravelClock) -> None:
    for _ in range(3):
        desk.answer("pack/card-0", Rating.EASY, SECOND)
        clock.wait(days=10)
    until = int(clock.now().timestamp() * 1000)
    curve = curve_of(desk.history.reviews_of("pack/card-0"), until)
    assert [dot.rating for dot in curve.dots] == [Rating.EASY] * 3
    assert curve.dots[0].chance is None
    assert [dot.chance for dot in curve.dots[1:]] == [
        stretch.chance(stretch.end) for stretch in curve.stretches[:2]
    ]
    for stretch in curve.stretches:
        assert stretch.end - stretch.start == 10 * DAY_MS
        assert 1 == stretch.chance(stretch.start) > stretch.chance(stretch.end) > 0.5
        assert stretch.chance(stretch.start - DAY_MS) == 1  # a clock set back
    assert curve_of([], until).stretches == ()


# Sessions


def test_what_was_not_known_comes_again_after_a_few_others() -> None:
    session = Session("abcdefg", "letters", scheduled=False)
    order = []
    ratings = {"a": [Rating.AGAIN, Rating.GOOD], "g": [Rating.AGAIN, Rating.GOOD]}
    while (current := session.current) is not None:
        order.append(current)
        session.rate(ratings[current].pop(0) if current in ratings else Rating.EASY)
    assert "".join(order) == "abcdeafgg"
    for expected in reversed(order):
        assert session.last() is not None
        assert session.undo() == expected == session.current
    assert session.undo() is None
    assert session.left == 7
    session.skip("a")
    assert session.current == "b"


# Asking for cards


def test_a_query_finds_what_fits_every_term(desk: Desk, clock: TravelClock) -> None:
    cards = {
        "hub": (card("alpha"), card("beta", tags=("prefill",), answer="Paged KV blocks")),
        "kv": (card("gamma"), card("delta")),
    }
    studies = tuple(
        Study(
            id=name,
            title=name,
            number=1,
            summary="",
            sections=(),
            maps=(),
            cards=own,
            tickets=(),
            references=(),
        )
        for name, own in cards.items()
    )
    pack = Pack(id="mine", title="Mine", version="1", language="en", licence="CC0", studies=studies, facts=())
    desk.register(items_of(pack))
    desk.answer("mine/alpha", Rating.EASY, SECOND)
    desk.answer("mine/gamma", Rating.GOOD, SECOND)
    desk.marks.suspend(["mine/delta"])
    desk.marks.flag(["mine/beta"], 3)
    desk.words.write_note("mine/delta", "Ask Ada")
    desk.words.edit("mine/gamma", {"question": "In my words?"}, {"question": "Why gamma?"})

    def find(query: str) -> str:
        test = parse_query(query)
        entries = catalogue(desk, pack, clock.now(), clock.zone())
        return " ".join(entry.card.id for entry in entries if test(entry))

    everything = "alpha beta gamma delta"
    assert find("") == find("search:") == everything
    assert find("study:kv") == "gamma delta"
    assert find("tag:decode -study:kv") == "alpha"
    assert find("kv BLOCKS") == find("search:kv blocks") == find('"paged kv"') == "beta"
    assert find("is:new") == "beta delta"
    assert (find("is:learning"), find("is:review"), find("is:due")) == ("gamma", "alpha", "gamma")
    assert (find("is:suspended"), find("flag:3"), find("is:flagged")) == ("delta", "beta", "beta")
    assert (find("is:noted"), find("ada"), find("is:edited"), find("my words")) == (
        "delta",
        "delta",
        "gamma",
        "gamma",
    )
    assert (find("ahead:7"), find("ahead:30")) == ("", "alpha")
    assert find("what's unbalanced") == ""
    desk.marks.bury(["mine/gamma"])
    assert (find("is:buried"), find("is:due")) == ("gamma", "")
    for wrong, says in (("is:lost", "suspended"), ("flag:red", "number")):
        with pytest.raises(StudyError, match=says):
            parse_query(wrong)
