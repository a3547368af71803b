"""What the palette offers for a text, and in which order."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from ladder_desktop.palette.lines import Line, offered, recalled, remembered
from ladder_desktop.search import Hit

OWN = [
    Line("action", "Export progress…", "window.export", keys="Ctrl+E"),
    Line("action", "Next step of the flow", "maps.next", why_not="It belongs to another page or tab."),
    Line("action", "One step on", "live.forward", keys="."),
    Line("page", "3. PagedAttention and continuous batching", "go.study:paging"),
    Line("page", "Drill", "go.drill"),
]
HIT = Hit("card", "What is a block table?", "3. Paging · Q&A", "a block table maps", "card:x", ((2, 7),))
RECENT = [Line("recent", "What is a block table?", "card:x"), Line("recent", "Drill", "go.drill")]


def no_hits(_text: str, _limit: int) -> Iterable[Hit]:
    return []


def titles(text: str) -> list[str]:
    return [line.title for line in offered(text, OWN, [], no_hits)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("exp", "Export progress…"),
        ("EXPORT prog", "Export progress…"),
        ("xprt", "Export progress…"),  # letters in their order
        ("paged", "3. PagedAttention and continuous batching"),
        ("batch cont", "3. PagedAttention and continuous batching"),
        ("drill", "Drill"),
        ("live.forward", "One step on"),  # by its id
    ],
)
def test_a_few_letters_find_it(text: str, first: str) -> None:
    assert titles(text)[0] == first


def test_what_can_be_used_comes_before_what_cannot() -> None:
    assert titles("step") == ["One step on", "Next step of the flow"]


def test_every_word_must_be_there() -> None:
    assert titles("drill export") == []


def test_hits_come_last_and_only_for_a_text() -> None:
    asked: list[str] = []

    def find(text: str, _limit: int) -> list[Hit]:
        asked.append(text)
        return [HIT]

    lines = offered("drill", OWN, RECENT, find)
    assert [line.kind for line in lines] == ["page", "card"]
    assert lines[1].choice == "card:x"
    assert lines[1].detail == "3. Paging · Q&A: a block table maps"
    assert offered("", OWN, RECENT, find)[:2] == RECENT
    assert [line.kind for line in offered("> step", OWN, RECENT, find)] == ["action", "action"]
    assert asked == ["drill"]


def test_without_a_text_nothing_comes_twice() -> None:
    choices = [line.choice for line in offered("  ", OWN, RECENT, no_hits)]
    assert choices[:2] == ["card:x", "go.drill"]
    assert len(choices) == len(set(choices)) == len(OWN) + 1


def test_the_newest_choice_is_recalled_first_and_once() -> None:
    stored: list[str] = []
    for line in (HIT_LINE, OWN[0], HIT_LINE):
        stored = remembered(line, stored, 12)
    assert [recalled(one).choice for one in stored] == ["card:x", "window.export"]
    assert recalled(stored[0]).title == HIT.title
    assert recalled(stored[0]).detail == HIT.where
    assert len(remembered(Line("page", "Drill", "go.drill"), stored, 2)) == 2


HIT_LINE = Line("card", HIT.title, HIT.target, f"{HIT.where}: {HIT.excerpt}")
