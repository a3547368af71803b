"""The tickets: a list of them, and one at a time on the board, answered in four steps, with hints that cost points,
and rated like a card.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from ladder_content.model import STEP_NAMES, Pack
from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from ladder_desktop.review.announce import announce
from ladder_desktop.review.diagnosis import Diagnosis
from ladder_desktop.review.footer import Footer
from ladder_desktop.review.hint_bar import written_points
from ladder_desktop.review.key_button import KeyButton
from ladder_desktop.review.review_page import GO_ON, ReviewPage
from ladder_desktop.review.step_view import LETTERS
from ladder_desktop.review.stopwatch import Stopwatch
from ladder_desktop.review.ticket_board import TicketBoard
from ladder_desktop.review.ticket_list import Entry, TicketList
from ladder_desktop.review.ticket_state import ticket_state
from ladder_desktop.study import Clock, Desk, Item
from ladder_desktop.theme import Theme

LIST_WIDTH = 860
LONGEST = timedelta(minutes=10)  # a ticket is read and thought about far longer than a card


@dataclass(frozen=True)
class Unfinished:
    """A ticket in the middle of being diagnosed, and those that were begun and left."""

    item: Item | None
    diagnosis: Diagnosis | None
    left: dict[str, Diagnosis]
    rated: dict[str, Diagnosis]
    stopwatch: Stopwatch
    scrolled: tuple[float, float]


class TicketPage(ReviewPage):
    """Answers the tickets of a pack. `shuffle` orders the options; a test may give one with a seed.

    `go` asks the window for another page: "live:<id>" for the scenario that shows a ticket, with "?compare" behind it if
    it has variants to show side by side. `variants` returns their names for the id of a scenario.
    """

    title = "Tickets"
    key = "tickets"
    kind = "ticket"
    go = Signal(str)

    def __init__(
        self,
        desk: Desk,
        pack: Pack,
        theme: Theme,
        clock: Clock | None = None,
        stopwatch: Stopwatch | None = None,
        shuffle: Random | None = None,
        variants: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        super().__init__(desk, pack, theme, clock, stopwatch or Stopwatch(LONGEST))
        self._tickets = {
            f"{pack.id}/{ticket.id}": (study, ticket) for study in pack.studies for ticket in study.tickets
        }
        self._shuffle = shuffle or Random()
        self._left: dict[str, Diagnosis] = {}  # begun and left: opening the ticket goes on with it
        self._rated: dict[str, Diagnosis] = {}  # rated: undoing the rating goes back to it
        self.diagnosis: Diagnosis | None = None
        self.list = TicketList(theme)
        self.list.opened.connect(self.open_ticket)
        self.board = TicketBoard(self.text, theme, hints=True, variants=variants)
        self.board.picked.connect(self.pick)
        self.board.watched.connect(self._watch)
        self.board.strike_wanted.connect(self.strike)
        self.board.reading_wanted.connect(self.show_reading)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._build_list_view())
        self._stack.addWidget(self.board)
        self._footer = self._build_footer()
        self._rows.addWidget(self._stack, 1)
        self._rows.addWidget(self._footer)
        self._pick_actions = [self._make_pick_action(place) for place in range(len(LETTERS))]
        self._strike_action = self.make_action("hint", "Hint: strike out a wrong option", self.strike, "H")
        self._reading_action = self.make_action(
            "reading", "Hint: show the reading that decides", self.show_reading, "R"
        )
        self._open_action = self.make_action("open", "Open the ticket", self.list.open_current, *GO_ON)
        self._accept_action = self.make_action("accept", "Rate as suggested", self._accept, *GO_ON)
        self.back_action = self.make_action("back", "Back to the tickets", self.show_next, "Esc")
        self.show_next()

    def show_next(self) -> None:
        """Show the list, with the most urgent ticket selected."""
        self._leave_board()
        self.list.select_first()

    def after_rating(self, item_id: str) -> None:
        """Keep the answers for an undo, and go back to the list."""
        if self.diagnosis is not None:
            self._rated[item_id] = self.diagnosis
        self.diagnosis = None
        self.show_next()

    def bring_back(self, item_id: str) -> None:
        """Show a ticket whose rating was undone with the answers it had; for anything else, what was on show."""
        if item_id in self._rated:
            self._leave_board()
            self._show_board(item_id, self._rated.pop(item_id))
        else:
            self.look_again()

    def look_again(self) -> None:
        """Bring the list up to date; a ticket on the board stays as it is."""
        if self.item is None:
            self._fill_list()
        self.refresh()

    def open_ticket(self, item_id: str) -> None:
        """Put a ticket on the board: as it was left, or unanswered."""
        if self.item is None:
            begun = self._left.pop(item_id, None)
            self._show_board(item_id, begun or Diagnosis(self._tickets[item_id][1], self._shuffle))

    def show_ticket(self, ticket_id: str) -> None:
        """Put a ticket on the board, as it was left; LookupError if the pack has none of this id."""
        item_id = f"{self.pack.id}/{ticket_id}"
        if item_id not in self._tickets:
            raise LookupError(ticket_id)
        if self.item is None or self.item.item_id != item_id:
            self._leave_board()
            self.open_ticket(item_id)

    @property
    def place(self) -> str:
        """The target of what is on screen: the ticket on the board, or the list."""
        return f"ticket:{self.item.item_id.partition('/')[2]}" if self.item is not None else self.key

    def hand_over(self) -> object:
        """Return the ticket on the board as it stands, and those that were left."""
        scrolled = self.board.left.scrolled, self.board.right.scrolled
        return Unfinished(self.item, self.diagnosis, self._left, self._rated, self.stopwatch, scrolled)

    def take_over(self, kept: object) -> None:
        """Go on with the ticket of the page before."""
        if not isinstance(kept, Unfinished):
            return
        self._left, self._rated = kept.left, kept.rated
        if kept.item is not None and kept.diagnosis is not None:
            self._show_board(kept.item.item_id, kept.diagnosis)
            self.stopwatch = kept.stopwatch
            for column, share in zip((self.board.left, self.board.right), kept.scrolled, strict=True):
                column.scroll_back(share)

    def pick(self, place: int) -> None:
        """Answer the current step with the option shown at this place."""
        step = self.diagnosis.pick(place) if self.diagnosis else None
        if step is None or self.diagnosis is None:
            return
        self.board.show_answer()
        chosen = self.diagnosis.chosen(step)
        announce(self, f"{'Right' if chosen.correct else 'Wrong'}. {chosen.why}")
        self.refresh()
        self.focus_target().setFocus()

    def strike(self) -> None:
        """Take a hint: a wrong option of the current step is struck out."""
        option = self.diagnosis.strike() if self.diagnosis else None
        if option is not None:
            self._show_hint(f"Struck out: {option.text}")

    def show_reading(self) -> None:
        """Take a hint: the reading that decides the current step is marked."""
        metric = self.diagnosis.show_reading() if self.diagnosis else None
        if metric is not None:
            self._show_hint(f"The reading that decides: {metric.name}: {metric.value}")

    def focus_target(self) -> QWidget:
        """Return the list, or the steps, so that arrow and page keys move them."""
        return self.list if self.item is None else self.board.right

    def can_rate(self) -> bool:
        """Whether all four steps are answered."""
        return self.item is not None and self.diagnosis is not None and self.diagnosis.current is None

    def detail(self) -> dict[str, object]:
        """Return what was picked in each step, how many were right, and the hints taken."""
        return self.diagnosis.detail() if self.diagnosis else {}

    def refresh(self) -> None:
        """Bring footer and actions up to date with what is on show."""
        super().refresh()
        rating, answering = self.can_rate(), self.item is not None and not self.can_rate()
        if rating and self.diagnosis is not None:
            suggestion = self.diagnosis.suggestion
            self.rating_bar.emphasise(suggestion)
            why = f" ({written_points(self.diagnosis.points)})" if self.diagnosis.hints else ""
            self.suggestion.setText(f"Suggested: {suggestion.name.capitalize()}{why}")
        step = self.diagnosis.current if self.diagnosis is not None else None
        if answering and self.diagnosis is not None and step is not None:
            self._progress.setText(f"Step {len(self.diagnosis.answered) + 1} of {len(STEP_NAMES)}")
            self._keys.setText(f"A to {LETTERS[len(step.options) - 1]} answers")
        hinting = self.diagnosis if answering else None
        self._strike_action.setEnabled(hinting is not None and hinting.can_strike)
        self._reading_action.setEnabled(hinting is not None and hinting.can_show_reading)
        struck = self.diagnosis.struck(step) if self.diagnosis is not None and step is not None else ()
        self._footer.show_part(2 if rating else 1 if answering else 0)
        for place, action in enumerate(self._pick_actions):
            action.setEnabled(step is not None and place < len(step.options) and place not in struck)
        self._accept_action.setEnabled(rating)
        self.back_action.setEnabled(self.item is not None)
        self._open_action.setEnabled(self.item is None)

    def _show_hint(self, sentence: str) -> None:
        self.board.show_hint()
        announce(self, sentence)
        self.refresh()
        self.focus_target().setFocus()

    def _show_board(self, item_id: str, diagnosis: Diagnosis) -> None:
        study, ticket = self._tickets[item_id]
        self.item = Item(item_id, self.kind, study.id)
        self.diagnosis = diagnosis
        self.board.show_diagnosis(study, diagnosis)
        self._stack.setCurrentWidget(self.board)
        self.stopwatch.start()
        self.refresh()
        self.focus_target().setFocus()
        announce(self, f"{ticket.title}. {ticket.scenario}")

    def _leave_board(self) -> None:
        if self.item is not None and self.diagnosis is not None:
            self._left[self.item.item_id] = self.diagnosis
        self.item = None
        self.diagnosis = None
        self._fill_list()
        self._stack.setCurrentIndex(0)
        self.refresh()
        self.focus_target().setFocus()

    def _fill_list(self) -> None:
        with self.reporting():
            memories = {state.item.item_id: state.memory for state in self.desk.states()}
            now, zone = self.clock.now(), self.clock.zone()
            self.list.show_entries(
                [
                    Entry(item_id, study, ticket, ticket_state(memories.get(item_id), now, zone))
                    for item_id, (study, ticket) in self._tickets.items()
                ]
            )

    def _accept(self) -> None:
        if self.diagnosis is not None:
            self.rate(self.diagnosis.suggestion)

    def _watch(self, scenario: str) -> None:
        self.go.emit(f"live:{scenario}")

    def _pick_by_key(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and action in self._pick_actions:
            self.pick(self._pick_actions.index(action))

    def _make_pick_action(self, place: int) -> QAction:
        letter = LETTERS[place]
        return self.make_action(
            f"option-{letter.lower()}", f"Option {letter}", self._pick_by_key, letter, str(place + 1)
        )

    def _build_list_view(self) -> QWidget:
        view = QWidget()
        middle = QWidget()
        middle.setMaximumWidth(LIST_WIDTH)
        intro = QLabel("Read the numbers, name what binds, and only then reach for a lever.")
        intro.setProperty("role", "muted")
        rows = QVBoxLayout(middle)
        rows.setContentsMargins(24, 8, 24, 8)
        rows.setSpacing(10)
        rows.addWidget(intro)
        rows.addWidget(self.list, 1)
        across = QHBoxLayout(view)
        across.setContentsMargins(0, 0, 0, 0)
        across.addStretch(1)
        across.addWidget(middle, 1000)
        across.addStretch(1)
        return view

    def _build_footer(self) -> Footer:
        self.open_button = KeyButton("Open the ticket")
        self.open_button.setProperty("role", "primary")
        self.open_button.setAccessibleName("Open the selected ticket")
        self.open_button.clicked.connect(self.list.open_current)
        back_button = KeyButton("Back to the tickets")
        back_button.setAccessibleName("Back to the tickets")
        back_button.clicked.connect(self.show_next)
        self.suggestion = QLabel()
        self.suggestion.setObjectName("caption")
        footer = Footer()
        footer.add_part(self.open_button, hint="Space opens it")
        self._progress = QLabel()
        self._keys = footer.add_part(self._progress, left=back_button)
        footer.add_part(self.rating_bar, left=self.suggestion, hint="Space takes it")
        return footer
