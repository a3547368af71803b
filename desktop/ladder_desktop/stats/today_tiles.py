"""Today in five numbers."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout

from ladder_desktop.study.statistics import Statistics

from .figures import duration, percent, written

CAPTIONS = ("answers today", "studied", "new", "recalled", "days in a row")


class TodayTiles(QFrame):
    """Numbers with captions; a screen reader hears them as one sentence."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 14, 20, 14)
        row.setSpacing(36)
        self.numbers: list[QLabel] = []
        for text in CAPTIONS:
            number, caption = QLabel(), QLabel(text)
            number.setTextFormat(Qt.TextFormat.PlainText)
            number.setProperty("role", "big")
            caption.setProperty("role", "muted")
            column = QVBoxLayout()
            column.setSpacing(0)
            column.addWidget(number)
            column.addWidget(caption)
            row.addLayout(column)
            self.numbers.append(number)
        row.addStretch(1)

    def show_today(self, statistics: Statistics) -> None:
        """Show the study day of now."""
        today = statistics.today
        texts = (
            written(today.answers, "count"),
            duration(today.milliseconds),
            written(today.introduced, "count"),
            "–" if today.tested.rate is None else percent(round(today.tested.rate, 2)),
            written(statistics.streak.current, "count"),
        )
        for label, text in zip(self.numbers, texts, strict=True):
            label.setText(text)
        said = ", ".join(f"{caption}: {text}" for caption, text in zip(CAPTIONS, texts, strict=True))
        self.setAccessibleName(said)
