"""The drill: one question at a time, its answer, and four ways to say how it went."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import msgspec
from ladder_content.model import Pack

from ladder_desktop.review.attempt import Attempt
from ladder_desktop.review.card_page import CardPage
from ladder_desktop.review.card_tools import CardTools
from ladder_desktop.review.done_view import DoneView
from ladder_desktop.review.marks_line import MarksLine
from ladder_desktop.review.session_bar import SessionBar
from ladder_desktop.review.session_words import chosen, session_name
from ladder_desktop.review.stopwatch import Stopwatch
from ladder_desktop.review.typing_choice import TypingChoice
from ladder_desktop.review.wording import when
from ladder_desktop.study import Clock, Desk, Item, Mark, Rating, study_day
from ladder_desktop.study.catalogue import catalogue
from ladder_desktop.study.session import Session
from ladder_desktop.theme import Theme


@dataclass(frozen=True)
class Unfinished:
    """A card in the middle of being answered, and what it belongs to."""

    item: Item | None
    attempt: Attempt | None
    session: Session | None
    out_of_turn: bool
    stopwatch: Stopwatch
    typed: str
    revealed: bool
    ticked: list[int]
    scrolled: float


class DrillPage(CardPage):
    """Drills the cards of a pack in the order that the desk gives.

    Besides the queue it goes through sessions (cram, review ahead) and shows one card out of turn.
    `go` asks the window for another page: "tickets", "study:<id>" for a lesson, or "live:<id>" for a scenario.
    """

    title = "Drill"
    key = "drill"

    def __init__(
        self,
        desk: Desk,
        pack: Pack,
        theme: Theme,
        clock: Clock | None = None,
        stopwatch: Stopwatch | None = None,
        shuffle: Random | None = None,
        typing: TypingChoice | None = None,
    ) -> None:
        super().__init__(desk, pack, theme, clock, stopwatch, shuffle, typing)
        self._out_of_turn = False
        self.marks_line = MarksLine(theme)
        self.done_view = DoneView()
        self.done_view.primary.connect(self._go_to_tickets)
        self.done_view.secondary.connect(self._go_to_lesson)
        self._stack.addWidget(self.done_view)
        self.session: Session | None = None
        self.session_bar = SessionBar(theme)
        self.session_bar.left_session.connect(self.leave_session)
        self.session_bar.counts.connect(self._count_session)
        self._rows.insertWidget(self._rows.indexOf(self._stack), self.session_bar)
        self.tools = CardTools(self, pack)
        self._header_row.insertWidget(2, self.marks_line)
        self._header_row.insertSpacing(3, 18)
        self._header_row.addSpacing(18)
        self._header_row.addWidget(self.tools.button)
        self.show_next()

    def show_next(self) -> None:
        """Show the question that comes next, in the session or in the queue, or that nothing is due."""
        with self.reporting():
            if self.session is not None and self.session.current is None:
                self.leave_session()
            elif self.session is not None:
                self._show(self._item(self.session.current or ""))
            else:
                self._show(self.desk.next_item(self.kind))

    def after_rating(self, _item_id: str) -> None:
        """Go on with the next question."""
        self.show_next()

    def show_card(self, card_id: str) -> None:
        """Show one card out of turn; LookupError if the pack has none of that id."""
        item_id = f"{self.pack.id}/{card_id}"
        if item_id not in self._cards:
            raise LookupError(card_id)
        self._out_of_turn = True
        self._show(self._item(item_id))

    def cram(self, query: str) -> None:
        """Go through the cards that fit a query (see catalogue.py); LookupError if none does.

        The schedule is left alone unless the person says otherwise; reviewing ahead counts from the start.
        """
        entries = catalogue(self.desk, self.pack, self.clock.now(), self.clock.zone())
        self.start_session(chosen(entries, query), query)

    def start_session(self, item_ids: list[str], query: str) -> None:
        """Go through these cards, in a shuffled order."""
        shuffled = list(item_ids)
        self._shuffle.shuffle(shuffled)
        self.session = Session(shuffled, session_name(query, self.pack), scheduled=query.startswith("ahead:"))
        self.show_next()
        self.focus_target().setFocus()

    def leave_session(self) -> None:
        """Go back to the queue."""
        if self.session is not None:
            self.session = None
            self._out_of_turn = False
            self.show_next()
            self.focus_target().setFocus()

    def leave(self, item_id: str) -> None:
        """Go on after a card was set aside."""
        if self.session is not None:
            self.session.skip(item_id)
        self._out_of_turn = False
        self.show_next()
        self.focus_target().setFocus()

    def answer(self, item_id: str, rating: Rating) -> str:
        """Give an answer to the desk, or in a session that leaves the schedule alone only to the session."""
        self._out_of_turn = False
        session = self.session
        if session is None or session.current != item_id:
            return super().answer(item_id, rating)
        said = super().answer(item_id, rating) if session.scheduled else _practised(rating)
        session.rate(rating)
        return said

    def undo(self) -> None:
        """Take back the last rating of a session that leaves the schedule alone, or the last thing done."""
        if self.session is None or self.session.scheduled or self.session.last() is None:
            super().undo()
            return
        item_id = self.session.undo()
        self._show(self._item(item_id or ""))
        self.focus_target().setFocus()
        self.say(f"Undid a rating of {self.session.name}", undoable=False)

    def activate(self) -> None:
        """Begin; a question that nobody has looked behind yet gives way to one that has become more urgent."""
        undisturbed = self.session is None and not self._out_of_turn
        if self.item is not None and not self.card_view.revealed and undisturbed:
            with self.reporting():
                urgent = self.desk.next_item(self.kind)
                if urgent != self.item:
                    self._show(urgent)
        super().activate()

    def hand_over(self) -> object:
        """Return the card on show as it stands: what is typed, picked, revealed and ticked."""
        view = self.card_view
        return Unfinished(
            item=self.item,
            attempt=self.attempt,
            session=self.session,
            out_of_turn=self._out_of_turn,
            stopwatch=self.stopwatch,
            typed=self.attempt.typed if self.attempt and view.revealed else view.attempt.typed,
            revealed=view.revealed,
            ticked=view.points.ticked,
            scrolled=view.scrolled,
        )

    def take_over(self, kept: object) -> None:
        """Go on with the card of the page before."""
        if not isinstance(kept, Unfinished) or kept.item is None:
            return
        self.session, self._out_of_turn = kept.session, kept.out_of_turn
        self._show(kept.item, kept.attempt)
        self.stopwatch = kept.stopwatch
        self.card_view.attempt.typed = kept.typed
        if kept.revealed:
            self.reveal()
        for position in kept.ticked:
            self.card_view.points.ticks[position].setChecked(True)
        self.card_view.scroll_back(kept.scrolled)

    def bring_back(self, item_id: str) -> None:
        """Show the question of a card whose rating was undone; a ticket leaves the card on show alone."""
        if item_id not in self._cards:
            self.look_again()
            return
        last = self.session.last() if self.session is not None else None
        if self.session is not None and last is not None and last[0] == item_id:
            self.session.undo()
        self._show(self._item(item_id))

    def refresh(self) -> None:
        """Bring counts, previews and actions up to date with what is on show."""
        super().refresh()
        with self.reporting():
            mark = self.desk.marks.of(self.item.item_id) if self.item else None
            hidden = self.desk.marks.hidden(self.kind)
            today = study_day(self.clock.now(), self.clock.zone())
            words = f"{hidden.buried} buried" if hidden.buried else ""
            self.marks_line.show_mark(mark or Mark(), today, words)
            self.tools.refresh(mark, hidden.buried)
        self.session_bar.show_session(self.session)
        if self.session is not None and not self.session.scheduled:
            self.rating_bar.show_words("comes back", "done")
            if self.session.last() is not None:
                self._name(self.undo_action, "Undo", f"a rating of {self.session.name}")

    def look_again(self) -> None:
        """Leave a card on show alone; where there is none, see whether one has become due."""
        if self.item is None:
            self.show_next()
        else:
            self.refresh()

    def _show(self, item: Item | None, begun: Attempt | None = None) -> None:
        super()._show(item, begun)
        if self.item is None:
            self._show_done()

    def _count_session(self, counts: bool) -> None:
        if self.session is not None:
            self.session.scheduled = counts
            self.refresh()

    def _item(self, item_id: str) -> Item:
        return Item(item_id, self.kind, self._cards[item_id][0].id)

    def _show_done(self) -> None:
        due = self.desk.next_due_at(self.kind)
        line = (
            f"The next card comes {when(due, self.clock.now(), self.clock.zone())}."
            if due
            else "This pack has no cards yet."
        )
        waiting = sum(msgspec.structs.astuple(self.desk.counts("ticket")))
        ticket = f"Answer a ticket ({waiting} waiting)" if waiting else "Answer a ticket"
        has_tickets = any(study.tickets for study in self.pack.studies)
        self._stack.setCurrentWidget(self.done_view)
        self.done_view.say("Nothing is due", line, ticket if has_tickets else "", "Read a lesson")

    def _go_to_tickets(self) -> None:
        self.go.emit("tickets")

    def _go_to_lesson(self) -> None:
        self.go.emit(f"study:{self.pack.studies[0].id}")


def _practised(rating: Rating) -> str:
    """Say what a rating does in a session that leaves the schedule alone."""
    return "Again: it comes once more" if rating is Rating.AGAIN else f"{rating.name.capitalize()}: done"
