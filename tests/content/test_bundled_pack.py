"""The pack that comes with the application: sound, complete, and right in its arithmetic."""

from __future__ import annotations

import ast
import operator
import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from ladder_content.check import check_pack
from ladder_content.citations import cited, without_citations
from ladder_content.loader import bundled_pack, load_pack
from ladder_content.model import Card, Fact, Pack, Study

PACK = load_pack(bundled_pack())
HUB = PACK.studies[0]
NUMERIC = [card for study in PACK.studies for card in study.cards if card.kind == "numeric"]
FACTS = {fact.id: fact for fact in PACK.facts}
OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
WORDS = {"half": 0.5, "two": 2, "four": 4, "five": 5, "eight": 8}


def evaluate(node: Any) -> float:
    """Evaluate arithmetic and nothing else: a formula is data too."""
    match node:
        case ast.Expression(body=body):
            return evaluate(body)
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.BinOp(left=left, op=op, right=right):
            return float(OPERATIONS[type(op)](evaluate(left), evaluate(right)))
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=args):
            return (min if name == "min" else max)(map(evaluate, args))
    raise ValueError(f"no arithmetic: {ast.dump(node)}")


def everything_said(study: Study) -> list[str]:
    cards = [text for card in study.cards for text in (card.answer, *card.key_points)]
    steps = [step for ticket in study.tickets for step in ticket.steps]
    options = [option for choice in (*steps, *study.cards) for option in choice.options]
    return [
        study.summary,
        *(section.body for section in study.sections),
        *cards,
        *(option.text + option.why for option in options),
        *(card.question for card in study.cards if card.kind == "cloze"),
        *(ticket.evidence for ticket in study.tickets),
        *(snippet.explanation for snippet in study.snippets),
    ]


def test_it_has_no_faults() -> None:
    assert check_pack(bundled_pack()) == []


@pytest.mark.parametrize("fact", [fact for fact in PACK.facts if fact.formula], ids=lambda fact: fact.id)
def test_a_formula_gives_the_value_it_states(fact: Fact) -> None:
    assert fact.formula is not None
    assert fact.unit
    assert evaluate(ast.parse(fact.formula.strip(), mode="eval")) == pytest.approx(fact.value, rel=0.01)


