"""Cloze questions in parts, and results that are near enough."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_content.cloze import Part, filled, parts
from ladder_content.model import Expected, Vector


def test_a_question_is_cut_at_its_braces() -> None:
    question = "{{Keys}} and {{values}} of f{x}, kept."
    assert parts(question) == [Part("Keys", True), Part(" and ", False), Part("values", True), Part(" of f{x}, kept.", False)]  # fmt: skip
    assert filled(question) == "Keys and values of f{x}, kept."
    assert parts("plain") == [Part("plain", False)]


@pytest.mark.parametrize("question", ["{{a", "a}}", "}}a{{", "{{a {{b}}", "{{a}} b}}", "{{}}", "{{ }}"])
def test_braces_that_do_not_pair_up(question: str) -> None:
    with pytest.raises(ValueError, match=r"pair up|empty"):
        parts(question)


@given(
    st.lists(
        st.tuples(st.booleans(), st.text(st.characters(exclude_characters="{}"), min_size=1)), min_size=1
    )
)
def test_parts_give_back_what_they_were_cut_from(pieces: list[tuple[bool, str]]) -> None:
    pieces = [(hidden, f"x{text}") for hidden, text in pieces]
    found = parts("".join(f"{{{{{text}}}}}" if hidden else text for hidden, text in pieces))
    assert [part.text for part in found if part.hidden] == [text for hidden, text in pieces if hidden]
    assert "".join(part.text for part in found) == "".join(text for _, text in pieces)


@pytest.mark.parametrize(
    ("value", "accepted"), [(100, True), (98, True), (102, True), (97.9, False), (102.1, False), (-100, False), (math.nan, False), (math.inf, False)]
)  # fmt: skip
def test_a_result_within_its_tolerance(value: float, accepted: bool) -> None:
    assert Expected(value=100, unit="ms", tolerance=0.02).accepts(value) is accepted


@pytest.mark.parametrize(
    ("expected", "value", "accepted"),
    [
        (1, 1.0, True),
        (1, True, False),
        (True, 1, False),
        (True, True, True),
        ("a", "a", True),
        ("1", 1, False),
        (1, "1", False),
        (1, None, False),
        (0.3, 0.1 + 0.2, True),
        (0.3, 0.31, False),
        (1.5, 10**400, False),
        ([1, "a"], (1.0, "a"), True),
        ([1, "a"], [1], False),
        ([1], 1, False),
        (1, [1], False),
    ],
)
def test_what_a_vector_accepts(
    expected: bool | int | float | str | list[bool | int | float | str], value: object, accepted: bool
) -> None:
    assert Vector(call="f()", expected=expected).accepts(value) is accepted


def test_a_tolerance_reaches_into_a_list() -> None:
    vector = Vector(call="f()", expected=[100.0, "a"], tolerance=0.1)
    assert vector.accepts([109, "a"])
    assert not vector.accepts([111, "a"])
