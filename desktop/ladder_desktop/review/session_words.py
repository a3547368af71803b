"""What a session outside the queue goes through, and what it is called. No Qt."""

from __future__ import annotations

from collections.abc import Iterable

from ladder_content.model import Pack

from ladder_desktop.study import StudyError
from ladder_desktop.study.catalogue import Entry, parse_query


def chosen(entries: Iterable[Entry], query: str) -> list[str]:
    """Return the cards that fit a query; LookupError if none does or the query cannot be understood.

    Cards that are suspended or buried stay away, unless the query asks for a state.
    """
    try:
        fits = parse_query(query)
    except StudyError as error:
        raise LookupError(str(error)) from error
    asked = "is:" in query
    found = [
        entry.item_id
        for entry in entries
        if fits(entry) and (asked or not (entry.state.mark.suspended or entry.buried))
    ]
    if not found:
        raise LookupError(query)
    return found


def session_name(query: str, pack: Pack) -> str:
    """Say in words what a session goes through."""
    kind, _, value = query.partition(":")
    titles = {study.id: study.title for study in pack.studies}
    if kind == "ahead":
        return "Ahead: due tomorrow" if value == "1" else f"Ahead: due within {value} days"
    if kind == "study" and value in titles:
        return f"Cram: {titles[value]}"
    if " " not in value and kind in ("tag", "is"):
        return f"Cram: tag {value}" if kind == "tag" else f"Cram: cards that are {value}"
    return f"Cram: {query.removeprefix('search:')}"
