"""The part of a card on which one answers: a field for a number, a box for words, or options to pick from; after it,
the verdict, or what was typed.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from ladder_desktop.review.answer_field import AnswerField
from ladder_desktop.review.attempt import Attempt
from ladder_desktop.review.numbers_typed import written
from ladder_desktop.review.option_button import OptionButton
from ladder_desktop.review.own_answer import AnswerBox, OwnAnswer
from ladder_desktop.review.prose import PackText
from ladder_desktop.review.step_view import LETTERS, Verdict
from ladder_desktop.theme import Theme


class AttemptView(QWidget):
    """Draws an Attempt. `picked` carries the place of an option that was clicked."""

    picked = Signal(int)

    def __init__(self, text: PackText, theme: Theme) -> None:
        super().__init__()
        self._text = text
        self._theme = theme
        self._attempt: Attempt | None = None
        self._parts: list[QWidget] = []
        self.field: AnswerField | None = None
        self.box: AnswerBox | None = None
        self.buttons: list[OptionButton] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(8)

    @property
    def typed(self) -> str:
        """What stands in the field or the box."""
        if self.field is not None:
            return self.field.line.text()
        return self.box.toPlainText() if self.box is not None else ""

    @typed.setter
    def typed(self, text: str) -> None:
        if self.field is not None:
            self.field.line.setText(text)
        elif self.box is not None:
            self.box.setPlainText(text)

    @property
    def input(self) -> QWidget | None:
        """What is typed into."""
        return self.field.line if self.field is not None else self.box

    def show_attempt(self, attempt: Attempt, typing: bool = False) -> None:
        """Show what waits for an answer; for a card to be answered aloud nothing, or a box to those who type."""
        self._attempt = attempt
        self._clear()
        if typing and attempt.card.kind in ("qa", "cloze"):
            self.box = AnswerBox()
            self._add(self.box)
        if attempt.card.expected is not None:
            self.field = AnswerField(attempt.card.expected.unit)
            self._add(self.field)
        self.buttons = [
            OptionButton(LETTERS[place], option, self._text, self._theme)
            for place, option in enumerate(attempt.options[: len(LETTERS)])
        ]
        for button in self.buttons:
            button.clicked.connect(self._click)
            self._add(button)
        self.setVisible(bool(self._parts))

    def show_result(self) -> None:
        """Put the verdict in the place of the field or of the options."""
        attempt = self._attempt
        self._clear()
        if attempt is None:
            return
        if attempt.card.expected is not None:
            self._add(NumberVerdict(attempt))
        elif attempt.typed:
            self._add(OwnAnswer(attempt.typed, attempt.card))
        if attempt.chosen is not None:
            self._add(Verdict(attempt.chosen, True, self._text))
        if attempt.correct is not None and attempt.chosen is not attempt.correct:
            self._add(Verdict(attempt.correct, False, self._text))

    def _add(self, part: QWidget) -> None:
        self._parts.append(part)
        self._rows.addWidget(part)

    def _clear(self) -> None:
        for part in self._parts:
            self._rows.removeWidget(part)
            part.hide()
            part.deleteLater()
        self._parts.clear()
        self.buttons = []
        self.field = None
        self.box = None

    def _click(self) -> None:
        button = self.sender()
        if isinstance(button, OptionButton) and button in self.buttons:
            self.picked.emit(self.buttons.index(button))


class NumberVerdict(QFrame):
    """The result of a numeric card, what was typed, and which of the two is right."""

    def __init__(self, attempt: Attempt) -> None:
        super().__init__()
        assert attempt.card.expected is not None
        expected = attempt.card.expected
        near = f"within {written(expected.tolerance * 100)} %" if expected.tolerance else "when exact"
        note = f"{'The result, accepted' if attempt.right is False else 'Accepted'} {near}"
        words = {
            None: "The result",
            True: f"✓  Right: you typed {attempt.typed}",
            False: f"✗  Wrong: you typed {attempt.typed}",
        }[attempt.right]
        result = f"{written(expected.value)} {expected.unit}".strip()
        self.setProperty("role", "card")
        rows = QVBoxLayout(self)
        rows.setContentsMargins(14, 10, 14, 12)
        rows.setSpacing(4)
        for text, name in ((words, "verdict"), (result, "reading"), (note, "caption")):
            label = QLabel(text)
            label.setObjectName(name)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            if name == "verdict" and attempt.right is not None:
                label.setProperty("right", "true" if attempt.right else "false")
            rows.addWidget(label)
        self.setAccessibleName(f"{words.lstrip('✓✗ ')}: {result}. {note}")
