"""Where a ticket stands with a person, in a word and a time. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from ladder_desktop.review.wording import when
from ladder_desktop.study import Memory, due_instant

Standing = Literal["due", "learning", "new", "done"]
ORDER: tuple[Standing, ...] = ("due", "learning", "new", "done")


@dataclass(frozen=True)
class TicketState:
    """Due: it has come back. Learning: answered, and back within the day. New: never answered. Done: back later.

    `next` says when it comes back; it is empty for a new one.
    """

    standing: Standing
    next: str


def ticket_state(memory: Memory | None, now: datetime, zone: tzinfo) -> TicketState:
    """Say where a ticket stands at `now`."""
    if memory is None:
        return TicketState("new", "")
    due = due_instant(memory, zone)
    if due <= now:
        return TicketState("due", "now")
    return TicketState("done" if memory.phase == "review" else "learning", when(due, now, zone))
