from __future__ import annotations

from ladder_content.model import Card, Pack, Study
from ladder_desktop.study import Item, items_of


def card(name: str) -> Card:
    return Card(id=name, question="?", answer="!", key_points=(), follow_up="", difficulty=1, tags=())


def study(name: str, *cards: str) -> Study:
    return Study(
        id=name,
        title=name,
        number=1,
        summary="",
        sections=(),
        maps=(),
        cards=tuple(card(each) for each in cards),
        tickets=(),
        references=(),
    )


def test_the_order_of_a_pack_is_the_order_of_its_studies_and_cards() -> None:
    pack = Pack(
        id="mine",
        title="Mine",
        version="1",
        language="en",
        licence="CC0",
        studies=(study("late", "b", "a"), study("early", "c")),
        facts=(),
    )
    assert items_of(pack) == [
        Item("mine/b", "card", "late"),
        Item("mine/a", "card", "late"),
        Item("mine/c", "card", "early"),
    ]
