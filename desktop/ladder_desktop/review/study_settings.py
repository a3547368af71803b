"""The panel of the settings that schedule: retention, limits, steps, weights, days away."""

from __future__ import annotations

from functools import partial

import msgspec
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.beside import Beside
from ladder_desktop.review.announce import announce
from ladder_desktop.review.away_panel import AwayPanel
from ladder_desktop.review.shift_view import ShiftView
from ladder_desktop.review.steps_text import read_steps, read_weights, written_steps, written_weights
from ladder_desktop.stats.figures import plural
from ladder_desktop.study import Algorithm, Desk, Shift, StudyError, StudySettings
from ladder_desktop.study.optimiser import HOW_TO_INSTALL, Outcome, is_installed, optimise
from ladder_desktop.study.settings import MOST_PER_DAY
from ladder_desktop.theme import Theme

PREVIEW_AFTER_MS = 200
FIRST_DAYS = 7


class StudySettingsPanel(QWidget):
    """Emits `changed` when the plan is another one. Everything holds from the next answer once it is saved."""

    changed = Signal()

    def __init__(self, desk: Desk, theme: Theme) -> None:
        super().__init__()
        self._desk = desk
        self.retention = _number(70, 99, " %")
        self.new_per_day = _number(0, MOST_PER_DAY, "")
        self.reviews_per_day = _number(0, MOST_PER_DAY, "")
        self.learning = QLineEdit()
        self.relearning = QLineEdit()
        self.longest = _number(1, 36_500, " days")
        self.weights = QPlainTextEdit()
        self.weights.setObjectName("field")
        self.weights.setTabChangesFocus(True)
        self.weights.setFixedHeight(76)
        self.defaults = QPushButton("Default weights")
        self.fit = QPushButton("Fit to my answers")
        self.fit.setEnabled(is_installed())
        self.fit.setToolTip("" if is_installed() else HOW_TO_INSTALL)
        self.fit.setAccessibleDescription(self.fit.toolTip())
        self.fit_said = _sentence("" if is_installed() else HOW_TO_INSTALL)
        self.move_learned = QCheckBox("Also move what I have learned, as if these had always held")
        self.shift = ShiftView(theme, "Reviews a day, before and after the change")
        self.said = _sentence("")
        self.save = QPushButton("Save")
        self.save.setProperty("role", "primary")
        self.undo = QPushButton("Undo")
        self.away = AwayPanel(desk, theme)
        self.fitting = Beside(self)
        self._previewing = Beside(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PREVIEW_AFTER_MS)
        self._build()
        self._connect()
        self.show_stored()

    # What is on screen

    def show_stored(self) -> None:
        """Fill the fields from the desk."""
        settings = self._desk.settings
        algorithm = settings.algorithm
        self.retention.setValue(round(algorithm.desired_retention * 100))
        self.new_per_day.setValue(settings.new_per_day)
        self.reviews_per_day.setValue(settings.reviews_per_day)
        self.learning.setText(written_steps(algorithm.learning_steps))
        self.relearning.setText(written_steps(algorithm.relearning_steps))
        self.longest.setValue(algorithm.maximum_interval)
        self.weights.setPlainText(written_weights(algorithm.parameters))
        self.preview()

    def wanted(self) -> StudySettings:
        """Return what the fields say; StudyError if one of them makes no sense."""
        stored = self._desk.settings
        algorithm = msgspec.structs.replace(
            stored.algorithm,
            desired_retention=self._retention(stored),
            learning_steps=read_steps(self.learning.text()),
            relearning_steps=read_steps(self.relearning.text()),
            maximum_interval=self.longest.value(),
            parameters=read_weights(self.weights.toPlainText()),
        )
        return StudySettings(algorithm, self.new_per_day.value(), self.reviews_per_day.value())

    def preview(self) -> None:
        """Say whether the fields can be saved, and what moving would do to the coming days."""
        self._timer.stop()
        self.shift.hide()
        try:
            wanted = self.wanted()
        except StudyError as error:
            self.said.setText(str(error))
            self.save.setEnabled(False)
            return
        self.said.setText("")
        differs = wanted != self._desk.settings
        self.save.setEnabled(differs or self.move_learned.isChecked())
        if not self.move_learned.isChecked():
            return
        if self._desk.is_large:
            self.said.setText("Reckoning what would move…")
            self._previewing.start(self._desk.apart(partial(_preview, wanted)))
        else:
            self._show_shift(self._desk.planner.preview(wanted))

    def _show_shift(self, shift: Shift) -> None:
        self.said.setText("")
        first = self._desk.planner.today()
        self.shift.show_load(first, shift.before, shift.after, shift_sentence(shift))
        self.shift.show()

    def _preview_failed(self, error: BaseException) -> None:
        self.said.setText(f"What would move could not be reckoned ({error}).")

    # What a person does

    def store(self) -> None:
        """Save the fields, as one step of undo."""
        try:
            moved = self._desk.planner.change(self.wanted(), self.move_learned.isChecked())
        except StudyError as error:
            self._say(str(error))
            return
        self.move_learned.setChecked(False)
        self.preview()
        what = f"Saved, and {plural(moved, 'card')} moved." if moved else "Saved."
        self._say(f"{what} It holds from your next answer.")
        self.undo.show()
        self.changed.emit()

    def take_back(self) -> None:
        """Undo what was done last."""
        said = self._desk.undo()
        self.undo.hide()
        self.show_stored()
        if said is not None:
            self._say(f"{said}.")
            self.changed.emit()

    def start_fit(self) -> None:
        """Fit weights to the log, beside the window."""
        self.fit.setEnabled(False)
        self.fit_said.setText("Fitting…")
        self.fitting.start(partial(optimise, self._desk.planner.histories(), self._desk.settings.algorithm))

    def shutdown(self) -> None:
        """The panel is not shown again: leave no thread behind."""
        self._timer.stop()
        self.fitting.stop()
        self._previewing.stop()

    def _fitted(self, outcome: Outcome) -> None:
        self.fit.setEnabled(True)
        self.fit_said.setText(outcome.sentence)
        announce(self, outcome.sentence)
        if outcome.parameters is not None:
            self.weights.setPlainText(written_weights(outcome.parameters))
            self.fit_said.setText(f"{outcome.sentence} They stand in the field; Save takes them over.")

    def _fit_failed(self, error: BaseException) -> None:
        self.fit.setEnabled(True)
        self.fit_said.setText(f"The weights could not be fitted ({error}); they stay as they are.")

    def _put_defaults(self) -> None:
        self.weights.setPlainText(written_weights(Algorithm().parameters))

    def _edited(self) -> None:
        self.undo.hide()
        self._timer.start()

    def _retention(self, stored: StudySettings) -> float:
        """A stored 0.875 stays what it is while nobody turns the whole percents of the field."""
        now = stored.algorithm.desired_retention
        return now if round(now * 100) == self.retention.value() else self.retention.value() / 100

    def _say(self, sentence: str) -> None:
        self.said.setText(sentence)
        announce(self, sentence)

    # Building

    def _connect(self) -> None:
        for number in (self.retention, self.new_per_day, self.reviews_per_day, self.longest):
            number.valueChanged.connect(self._edited)
        for line in (self.learning, self.relearning):
            line.textChanged.connect(self._edited)
        self.weights.textChanged.connect(self._edited)
        self.move_learned.toggled.connect(self.preview)
        self._timer.timeout.connect(self.preview)
        self.save.clicked.connect(self.store)
        self.undo.clicked.connect(self.take_back)
        self.defaults.clicked.connect(self._put_defaults)
        self.fit.clicked.connect(self.start_fit)
        self._previewing.finished.connect(self._show_shift)
        self._previewing.failed.connect(self._preview_failed)
        self.fitting.finished.connect(self._fitted)
        self.fitting.failed.connect(self._fit_failed)
        self.away.changed.connect(self._moved)

    def _moved(self) -> None:
        self.undo.show()
        self.preview()
        self.changed.emit()

    def _build(self) -> None:
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 28)
        rows.setSpacing(4)
        for name, help_text, widget in (
            (
                "Desired retention",
                "The share of reviews you want to recall. Higher brings cards sooner: 95 % costs about twice the "
                "reviews of 90 %.",
                self.retention,
            ),
            (
                "New cards a day",
                "For cards and for tickets each. None holds new ones back.",
                self.new_per_day,
            ),
            ("Reviews a day", "At most. What is left over comes first tomorrow.", self.reviews_per_day),
            ("Learning steps", "Waits of a new card before it becomes a review, like 1m 10m.", self.learning),
            ("Relearning steps", "Waits of a card that was forgotten, like 10m.", self.relearning),
            ("Longest interval", "No card stays away longer.", self.longest),
        ):
            rows.addWidget(_row(name, help_text, widget))
        rows.addWidget(
            _row(
                "Weights",
                "The 21 numbers of FSRS-6. Fitting judges new ones on answers they have not seen.",
                None,
            )
        )
        self.weights.setAccessibleName("Weights")
        rows.addWidget(self.weights)
        rows.addLayout(_beside(self.fit, self.defaults))
        rows.addWidget(self.fit_said)
        rows.addSpacing(14)
        rows.addWidget(self.move_learned)
        rows.addWidget(self.shift)
        rows.addWidget(self.said)
        rows.addLayout(_beside(self.save, self.undo))
        rows.addSpacing(22)
        rows.addWidget(
            _row(
                "Days away",
                "What falls due meanwhile comes a little earlier or later, where that costs least.",
                None,
            )
        )
        rows.addWidget(self.away)
        rows.addStretch(1)
        self.undo.hide()
        self.move_learned.setAccessibleName(self.move_learned.text())
        for button in (self.save, self.undo, self.fit, self.defaults, self.away.look, self.away.apply):
            button.setAccessibleName(button.text())


