"""One card: the question, and after the reveal the answer, its key points, the follow-up and the sources."""

from __future__ import annotations

from ladder_content.model import Card, Study
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QVBoxLayout, QWidget

from ladder_desktop.lessons.cloze_html import blanked
from ladder_desktop.review.attempt import Attempt
from ladder_desktop.review.attempt_view import AttemptView
from ladder_desktop.review.column import Column, tab_through
from ladder_desktop.review.key_points import KeyPoints
from ladder_desktop.review.lab_link import LabLink
from ladder_desktop.review.prose import PackText, Prose, Sources
from ladder_desktop.theme import Theme

WIDTH = 1080
WIDE = 900
CUES = {
    "qa": "Say your answer aloud, then look.",
    "numeric": "Work it out and press Enter, or look.",
    "cloze": "Say what is missing, then look.",
    "lever": "Pick one, or look.",
}
DIFFICULTY = {1: "warm-up", 2: "core", 3: "deep"}


class CardView(Column):
    """Shows one card at a time. Rules about when and how often live elsewhere.

    `picked` carries the place of an option that was clicked, `watched` a scenario that a person wants to see run.
    """

    picked = Signal(int)
    watched = Signal(str)

    def __init__(self, text: PackText, theme: Theme) -> None:
        super().__init__("Question", WIDTH)
        self._overline = QLabel()
        self._overline.setObjectName("overline")
        self._overline.setTextFormat(Qt.TextFormat.PlainText)
        self._question = Prose(text, "question")
        self._answer = Prose(text, "answer")
        self.attempt = AttemptView(text, theme)
        self.attempt.picked.connect(self.picked)
        self.lab = LabLink()
        self.lab.watched.connect(self.watched)
        self.points = KeyPoints(text, theme)
        self._follow_up = Prose(text)
        self._sources = Sources(text)
        self._cue = QLabel()
        self._cue.setProperty("role", "muted")
        self._back = self._build_back()
        self.rows.addSpacing(28)
        for widget in (self._overline, self._question, self.attempt, self._cue, self._back):
            self.rows.addWidget(widget)
        self.rows.addStretch()

    @property
    def revealed(self) -> bool:
        """Whether the answer is on show."""
        return not self._back.isHidden()

    def show_question(
        self, study: Study, card: Card, attempt: Attempt, note: str = "", typing: bool = False
    ) -> None:
        """Show the front of a card, with nothing ticked; with `typing` there is a box for words, too."""
        self._card = card
        self._overline.setText(
            "  ·  ".join(
                (
                    study.title,
                    DIFFICULTY[card.difficulty],
                )
            )
        )
        self._question.set_question(card, False)
        self.attempt.show_attempt(attempt, typing)
        self._answer.set_blocks(card.answer)
        self.points.show_points(card.key_points)
        field = [self.attempt.input] if self.attempt.input is not None else []
        tab_through(self, *field, *self.attempt.buttons, self.lab, *self.points.ticks)
        self._follow_up.set_line(card.follow_up)
        self._aside.setVisible(bool(card.follow_up))
        self._note.setText(note)
        self._note_box.setVisible(bool(note))
        self._sources.show_facts(card.facts)
        self.lab.show_lab(card.lab)
        self._back.hide()
        self._cue.setText("" if self.attempt.box is not None else CUES[card.kind])
        self._cue.show()
        self.setAccessibleName(f"Question: {blanked(card)}")
        self.show_top()

    def reveal(self) -> None:
        """Show the back of the card below its front."""
        self._cue.hide()
        self._question.set_question(self._card, True)
        self.attempt.show_result()
        self._back.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put what one grades against beside the answer where there is room, else below it."""
        super().resizeEvent(event)
        wide = self.viewport().width() >= WIDE
        self._beside.setDirection(
            QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        )

    def _build_back(self) -> QWidget:
        self._aside = _box("THEN THEY ASK", self._follow_up)
        grading = QVBoxLayout()
        grading.setSpacing(18)
        self._note = QLabel()
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setWordWrap(True)
        self._note_box = _box("YOUR NOTE", self._note)
        for widget in (self.points, self._aside, self._note_box, self._sources):
            grading.addWidget(widget)
        grading.addStretch()
        answer = QVBoxLayout()
        answer.addWidget(self._answer)
        answer.addWidget(self.lab, 0, Qt.AlignmentFlag.AlignLeft)
        answer.addStretch()
        self._beside = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._beside.setSpacing(32)
        self._beside.addLayout(answer, 3)
        self._beside.addLayout(grading, 2)
        rule = QFrame()
        rule.setObjectName("rule")
        back = QWidget()
        rows = QVBoxLayout(back)
        rows.setContentsMargins(0, 6, 0, 0)
        rows.setSpacing(18)
        rows.addWidget(rule)
        rows.addLayout(self._beside)
        return back


def _box(title: str, content: QLabel) -> QFrame:
    """Return a quiet box beside the answer."""
    box = QFrame()
    box.setObjectName("aside")
    rows = QVBoxLayout(box)
    rows.setContentsMargins(16, 10, 16, 12)
    caption = QLabel(title)
    caption.setObjectName("overline")
    rows.addWidget(caption)
    rows.addWidget(content)
    return box
