"""One interview while it goes on: what is asked, which part of an item is on, and how much time is left. No Qt.

A question goes through three parts: the question itself, its follow-up, and the answer with the points to tick. A ticket
has one part. Each reply is logged as soon as it is given, so an interview that breaks off keeps what was said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from random import Random
from typing import Literal

from ladder_content.model import Card, Study, Ticket

from ladder_desktop.review.diagnosis import Diagnosis
from ladder_desktop.review.stopwatch import Stopwatch
from ladder_desktop.study import Desk, Rating, Reply, Setting, detail_of, interview_rating, new_interview_id

Part = Literal["question", "follow_up", "points", "ticket"]
Asked = tuple[Study, Card | Ticket]

LONGEST_ITEM = timedelta(minutes=15)


class Session:
    """`item_ids` are asked in their order; `asked` holds the study and the card or ticket of each."""

    def __init__(
        self,
        desk: Desk,
        setting: Setting,
        item_ids: Sequence[str],
        asked: Mapping[str, Asked],
        shuffle: Random,
        watch: Stopwatch | None = None,
        item_watch: Stopwatch | None = None,
    ) -> None:
        self.interview_id = new_interview_id()
        self.setting = setting
        self.replies = 0
        self.part: Part = "question"
        self.diagnosis: Diagnosis | None = None
        self._desk = desk
        self._item_ids = list(item_ids)
        self._asked = asked
        self._shuffle = shuffle
        self._place = 0
        self._watch = watch or Stopwatch(cap=timedelta(days=1))
        self._item_watch = item_watch or Stopwatch(cap=LONGEST_ITEM)
        self._watch.start()
        self._begin_item()

    @property
    def over(self) -> bool:
        """Whether everything was asked, or the time is up."""
        return self._place >= len(self._item_ids)

    @property
    def item_id(self) -> str:
        """The item that is on."""
        return self._item_ids[self._place]

    @property
    def study(self) -> Study:
        """The study of the item that is on."""
        return self._asked[self.item_id][0]

    @property
    def card(self) -> Card | None:
        """The question that is on; None while a ticket is."""
        item = self._asked[self.item_id][1]
        return item if isinstance(item, Card) else None

    @property
    def position(self) -> tuple[int, int]:
        """The number of the item that is on, from 1, and how many there are."""
        return min(self._place + 1, len(self._item_ids)), len(self._item_ids)

    @property
    def left(self) -> timedelta:
        """The time that is left, zero at the least."""
        return max(timedelta(), timedelta(minutes=self.setting.minutes) - self._watch.elapsed())

    def pause(self) -> None:
        """The page left the screen: the clock stands."""
        self._watch.pause()
        self._item_watch.pause()

    def resume(self) -> None:
        """The page is back."""
        self._watch.resume()
        self._item_watch.resume()

    def go_on(self) -> None:
        """From the question to its follow-up, from there to the answer."""
        self.part = "follow_up" if self.part == "question" else "points"

    def reply_card(self, points: Sequence[int], follow_up: bool, notes: str) -> None:
        """Log a question: which key points were said, and whether the follow-up was answered. StudyError if it cannot."""
        card = self.card
        assert card is not None
        hit, asked = len(set(points)) + follow_up, len(card.key_points) + 1
        self._log(interview_rating(hit / asked), hit, asked, {}, notes)

    def reply_ticket(self) -> None:
        """Log a ticket whose steps are all answered. StudyError if it cannot."""
        diagnosis = self.diagnosis
        assert diagnosis is not None
        steps: dict[str, bool] = {
            step.name: diagnosis.chosen(step).correct for step in diagnosis.ticket.steps
        }
        self._log(diagnosis.suggestion, diagnosis.right, len(steps), steps, "")

    def _log(self, rating: Rating, hit: int, asked: int, steps: Mapping[str, bool], notes: str) -> None:
        duration = self._item_watch.elapsed()
        reply = Reply(
            item_id=self.item_id,
            kind="ticket" if steps else "card",
            rating=rating,
            hit=hit,
            asked=asked,
            steps=steps,
            notes=notes.strip(),
            seconds=duration.total_seconds(),
        )
        detail = detail_of(self.interview_id, self.setting, reply)
        self._desk.answer(self.item_id, rating, duration, detail)
        self.replies += 1
        self._place = self._place + 1 if self.left else len(self._item_ids)
        self._begin_item()

    def _begin_item(self) -> None:
        self._item_watch.start()
        if self.over:
            return
        item = self._asked[self.item_id][1]
        self.diagnosis = Diagnosis(item, self._shuffle) if isinstance(item, Ticket) else None
        self.part = "ticket" if self.diagnosis else "question"
