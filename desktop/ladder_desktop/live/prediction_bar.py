"""The prediction: a question before the run, and afterwards how right the answer was."""

from __future__ import annotations

from ladder_engine.lab.prediction import Prediction, Score
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFrame, QLabel, QPushButton, QWidget

from ladder_desktop.chooser import Chooser
from ladder_desktop.flow import Flow
from ladder_desktop.theme import Theme

QUESTION, RESULT = 300, 220  # the least widths of these, in pixels at 100 %


class PredictionBar(QFrame):
    """Emits `predicted` with the guess (for a choice, its place) when a person wants to see it come true or not.

    `keep_wanted` asks for a card of the prediction that was scored; with `keep_wrong` ticked, a wrong one asks by itself.
    """

    predicted = Signal(float)
    keep_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.prediction: Prediction | None = None
        self.setProperty("role", "card")
        self.question, self.unit, self.result = QLabel(), QLabel(), QLabel()
        self.question.setWordWrap(True)
        self.result.setWordWrap(True)
        for label in (self.question, self.result):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.unit.setProperty("role", "muted")
        self.number = QDoubleSpinBox()
        self.number.setRange(0, 1_000_000)
        self.number.setAccessibleName("Your prediction")
        self.number.lineEdit().setAccessibleName("Your prediction")
        self.choices = Chooser()
        self.choices.setAccessibleName("Your prediction")
        self.choices.view().setAccessibleName("Choices")
        self.choices.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button = QPushButton("Predict and run")
        self.button.setAccessibleName("Predict and run")
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(self._predict)
        self.keep_button = QPushButton("Keep as a card")
        self.keep_button.setAccessibleName("Keep the prediction as a card")
        self.keep_button.setToolTip("Drill this question later, with what was measured as its answer")
        self.keep_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.keep_button.clicked.connect(self.keep_wanted)
        self.keep_wrong = QCheckBox("Keep wrong ones")
        self.keep_wrong.setAccessibleName("Keep wrong predictions as cards")
        self.keep_wrong.setToolTip(
            "Keep every prediction that turns out wrong as a card, without being asked"
        )
        self.keep_wrong.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        layout = Flow(self, 10)
        layout.setContentsMargins(12, 6, 12, 6)
        layout.grow(self.question, round(QUESTION * theme.scale))
        layout.keep_together(self.number, self.choices, self.unit, self.button)
        layout.grow(self.result, round(RESULT * theme.scale))
        layout.keep_together(self.keep_button, self.keep_wrong)
        self.show_prediction(None)

    def show_prediction(self, prediction: Prediction | None) -> None:
        """Ask another question; None hides the bar."""
        self.prediction = prediction
        self.setVisible(prediction is not None)
        self._say("", "muted")
        if prediction is None:
            return
        self.question.setText(prediction.question)
        is_number = prediction.kind == "number"
        self.number.setVisible(is_number)
        self.unit.setVisible(is_number)
        self.choices.setVisible(not is_number)
        self.unit.setText(prediction.unit)
        self.number.setDecimals(2 if prediction.against else 0)
        self.number.setSingleStep(0.1 if prediction.against else 1)
        self.number.setValue(0)
        self.choices.clear()
        self.choices.addItems([option.text for option in prediction.options])

    def show_running(self, running: bool) -> None:
        """A prediction made in the midst of a run would be none."""
        for widget in (self.button, self.number, self.choices):
            widget.setEnabled(not running)

    def show_score(self, score: Score, note: str = "") -> None:
        """Say how it came out, and what was made of it."""
        self._say(f"{score.sentence} {note}".strip(), "good" if score.right else "bad")

    def offer_card(self, wrong: bool) -> None:
        """Offer to keep what was scored; one that was wrong is kept at once where that is wanted."""
        self.keep_button.show()
        self.keep_wrong.show()
        if wrong and self.keep_wrong.isChecked():
            self.keep_wanted.emit()

    def say(self, sentence: str) -> None:
        """Say why there is no score."""
        self._say(sentence, "muted")

    def _say(self, sentence: str, role: str) -> None:
        self.result.setStyleSheet(f"color: {self.theme.hex(role)}")
        self.result.setText(sentence)
        self.result.setVisible(bool(sentence))
        self.result.setAccessibleName(sentence)
        self.keep_button.hide()
        self.keep_wrong.hide()

    def _predict(self) -> None:
        if self.prediction is None:
            return
        is_number = self.prediction.kind == "number"
        self._say("", "muted")
        self.predicted.emit(self.number.value() if is_number else float(self.choices.currentIndex()))
