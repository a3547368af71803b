"""The fields of the settings that schedule: retention, limits, steps, the longest interval, weights."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QSpinBox, QVBoxLayout, QWidget

from ladder_desktop.review.steps_text import read_steps, written_steps
from ladder_desktop.review.weights_panel import WeightsPanel
from ladder_desktop.settings.row import setting_row
from ladder_desktop.study import Desk, StudySettings
from ladder_desktop.study.settings import MOST_PER_DAY

FIELD_WIDTH = 150


class ScheduleFields(QWidget):
    """Emits `edited` when one of them changes; nothing is stored here."""

    edited = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.retention = _number(70, 99, " %")
        self.new_per_day = _number(0, MOST_PER_DAY, "")
        self.reviews_per_day = _number(0, MOST_PER_DAY, "")
        self.learning = QLineEdit()
        self.relearning = QLineEdit()
        self.longest = _number(1, 36_500, " days")
        self.weights = WeightsPanel(desk)
        self._build()
        for number in (self.retention, self.new_per_day, self.reviews_per_day, self.longest):
            number.valueChanged.connect(self.edited)
        for line in (self.learning, self.relearning):
            line.textChanged.connect(self.edited)
        self.weights.edited.connect(self.edited)

    def show_settings(self, settings: StudySettings) -> None:
        """Fill them."""
        algorithm = settings.algorithm
        self.retention.setValue(round(algorithm.desired_retention * 100))
        self.new_per_day.setValue(settings.new_per_day)
        self.reviews_per_day.setValue(settings.reviews_per_day)
        self.learning.setText(written_steps(algorithm.learning_steps))
        self.relearning.setText(written_steps(algorithm.relearning_steps))
        self.longest.setValue(algorithm.maximum_interval)
        self.weights.show_weights(algorithm.parameters)

    def wanted(self) -> StudySettings:
        """Return what the fields say; StudyError if one of them makes no sense."""
        stored = self._desk.settings
        algorithm = msgspec.structs.replace(
            stored.algorithm,
            desired_retention=self._retention(stored),
            learning_steps=read_steps(self.learning.text()),
            relearning_steps=read_steps(self.relearning.text()),
            maximum_interval=self.longest.value(),
            parameters=self.weights.weights(),
        )
        return StudySettings(algorithm, self.new_per_day.value(), self.reviews_per_day.value())

    def _retention(self, stored: StudySettings) -> float:
        """A stored 0.875 stays what it is while nobody turns the whole percents of the field."""
        now = stored.algorithm.desired_retention
        return now if round(now * 100) == self.retention.value() else self.retention.value() / 100

    def _build(self) -> None:
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
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
            widget.setFixedWidth(FIELD_WIDTH)
            rows.addWidget(setting_row(name, help_text, widget))
        rows.addWidget(self.weights)


def _number(least: int, most: int, suffix: str) -> QSpinBox:
    box = QSpinBox()
    box.setRange(least, most)
    box.setSuffix(suffix)
    box.lineEdit().setTextMargins(6, 0, 0, 0)  # the style sheet's padding does not reach it
    return box
