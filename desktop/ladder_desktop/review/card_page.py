"""A page that shows one card at a time: its question, what is answered to it, and then its answer."""

from __future__ import annotations

from random import Random

from ladder_content.model import Card, Pack
from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from ladder_desktop.lessons.cloze_html import blanked
from ladder_desktop.review.announce import announce
from ladder_desktop.review.attempt import Attempt
from ladder_desktop.review.card_view import CardView
from ladder_desktop.review.footer import Footer
from ladder_desktop.review.key_button import KeyButton
from ladder_desktop.review.review_page import GO_ON, ReviewPage
from ladder_desktop.review.step_view import LETTERS
from ladder_desktop.review.stopwatch import Stopwatch
from ladder_desktop.review.typing_choice import Aloud, TypingChoice
from ladder_desktop.study import Clock, Desk, Item
from ladder_desktop.study.overlay import reworded
from ladder_desktop.theme import Theme


class CardPage(ReviewPage):
    """Shows the card of `item`. Which comes next is for a subclass to say.

    `shuffle` orders the options of lever cards; `typing` says whether there is a box to type words into. `go` asks the
    window for another page.
    """

    kind = "card"
    go = Signal(str)

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
        super().__init__(desk, pack, theme, clock, stopwatch)
        self._typing = typing or Aloud()
        self._cards = {
            f"{pack.id}/{card.id}": (study, card) for study in pack.studies for card in study.cards
        }
        self._shuffle = shuffle or Random()
        self.theme = theme
        self.attempt: Attempt | None = None
        self.card_view = CardView(self.text, theme)
        self.card_view.picked.connect(self.pick)
        self.card_view.watched.connect(self._watch)
        self.reveal_button = KeyButton("Show answer")
        self.reveal_button.setProperty("role", "primary")
        self.reveal_button.setAccessibleName("Show answer")
        self.reveal_button.clicked.connect(self.reveal)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.card_view)
        self._footer = self._build_footer()
        self._rows.addWidget(self._stack, 1)
        self._rows.addWidget(self._footer)
        self.reveal_action = self.make_action(
            "reveal", "Show answer", self.reveal, *GO_ON, "Ctrl+Return", "Ctrl+Enter"
        )
        self.accept_action = self.make_action("accept", "Rate as suggested", self._accept, *GO_ON)
        self._pick_actions = [self._make_pick_action(place) for place in range(len(LETTERS))]
        self.typing_action = self.make_action("type", "Type answers", self._turn_typing, "T")
        self.typing_action.setCheckable(True)
        self.typing_action.setChecked(self._typing.typed_answers)

    def activate(self) -> None:
        """Do as the settings say, where they were changed meanwhile, and begin."""
        if self.typing_action.isChecked() != self._typing.typed_answers:
            self.typing_action.setChecked(self._typing.typed_answers)
            self._turn_typing()
        super().activate()

    def focus_target(self) -> QWidget:
        """Return the field to type into, or the text, so that arrow and page keys scroll it."""
        if self.item is None:
            return self
        return self.card_view.attempt.input or self.card_view

    def reveal(self) -> None:
        """Take what was typed, and show the answer of the question on show."""
        if self.item is None or self.attempt is None or self.card_view.revealed:
            return
        view = self.card_view.attempt
        if view.input is not None and not self.attempt.submit(view.typed):
            if view.field is not None:
                announce(self, view.field.refuse())
            return
        self.card_view.reveal()
        self._suggest(self.attempt)
        self._footer.show_part(1)
        self.reveal_action.setEnabled(False)
        self.refresh()
        self.focus_target().setFocus()
        verdict = {None: "Answer", True: "Right", False: "Wrong"}[self.attempt.right]
        announce(self, f"{verdict}: {self.attempt.card.answer}")

    def pick(self, place: int) -> None:
        """Answer a lever card with the option shown at this place."""
        if self.attempt is not None and not self.card_view.revealed and self.attempt.pick(place):
            self.reveal()

    def refresh(self) -> None:
        """Bring counts, previews and actions up to date with what is on show."""
        super().refresh()
        self.accept_action.setEnabled(self.can_rate())
        waiting = self.attempt is not None and self.item is not None and not self.card_view.revealed
        for place, action in enumerate(self._pick_actions):
            action.setEnabled(waiting and self.attempt is not None and place < len(self.attempt.options))

    def can_rate(self) -> bool:
        """Whether the answer is on show."""
        return self.item is not None and self.card_view.revealed

    def detail(self) -> dict[str, object]:
        """Return which key points were ticked, by position, and of how many, and what was typed or picked."""
        answer = self.attempt.detail() if self.attempt else {}
        return {"ticked": self.card_view.points.ticked, "of": len(self.card_view.points.ticks), **answer}

    def shown_card(self) -> Card | None:
        """Return the pack's card behind the one on show."""
        return self._cards[self.item.item_id][1] if self.item is not None else None

    def show_again(self, said: str) -> None:
        """Show the card in its new words, as far as it was."""
        revealed = self.card_view.revealed
        self._show(self.item)
        if revealed:
            self.reveal()
        self.say(said, undoable=True)
        self.answered.emit()

    def _show(self, item: Item | None, begun: Attempt | None = None) -> None:
        """Show the question of an item, or that there is none; `begun` is an attempt at it that goes on."""
        self.item = item if item is not None and item.item_id in self._cards else None
        self.attempt = None if self.item is None else self._ask(self.item, begun)
        self._footer.setVisible(self.item is not None)
        self._footer.show_part(0)
        self.reveal_action.setEnabled(self.item is not None)
        self.refresh()

    def _ask(self, item: Item, begun: Attempt | None) -> Attempt:
        study, card = self._cards[item.item_id]
        card = reworded(card, self.desk.words.edits(item.item_id))
        attempt = begun or Attempt(card, self._shuffle)
        note = self.desk.words.note(item.item_id)
        self.card_view.show_question(study, card, attempt, note, self._typing.typed_answers)
        self._stack.setCurrentWidget(self.card_view)
        self._suggest(attempt)
        typed = self.card_view.attempt.box is not None
        self._reveal_hint.setText("Ctrl+Enter shows the answer" if typed else _hint(card))
        self.stopwatch.start()
        announce(self, blanked(card))
        return attempt

    def _suggest(self, attempt: Attempt) -> None:
        """Dress the rating that fits, and let Space and Enter give it."""
        suggestion = attempt.suggestion
        self.rating_bar.emphasise(suggestion)
        name = suggestion.name.capitalize()
        self._rating_hint.setText(f"Space is {name}")
        self.suggestion.setText("" if attempt.right is None else f"Suggested: {name}")

    def _turn_typing(self) -> None:
        """Have a box to type words into, or none, from this card on."""
        self._typing.typed_answers = self.typing_action.isChecked()
        if self.item is not None and not self.card_view.revealed:
            self._show(self.item, self.attempt)
            self.focus_target().setFocus()

    def _accept(self) -> None:
        if self.attempt is not None:
            self.rate(self.attempt.suggestion)

    def _pick_by_key(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and action in self._pick_actions:
            self.pick(self._pick_actions.index(action))

    def _make_pick_action(self, place: int) -> QAction:
        letter = LETTERS[place]
        return self.make_action(
            f"option-{letter.lower()}", f"Option {letter}", self._pick_by_key, letter, str(place + 1)
        )

    def _watch(self, scenario: str) -> None:
        self.go.emit(f"live:{scenario}")

    def _build_footer(self) -> Footer:
        self.suggestion = QLabel()
        self.suggestion.setObjectName("caption")
        footer = Footer()
        self._reveal_hint = footer.add_part(self.reveal_button, hint="Space shows the answer")
        self._rating_hint = footer.add_part(self.rating_bar, left=self.suggestion, hint="Space is Good")
        return footer


def _hint(card: Card) -> str:
    """Say which key goes on."""
    if card.options:
        return f"A to {LETTERS[: len(card.options)][-1]} answers"
    return "Enter checks it" if card.expected is not None else "Space shows the answer"
