"""One step of a diagnosis: its options while it waits, and what was right once it is answered."""

from __future__ import annotations

from ladder_content.model import STEP_NAMES, Option, Step
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from ladder_desktop.review.diagnosis import HEADINGS, Diagnosis
from ladder_desktop.review.hint_bar import HintBar
from ladder_desktop.review.option_button import OptionButton
from ladder_desktop.review.prose import PackText, Prose
from ladder_desktop.theme import Theme

LETTERS = "ABCDEF"


class StepView(QWidget):
    """Emits `picked` with the place of the option that was clicked."""

    picked = Signal(int)

    def __init__(self, step: Step, diagnosis: Diagnosis, text: PackText, theme: Theme, hinted: bool) -> None:
        super().__init__()
        self.step = step
        self._diagnosis = diagnosis
        self._text = text
        self.buttons = [
            OptionButton(LETTERS[place : place + 1] or "·", option, text, theme)
            for place, option in enumerate(diagnosis.shown(step))
        ]
        number = STEP_NAMES.index(step.name) + 1
        overline = QLabel(f"STEP {number} OF {len(STEP_NAMES)}  ·  {HEADINGS[step.name].upper()}")
        overline.setObjectName("overline")
        prompt = Prose(text, "prompt")
        prompt.set_line(step.prompt)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(8)
        self._rows.addWidget(overline)
        self._rows.addWidget(prompt)
        for button in self.buttons:
            self._rows.addWidget(button)
            button.clicked.connect(self._click)
        self.hints = HintBar()
        self._rows.addWidget(self.hints)
        self.hints.setVisible(hinted)
        self.show_hints()

    def show_hints(self) -> None:
        """Cross out what hints have struck, and offer the hints that are left."""
        for place in self._diagnosis.struck(self.step):
            self.buttons[place].strike_out()
        self.hints.show_hints(self._diagnosis)

    def show_result(self) -> None:
        """Put the verdicts in the place of the options: the one chosen and, if that was wrong, the right one."""
        for button in self.buttons:
            button.hide()
        self.hints.hide()
        chosen = self._diagnosis.chosen(self.step)
        self._rows.addWidget(Verdict(chosen, True, self._text))
        if not chosen.correct:
            right = next(option for option in self.step.options if option.correct)
            self._rows.addWidget(Verdict(right, False, self._text))

    def _click(self) -> None:
        button = self.sender()
        if isinstance(button, OptionButton):
            self.picked.emit(self.buttons.index(button))


class Verdict(QFrame):
    """An option after the step: right or wrong, in words and colour, and why."""

    def __init__(self, option: Option, chosen: bool, text: PackText) -> None:
        super().__init__()
        self.setProperty("role", "card")
        words = {
            (True, True): "✓  Right",
            (False, True): "✗  Your answer",
            (True, False): "✓  The right answer",
        }[option.correct, chosen]
        verdict = QLabel(words)
        verdict.setObjectName("verdict")
        verdict.setProperty("right", "true" if option.correct else "false")
        what = Prose(text, "chosen")
        what.set_line(option.text)
        why = Prose(text, "why")
        why.set_line(option.why)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(14, 10, 14, 12)
        rows.setSpacing(5)
        for widget in (verdict, what, why):
            rows.addWidget(widget)
        self.setAccessibleName(f"{words[3:]}: {option.text}. {option.why}")
