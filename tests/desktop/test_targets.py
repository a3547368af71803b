"""Every form of a target leads to its page, and says what to show there."""

from __future__ import annotations

import pytest
from ladder_desktop.targets import parse


@pytest.mark.parametrize(
    ("target", "page", "arguments"),
    [
        ("home", "home", ("",)),
        ("settings", "settings", ("",)),
        ("settings:keys", "settings", ("keys",)),
        ("study:hub", "study:hub", ("", None)),
        ("study:hub/gist/ladder", "study:hub", ("gist", "ladder")),
        ("study:hub/maps/ladder/paging", "study:hub", ("maps", "ladder/paging")),
        ("ticket:slow-start", "tickets", ("slow-start",)),
        ("card:hub-bound", "drill", ("hub-bound",)),
        ("drill:tag:paging", "drill", ("tag:paging",)),
        ("drill:search:a/b: c", "drill", ("search:a/b: c",)),
        ("live:short-chats", "live", ("short-chats",)),
        ("live:short-chats?compare", "live", ("short-chats?compare",)),
        ("nonsense", "nonsense", ("",)),
        ("", "", ("",)),
    ],
)
def test_a_target_is_taken_apart(target: str, page: str, arguments: tuple[str | None, ...]) -> None:
    place = parse(target)
    assert place.page == page
    assert place.arguments == arguments