def _preview(wanted: StudySettings, desk: Desk) -> Shift:
    return desk.planner.preview(wanted)


def shift_sentence(shift: Shift) -> str:
    """Say what a reschedule does: how many cards move which way, and the load of today and of the first week."""
    if not shift.sooner + shift.later:
        return "No card would move."
    return (
        f"{plural(shift.sooner, 'card')} would come sooner and {shift.later} later. Today {shift.after[0]} reviews "
        f"instead of {shift.before[0]}, in {FIRST_DAYS} days {sum(shift.after[:FIRST_DAYS])} instead of "
        f"{sum(shift.before[:FIRST_DAYS])}."
    )


def _row(name: str, help_text: str, widget: QWidget | None) -> QWidget:
    label, text = QLabel(name), _sentence(help_text)
    label.setProperty("role", "heading")
    text.setProperty("role", "muted")
    words = QVBoxLayout()
    words.setSpacing(2)
    words.addWidget(label)
    words.addWidget(text)
    row = QWidget()
    across = QHBoxLayout(row)
    across.setContentsMargins(0, 6, 0, 6)
    across.setSpacing(24)
    across.addLayout(words, 1)
    if widget is not None:
        label.setBuddy(widget)
        widget.setAccessibleName(name)
        widget.setAccessibleDescription(help_text)
        widget.setFixedWidth(150)
        across.addWidget(widget, alignment=Qt.AlignmentFlag.AlignTop)
    return row


def _beside(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    return row


def _number(least: int, most: int, suffix: str) -> QSpinBox:
    box = QSpinBox()
    box.setRange(least, most)
    box.setSuffix(suffix)
    box.lineEdit().setTextMargins(6, 0, 0, 0)  # the style sheet's padding does not reach it
    return box


def _sentence(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label
