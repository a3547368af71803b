"""An interview that is being sat: what is asked, the points to tick, tickets, and the button that goes on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from ladder_desktop.interview.question_view import Answering, QuestionView
from ladder_desktop.interview.session import Session
from ladder_desktop.review.announce import announce
from ladder_desktop.review.footer import Footer
from ladder_desktop.review.key_button import KeyButton
from ladder_desktop.review.prose import PackText
from ladder_desktop.review.ticket_board import TicketBoard
from ladder_desktop.theme import Theme

NEXT = {"question": "On to the follow-up", "follow_up": "Show a strong answer", "points": "Next"}


class Sitting(QWidget):
    """Shows one session at a time. `read` reads something aloud, or nothing for an empty text.

    `go_on` and `end` are emitted when somebody asks for them; the page does what is to be done.
    """

    go_on = Signal()
    end = Signal()

    def __init__(self, text: PackText, theme: Theme, read: Callable[[str], None]) -> None:
        super().__init__()
        self._read = read
        self.session: Session | None = None
        self.question = QuestionView(text, theme)
        self.board = TicketBoard(text, theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.question)
        self._stack.addWidget(self.board)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self._stack, 1)
        rows.addWidget(self._make_footer())

    @property
    def options(self) -> int:
        """How many options the current step of a ticket offers; 0 if nothing is to be picked."""
        diagnosis = self.session.diagnosis if self.session else None
        step = diagnosis.current if diagnosis else None
        return len(step.options) if step else 0

    def begin(self, session: Session) -> None:
        """Ask the first item of a session."""
        self.session = session
        self._show_item()

    def go_on_with(self, session: Session, answer: Answering) -> None:
        """Show a session as it stood; what somebody has heard already is not read aloud again."""
        self.session = session
        self._show_item(anew=False)
        if session.card is not None:
            self.question.show_part(session.part)
            self.question.go_on_with(answer)
            self.refresh()

    def advance(self) -> bool:
        """Go to the next part of a question, or log the item and ask the next one; return whether one was logged."""
        session = self.session
        if session is None or self.options:
            return False
        if session.part in ("question", "follow_up"):
            session.go_on()
            self.question.show_part(session.part)
            card = session.card
            self._read(card.follow_up if card is not None and session.part == "follow_up" else "")
            self.refresh()
            self.take_keyboard()
            return False
        if session.part == "ticket":
            session.reply_ticket()
        else:
            ticked, said = self.question.points.ticked, self.question.follow_up_said.isChecked()
            session.reply_card(ticked, said, self.question.notes.toPlainText())
        if not session.over:
            self._show_item()
        return True

    def pick(self, place: int) -> None:
        """Answer the current step of a ticket with the option shown at this place."""
        diagnosis = self.session.diagnosis if self.session else None
        step = diagnosis.pick(place) if diagnosis else None
        if diagnosis is None or step is None:
            return
        self.board.show_answer()
        chosen = diagnosis.chosen(step)
        announce(self, f"{'Right' if chosen.correct else 'Wrong'}. {chosen.why}")
        self.refresh()
        self.take_keyboard()

    def leave(self) -> Session | None:
        """Part with the session and return it."""
        session, self.session = self.session, None
        self._read("")
        return session

    def take_keyboard(self) -> None:
        """Put the keyboard where one answers."""
        if self._stack.currentWidget() is self.board:
            self.board.right.setFocus()
        elif self.session is not None and self.session.part != "points":
            self.question.notes.setFocus()
        else:
            self.question.setFocus()

    def refresh(self) -> None:
        """Say where one is and what comes next."""
        session = self.session
        if session is None:
            return
        number, count = session.position
        self._where.setText(f"{number} of {count}")
        self._next.setText("Next" if session.part == "ticket" else NEXT[session.part])
        self._next.setVisible(not self.options)
        self._hint.setText("A to D answer" if self.options else "Ctrl+Enter goes on")

    def _show_item(self, anew: bool = True) -> None:
        session = self.session
        assert session is not None
        if session.card is not None:
            self.question.show_card(session.study, session.card)
            self._stack.setCurrentWidget(self.question)
            asked = said = session.card.question
        else:
            assert session.diagnosis is not None
            ticket = session.diagnosis.ticket
            self.board.show_diagnosis(session.study, session.diagnosis)
            self._stack.setCurrentWidget(self.board)
            asked, said = f"{ticket.title}. {ticket.scenario}", ticket.scenario
        if anew:
            announce(self, asked)
            self._read(said)
        self.refresh()
        self.take_keyboard()

    def _make_footer(self) -> Footer:
        self._next = KeyButton()
        self._next.setProperty("role", "primary")
        self._next.setAccessibleName("Go on")
        self._next.clicked.connect(self.go_on)
        leave = KeyButton("End the interview")
        leave.setAccessibleName("End the interview")
        leave.clicked.connect(self.end)
        self._where = QLabel()
        self._where.setObjectName("caption")
        left = QWidget()
        across = QHBoxLayout(left)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(16)
        across.addWidget(leave)
        across.addWidget(self._where)
        footer = Footer()
        self._hint = footer.add_part(self._next, left=left)
        return footer
