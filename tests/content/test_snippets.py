"""Every snippet of the bundled pack, run in the interpreter that the application seals it in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ladder_content.loader import bundled_pack, load_pack
from ladder_content.model import Snippet, Vector
from msgspec.structs import replace
from pydantic_monty import CollectString, Monty, MontyRuntimeError, ResourceLimits

SNIPPETS = [snippet for study in load_pack(bundled_pack()).studies for snippet in study.snippets]
LIMITS = ResourceLimits(max_feed_duration_secs=5.0, max_memory=64 << 20)
DOUBLE = Snippet(
    id="double",
    title="Double",
    explanation="It doubles.",
    code="def double(x):\n    return 2 * x\n\nprint(double(2))\n",
    vectors=(Vector(call="double(3)", expected=6),),
)


@pytest.fixture(scope="session")
def pool() -> Iterator[Monty]:
    with Monty(max_processes=1) as pool:
        yield pool


def run(pool: Monty, snippet: Snippet) -> tuple[str, list[str]]:
    """Run a snippet and its vectors in a fresh session: what it printed, and each call that gave something else."""
    printed = CollectString(max_bytes=1 << 16)
    wrong = []
    with pool.checkout(limits=LIMITS) as session:
        session.feed_run(snippet.code, print_callback=printed)
        for vector in snippet.vectors:
            value = session.feed_run(vector.call)
            if not vector.accepts(value):
                wrong.append(f"{vector.call} gave {value!r} and should give {vector.expected!r}")
    return printed.output, wrong


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.id)
def test_a_snippet_gives_what_its_vectors_say(pool: Monty, snippet: Snippet) -> None:
    printed, wrong = run(pool, snippet)
    assert wrong == []
    assert 5 <= printed.count("\n") <= 60
    assert max(map(len, printed.splitlines())) <= 90


def test_the_hub_has_its_snippets() -> None:
    assert {"hub-classifier", "hub-ridge-and-floor", "hub-burst-and-admission"} <= {
        one.id for one in SNIPPETS
    }


def test_a_wrong_snippet_is_noticed(pool: Monty) -> None:
    assert run(pool, DOUBLE) == ("4\n", [])
    triple = replace(DOUBLE, code=DOUBLE.code.replace("2 *", "3 *"))
    assert run(pool, triple) == ("6\n", ["double(3) gave 9 and should give 6"])


def test_the_interpreter_is_sealed(pool: Monty) -> None:
    with pool.checkout(limits=LIMITS) as session, pytest.raises(MontyRuntimeError):
        session.feed_run("open('/etc/hostname').read()")


def test_every_rule_of_the_classifier_has_a_score(pool: Monty) -> None:
    """A bound without a rule could never win, and a rule without a bound would stop the classifier."""
    code = next(snippet.code for snippet in SNIPPETS if snippet.id == "hub-classifier")
    with pool.checkout(limits=LIMITS) as session:
        session.feed_run(code, print_callback=CollectString())
        rules, bounds = session.feed_run("RULES"), session.feed_run("list(explained(HEALTHY))")
    assert rules == bounds
