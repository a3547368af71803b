"""One question of an interview: the question, then its follow-up, then what a strong answer holds."""

from __future__ import annotations

from dataclasses import dataclass

from ladder_content.model import Card, Study
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QWidget

from ladder_desktop.interview.session import Part
from ladder_desktop.review.column import Column, tab_through
from ladder_desktop.review.key_points import KeyPoints
from ladder_desktop.review.prose import PackText, Prose
from ladder_desktop.review.tick import Tick
from ladder_desktop.theme import Theme

NOTES_HEIGHT = 110


@dataclass(frozen=True)
class Answering:
    """What somebody has written and ticked so far, and how far down they are."""

    notes: str
    ticked: list[int]
    follow_up_said: bool
    scrolled: float


class Notes(QPlainTextEdit):
    """Room to type. Ctrl+Enter is the page's, and Tab leaves the field."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("notes")
        self.setAccessibleName("Notes to your answer")
        self.setPlaceholderText("Answer aloud. Notes, if you like, go here.")
        self.setTabChangesFocus(True)
        self.setFixedHeight(NOTES_HEIGHT)

    def event(self, event: QEvent) -> bool:
        """Leave Ctrl+Enter to the page."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            event.ignore()
            return True
        return super().event(event)


class QuestionView(Column):
    """Draws a card of the interview; the page says which part of it."""

    def __init__(self, text: PackText, theme: Theme) -> None:
        super().__init__("Question")
        self._study = QLabel()
        self._study.setObjectName("overline")
        self._study.setTextFormat(Qt.TextFormat.PlainText)
        self._question = Prose(text, "question")
        self.notes = Notes()
        self._follow_up_head = QLabel("FOLLOW-UP")
        self._follow_up_head.setObjectName("overline")
        self._follow_up = Prose(text, "prompt")
        self._answer = Prose(text, "answer")
        self.points = KeyPoints(text, theme)
        self.follow_up_said = Tick("I had a sound answer to the follow-up", theme)
        self._tick_row = QWidget()
        across = QHBoxLayout(self._tick_row)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(10)
        across.addWidget(self.follow_up_said)
        across.addWidget(QLabel("I had a sound answer to the follow-up"), 1)
        for widget in (
            self._study,
            self._question,
            self.notes,
            self._follow_up_head,
            self._follow_up,
            self._answer,
            self.points,
            self._tick_row,
        ):
            self.rows.addWidget(widget)
        self.rows.addStretch()

    def show_card(self, study: Study, card: Card) -> None:
        """Show the question alone."""
        self._study.setText(study.title)
        self._question.set_line(card.question)
        self.notes.clear()
        self._follow_up.set_line(card.follow_up)
        self._answer.set_blocks(card.answer)
        self.points.show_points(card.key_points)
        self.follow_up_said.setChecked(False)
        tab_through(self.notes, *self.points.ticks, self.follow_up_said)
        self.show_part("question")
        self.show_top()

    def answering(self) -> Answering:
        """Return what is written and ticked so far."""
        said = self.follow_up_said.isChecked()
        return Answering(self.notes.toPlainText(), self.points.ticked, said, self.scrolled)

    def go_on_with(self, answer: Answering) -> None:
        """Write and tick what another view had."""
        self.notes.setPlainText(answer.notes)
        for position in answer.ticked:
            self.points.ticks[position].setChecked(True)
        self.follow_up_said.setChecked(answer.follow_up_said)
        self.scroll_back(answer.scrolled)

    def show_part(self, part: Part) -> None:
        """Show as much as this part shows."""
        asked, solved = part != "question", part == "points"
        self._follow_up_head.setVisible(asked)
        self._follow_up.setVisible(asked)
        self._answer.setVisible(solved)
        self.points.setVisible(solved)
        self._tick_row.setVisible(solved)
        if asked:
            self.bring_into_view(self._answer if solved else self._follow_up)
