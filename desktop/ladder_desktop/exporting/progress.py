"""What a person has studied, as one plain value: every writer works from it and knows no database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path

from ladder_content.model import Pack

from ladder_desktop.study import (
    Algorithm,
    Belongings,
    Clock,
    Desk,
    Item,
    Mark,
    Memory,
    Review,
    StudySettings,
    SystemClock,
    study_day,
    with_own_cards,
)
from ladder_desktop.study.overlay import reworded_pack

_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Progress:
    """A pack, and how far someone has come in it.

    `items` are all that were ever registered, `memories` is what is remembered of each that was answered, by its id;
    `reviews` is the log, oldest first, and `own` what belongs to the person besides, in whose words the cards of
    `pack` are. `now` is UTC; `zone` is where
    this person's days begin and end.
    """

    pack: Pack
    items: tuple[Item, ...]
    memories: Mapping[str, Memory]
    reviews: tuple[Review, ...]
    own: Belongings
    now: datetime
    zone: tzinfo

    @property
    def marks(self) -> dict[str, Mark]:
        """The marks of each item that has any."""
        return {marked.item_id: marked.mark for marked in self.own.marks}

    @property
    def notes(self) -> dict[str, str]:
        """The note of each item that has one."""
        return {note.item_id: note.text for note in self.own.notes}

    @property
    def settings(self) -> StudySettings:
        """How this person is scheduled."""
        return self.own.settings or StudySettings()

    @property
    def algorithm(self) -> Algorithm:
        """What schedules the next answer."""
        return self.settings.algorithm

    @property
    def today(self) -> date:
        """The study day of `now`."""
        return date_of(study_day(self.now, self.zone))


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote. `left_out` counts studied items without a text in the pack, which only Anki needs."""

    path: Path
    items: int
    reviews: int
    left_out: int = 0

    @property
    def sentence(self) -> str:
        """Say where the progress is, and what of it is not there."""
        where = f"Your progress is in {self.path}."
        if not self.left_out:
            return where
        things = "1 card or ticket" if self.left_out == 1 else f"{self.left_out} cards or tickets"
        return f"{where} It lacks {things} that you studied in another pack; open that pack to export them."


def progress_of(desk: Desk, pack: Pack, clock: Clock | None = None) -> Progress:
    """Read everything from the desk; raises StudyError."""
    clock = clock or SystemClock()
    items, memories, reviews, own = desk.history.everything()
    whole = reworded_pack(with_own_cards(pack, own.cards), own.edits)
    return Progress(whole, items, memories, reviews, own, clock.now(), clock.zone())


def date_of(day: int) -> date:
    """Return the calendar date on which a study day starts."""
    return _EPOCH + timedelta(days=day)


def interval_of(memory: Memory) -> timedelta:
    """Return what the last answer granted: whole days in review, the wait for the next step otherwise."""
    if memory.due_at is None:
        return timedelta(days=memory.interval)
    return timedelta(milliseconds=memory.due_at - memory.last_at)
