"""The two hints of a step as buttons, and what a hint costs."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.review.diagnosis import Diagnosis
from ladder_desktop.review.key_button import KeyButton


class HintBar(QWidget):
    """Asks for a hint: `strike_wanted` for a wrong option to go, `reading_wanted` for the reading that decides."""

    strike_wanted = Signal()
    reading_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.strike = KeyButton("Strike out  (H)")
        self.strike.setAccessibleName("Hint: strike out a wrong option")
        self.strike.clicked.connect(self.strike_wanted)
        self.reading = KeyButton("Reading  (R)")
        self.reading.setAccessibleName("Hint: show the reading that decides")
        self.reading.clicked.connect(self.reading_wanted)
        self._cost = QLabel()
        self._cost.setObjectName("caption")
        self._cost.setWordWrap(True)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.strike)
        row.addWidget(self.reading)
        row.addStretch()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 4, 0, 0)
        rows.addLayout(row)
        rows.addWidget(self._cost)

    def show_hints(self, diagnosis: Diagnosis) -> None:
        """Offer what there is to be had, and say what was paid."""
        self.strike.setEnabled(diagnosis.can_strike)
        self.reading.setEnabled(diagnosis.can_show_reading)
        taken = f", {written_hints(diagnosis.hints)} taken" if diagnosis.hints else ""
        self._cost.setText(f"A hint costs 1 point{taken}")


def written_hints(count: int) -> str:
    """Return "one hint", "two hints", "11 hints"."""
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    number = words[count] if count < len(words) else str(count)
    return f"{number} hint{'' if count == 1 else 's'}"


def written_points(points: int) -> str:
    """Return "1 point" or "2 points"."""
    return f"{points} point{'' if points == 1 else 's'}"


def written_score(diagnosis: Diagnosis) -> str:
    """Return the result in words: "3 of 4, one hint: 2 points"."""
    steps = len(diagnosis.ticket.steps)
    if not diagnosis.hints:
        return f"{diagnosis.right} of {steps} right at the first try"
    return (
        f"{diagnosis.right} of {steps}, {written_hints(diagnosis.hints)}: {written_points(diagnosis.points)}"
    )