@pytest.mark.parametrize(
    "fact", [fact for fact in PACK.facts if fact.value is not None], ids=lambda fact: fact.id
)
def test_a_statement_says_its_value(fact: Fact) -> None:
    numbers = [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\.?\d*", fact.statement)]
    numbers += [
        value for word, value in WORDS.items() if re.search(rf"\b{word}\b", fact.statement, re.IGNORECASE)
    ]
    assert any(number == pytest.approx(fact.value, rel=0.035) for number in numbers), fact.statement


def test_every_fact_is_used() -> None:
    used = {fact_id for study in PACK.studies for text in everything_said(study) for fact_id in cited(text)}
    assert set(FACTS) - used == set()


def test_the_hub_covers_what_it_promises() -> None:
    assert len(HUB.cards) >= 18
    assert len(HUB.tickets) >= 5
    assert {
        "diagnosing",
        "order",
        "ladder",
        "dominates",
        "levers",
        "worked",
        "signatures",
        "elsewhere",
        "products",
        "warnings",
    } <= {section.id for section in HUB.sections}
    maps = {one.id: one for one in HUB.maps}
    assert [len(maps[name].nodes) for name in ("ladder", "wrong-bottleneck")] == [10, 8]
    assert maps["architecture"].kind == "architecture"
    assert len(HUB.references) >= 7


@pytest.mark.parametrize(
    ("section", "pattern", "count"),
    [
        ("order", r"^\d\. ", 4),
        ("ladder", r"^\| (?!Mechanism|---)", 9),
        ("dominates", r"^\d\. ", 9),
        ("levers", r"^\| (?!Lever|---)", 7),
        ("elsewhere", r"^- ", 6),
    ],
)
def test_a_section_has_its_entries(section: str, pattern: str, count: int) -> None:
    body = next(one.body for one in HUB.sections if one.id == section)
    entries = re.findall(pattern, re.sub(r"^\|---.*$", "", body, flags=re.MULTILINE), re.MULTILINE)
    assert len(entries) == count


def test_the_steps_of_a_flow_are_joined_in_order() -> None:
    for one in HUB.maps:
        if one.kind == "flow":
            ids = [node.id for node in one.nodes]
            assert [(edge.source, edge.target) for edge in one.edges] == list(pairwise(ids))


@pytest.mark.parametrize("card", HUB.cards, ids=lambda card: card.id)
def test_an_answer_can_be_spoken_in_a_minute_and_a_half(card: Card) -> None:
    words = without_citations(card.answer).split()
    assert (130 if card.kind == "qa" else 40) <= len(words) <= 220
    assert (3 if card.kind in ("qa", "lever") else 1) <= len(card.key_points) <= 6


def test_the_hub_has_every_kind_of_card() -> None:
    kinds = Counter(card.kind for card in HUB.cards)
    assert all(kinds[kind] >= least for kind, least in (("numeric", 4), ("cloze", 3), ("lever", 3)))
    assert {card.lab for card in HUB.cards} >= {"short-chats", "long-prompt", "more-than-fits"}


@pytest.mark.parametrize("card", NUMERIC, ids=lambda card: card.id)
def test_a_numeric_card_expects_what_a_fact_of_it_says(card: Card) -> None:
    assert card.expected is not None
    facts = [PACK.fact(fact_id) for fact_id in card.facts]
    same_unit = [fact.value for fact in facts if (fact.unit or "").split(" ")[0] == card.expected.unit]
    accepted = [value for value in same_unit if value is not None and card.expected.accepts(value)]
    assert [value for value in accepted if value == pytest.approx(card.expected.value, rel=0.005)]


def test_the_right_lever_is_not_always_in_the_same_place() -> None:
    levers = [card for study in PACK.studies for card in study.cards if card.kind == "lever"]
    places = [[option.correct for option in card.options].index(True) for card in levers]
    assert max(map(places.count, places)) <= (len(places) + 1) // 2


def test_the_right_option_cannot_be_guessed_from_its_place_or_length() -> None:
    steps = [step for ticket in HUB.tickets for step in ticket.steps]
    places = [[option.correct for option in step.options].index(True) for step in steps]
    longest = [max(step.options, key=lambda option: len(option.text)).correct for step in steps]
    assert {0, 1, 2, 3} == set(places)
    assert max(places.count(place) for place in range(4)) <= len(steps) // 2
    assert 0.1 <= sum(longest) / len(steps) <= 0.4
    assert all(3 <= len(step.options) <= 4 for step in steps)


def test_a_fact_is_found_by_its_id() -> None:
    assert PACK.fact("F1.09").value == 295
    with pytest.raises(KeyError):
        PACK.fact("F99.99")


def test_the_pack_is_immutable() -> None:
    assert isinstance(PACK, Pack)
    with pytest.raises(AttributeError):
        PACK.title = "another"  # type: ignore[misc]


def test_no_arrow_of_a_map_runs_through_a_box() -> None:
    for one in HUB.maps:
        cells = {node.id: (node.order, node.lane) for node in one.nodes}
        for edge in one.edges:
            (x0, y0), (x1, y1) = cells[edge.source], cells[edge.target]
            for name, (x, y) in cells.items():
                if name not in (edge.source, edge.target):
                    on_the_way = ((x0 + (x1 - x0) * t / 100, y0 + (y1 - y0) * t / 100) for t in range(101))
                    assert all(abs(px - x) > 0.4 or abs(py - y) > 0.35 for px, py in on_the_way), (
                        one.id,
                        edge,
                        name,
                    )
