"""The Q&A tab: the study's questions, each with an answer that stays hidden until it is asked for."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from ladder_content.model import Card, Study
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.actions import make_action
from ladder_desktop.focus import PassesFocus
from ladder_desktop.lessons.card_html import answer_html, question_html
from ladder_desktop.lessons.cloze_html import blanked
from ladder_desktop.lessons.markdown import Markdown, plain_html
from ladder_desktop.lessons.reader import Reader
from ladder_desktop.lessons.wrapped import wrap_items
from ladder_desktop.theme import Theme

HIDDEN = '<p class="muted">Say your answer aloud, then press Space.</p>'
SIDE_BY_SIDE = 640


class QuestionsView(PassesFocus):
    """Questions on the left; on the right the question, and after Space or Enter its answer."""

    link_activated = Signal(str, QPoint)

    def __init__(self, study: Study, markdown: Markdown, theme: Theme) -> None:
        super().__init__()
        self._cards = study.cards  # in the person's own words, where there are any
        self._markdown = markdown
        self._theme = theme
        self._revealed = False
        self._sought = ""
        self._found: list[int] = []
        self.questions = _Questions(study.cards, markdown)
        self.reader = Reader(theme, "Question and answer")
        self.reveal_action = make_action(
            self, "questions.reveal", "Show or hide the answer", self.toggle_answer, ["Space"]
        )
        self.reveal = QPushButton()
        self.reveal.setProperty("role", "primary")
        self.reveal.clicked.connect(self.toggle_answer)
        self.progress = QLabel()
        self.progress.setProperty("role", "muted")
        self._lay_out()
        self.questions.currentRowChanged.connect(self._show)
        self.questions.asked.connect(self.toggle_answer)
        self.reader.link_activated.connect(self.link_activated)
        self.first_focus = self.questions
        self._show(self.questions.currentRow())

    def show_words(self, cards: tuple[Card, ...]) -> None:
        """Take over the same cards in other words; what is on show stays on show."""
        if cards == self._cards:
            return
        self._cards = cards
        vars(self).pop("_words", None)
        self.questions.name(cards, self._markdown)
        self._refresh()

    @property
    def current(self) -> Card | None:
        """The card whose question is shown."""
        row = self.questions.currentRow()
        return self._cards[row] if 0 <= row < len(self._cards) else None

    @property
    def revealed(self) -> bool:
        """Whether the answer can be seen."""
        return self._revealed

    def show_card(self, card_id: str) -> bool:
        """Go to a question, its answer hidden; an unknown id changes nothing."""
        for row, card in enumerate(self._cards):
            if card.id == card_id:
                self.questions.setCurrentRow(row)
                return True
        return False

    def show_place(self, element: str) -> bool:
        """Show a question by its id; False if there is none."""
        return self.show_card(element)

    @property
    def place(self) -> str:
        """The id of the question that is shown."""
        return self.current.id if self.current else ""

    @property
    def start(self) -> str:
        """The question to begin with."""
        return self.place

    @start.setter
    def start(self, place: str) -> None:
        self.show_card(place)

    def point_of(self, _card_id: str, address: str) -> QPoint | None:
        """Bring the first link to an address into view, in the answer."""
        if not self._revealed:
            self.toggle_answer()
        return self.reader.link_point(address)

    def to_read(self) -> tuple[Reader, int, int | None]:
        """Return the text that can be read aloud: all of it."""
        return self.reader, 0, None

    def find_all(self, text: str) -> int:
        """Mark every question that holds a text, in itself or in its answer, and return how many do."""
        self._sought = text
        wanted = text.casefold()
        self._found = [row for row, words in enumerate(self._words) if wanted and wanted in words]
        self.questions.embolden(self._found)
        self.reader.matches.find(text)
        return len(self._found)

    def first_match(self) -> int:
        """Return the first match from the present question on."""
        here = self.questions.currentRow()
        return next((i for i, row in enumerate(self._found) if row >= here), 0)

    def show_match(self, index: int) -> None:
        """Show a question that holds the text, and its answer where that is what holds it."""
        self.questions.setCurrentRow(self._found[index])
        if not self.reader.matches.find(self._sought) and not self._revealed:
            self.toggle_answer()
        if self.reader.matches.find(self._sought):
            self.reader.matches.show(0)

    @cached_property
    def _words(self) -> list[str]:
        """The words of each question and its answer, without capitals."""
        return [
            plain_html(
                question_html(card, self._markdown, self._theme, True) + answer_html(card, self._markdown)
            ).casefold()
            for card in self._cards
        ]

    def toggle_answer(self) -> None:
        """Show the answer, or hide it again."""
        if self.current is not None:
            self._revealed = not self._revealed
            self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the questions above the answer where there is no room beside it."""
        super().resizeEvent(event)
        wide = self.width() >= SIDE_BY_SIDE
        way = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self._split.orientation() != way:
            self._split.setOrientation(way)
            whole = self.width() if wide else self.height()
            self._split.setSizes([whole // 3, whole - whole // 3])

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setContentsMargins(28, 10, 28, 14)
        foot.addWidget(self.reveal)
        foot.addStretch(1)
        foot.addWidget(self.progress)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.reader, 1)
        column.addLayout(foot)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.addWidget(self.questions)
        self._split.addWidget(right)
        self._split.setStretchFactor(1, 1)
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(1)
        self._split.setSizes([300, 700])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._split)

    def _show(self, _row: int) -> None:
        self._revealed = False
        self._refresh()

    def _refresh(self) -> None:
        card = self.current
        self.reveal.setEnabled(card is not None)
        self.reveal_action.setEnabled(card is not None)
        self.reveal.setText("Hide the answer" if self._revealed else "Show the answer")
        self.reveal.setAccessibleName(self.reveal.text())
        self.reveal.setToolTip("Space or Enter")
        if card is None:
            self.reader.show_html('<p class="muted">This study has no questions yet.</p>')
            return
        self.progress.setText(f"{self.questions.currentRow() + 1} of {len(self._cards)}")
        question = question_html(card, self._markdown, self._theme, self._revealed)
        answer = answer_html(card, self._markdown) if self._revealed else HIDDEN
        self.reader.show_html(question + answer)
        self.reader.matches.find(self._sought)


class _Questions(QListWidget):
    """The list; Enter asks for the answer."""

    asked = Signal()

    def __init__(self, cards: tuple[Card, ...], markdown: Markdown) -> None:
        super().__init__()
        self.setAccessibleName("Questions")
        wrap_items(self)
        self.setMinimumWidth(220)
        self.setMinimumHeight(120)
        for _ in cards:
            QListWidgetItem(self)
        self.name(cards, markdown)
        self.setCurrentRow(0)

    def name(self, cards: tuple[Card, ...], markdown: Markdown) -> None:
        """Write the question of each card."""
        for row, card in enumerate(cards):
            self.item(row).setText(f"{row + 1}.  {markdown.plain(blanked(card))}")

    def embolden(self, rows: Collection[int]) -> None:
        """Set these questions in bold, and no others."""
        font = QFont(self.font())
        for row in range(self.count()):
            font.setBold(row in rows)
            self.item(row).setFont(font)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter shows or hides the answer."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.asked.emit()
        else:
            super().keyPressEvent(event)
