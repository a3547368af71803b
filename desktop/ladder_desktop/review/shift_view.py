"""What a change of the plan does to the coming days: a sentence, and the load before and after as a chart."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from ladder_desktop.stats.bars import BarChart, Part
from ladder_desktop.stats.contents import day_words
from ladder_desktop.study.studyday import date_of_day
from ladder_desktop.theme import Theme


class ShiftView(QWidget):
    """Bars for the days to come: solid what stays, hatched what is added, outlined what goes."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.sentence = QLabel()
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.chart = BarChart(theme, name, 120)
        self.reading = QLabel()
        self.reading.setProperty("role", "muted")
        self.chart.read.connect(self.reading.setText)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 4, 0, 4)
        rows.setSpacing(4)
        for widget in (self.sentence, self.chart, self.reading):
            rows.addWidget(widget)

    def show_load(self, first_day: int, before: Sequence[int], after: Sequence[int], sentence: str) -> None:
        """Show the reviews of each study day from `first_day` on, before the change and after it."""
        pairs = list(zip(before, after, strict=True))
        parts = [
            Part("as now", "accent", "pale", [min(pair) for pair in pairs]),
            Part("more", "warn", "hatched", [max(0, new - old) for old, new in pairs]),
            Part("fewer", "accent", "outlined", [max(0, old - new) for old, new in pairs]),
        ]
        readings = [
            f"{day_words(first_day + place)}: {old} now, {new} then" for place, (old, new) in enumerate(pairs)
        ]
        labels = [_label(first_day + place) if place % 7 == 0 else "" for place in range(len(pairs))]
        self.sentence.setText(sentence)
        self.reading.setText("")
        self.chart.show_bars(parts, labels, readings, sentence)


def _label(day: int) -> str:
    date = date_of_day(day)
    return f"{date.day} {date:%b}"
