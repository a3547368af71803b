"""The history of a card: where it stands, its memory curve, and each review in a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTableWidget,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.dialogs import give_room
from ladder_desktop.review.memory_curve import MemoryCurve
from ladder_desktop.review.wording import when
from ladder_desktop.study import Clock, Desk, Memory, Review, due_instant
from ladder_desktop.study.curve import Curve, Dot, curve_of
from ladder_desktop.study.scheduler import interval_label
from ladder_desktop.study.studyday import from_ms, to_ms
from ladder_desktop.theme import Theme
from ladder_desktop.word_table import WordTable

COLUMNS = ("When", "Rating", "Chance of recall", "Next in", "Time taken")


class CardHistory(QDialog):
    """Shows one card; nothing can be changed here."""

    def __init__(
        self, desk: Desk, item_id: str, title: str, clock: Clock, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        now, zone = clock.now(), clock.zone()
        reviews = desk.history.reviews_of(item_id)
        memory = desk.memory(item_id)
        self.setWindowTitle("History of the card")
        give_room(self, 90, 36)
        heading = QLabel(title)
        heading.setTextFormat(Qt.TextFormat.PlainText)
        heading.setWordWrap(True)
        heading.setProperty("role", "heading")
        self.summary = QLabel(_summary(memory, now, zone))
        self.summary.setProperty("role", "muted")
        self.summary.setWordWrap(True)
        rows = QVBoxLayout(self)
        rows.setSpacing(10)
        rows.addWidget(heading)
        rows.addWidget(self.summary)
        curve = curve_of(reviews, _end(memory, now, zone))
        self.table = _table(reviews, curve, zone)
        if reviews:
            retention = reviews[-1].algorithm.desired_retention
            rows.addWidget(MemoryCurve(curve, to_ms(now), retention, zone, theme))
        rows.addWidget(self.table, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        rows.addWidget(buttons)


def _end(memory: Memory | None, now: datetime, zone: tzinfo) -> int:
    """The curve is drawn to when the card falls due, or somewhat beyond now."""
    return max(to_ms(now), to_ms(due_instant(memory, zone))) if memory else to_ms(now)


def _summary(memory: Memory | None, now: datetime, zone: tzinfo) -> str:
    if memory is None:
        return "New: not answered yet."
    due = when(due_instant(memory, zone), now, zone)
    return (
        f"{memory.phase.capitalize()}, due {due}. Stability {memory.stability:.3g} days, difficulty "
        f"{memory.difficulty:.1f} of 10, {_count(memory.reps, 'review')}, {_count(memory.lapses, 'lapse')}."
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _table(reviews: Sequence[Review], curve: Curve, zone: tzinfo) -> QTableWidget:
    table = WordTable("Reviews of the card, newest first", COLUMNS)
    table.horizontalHeader().setStretchLastSection(True)
    table.show_lines(
        [_line(review, dot, zone) for review, dot in zip(reviews, curve.dots, strict=True)][::-1]
    )
    table.resizeColumnsToContents()
    return table


def _line(review: Review, dot: Dot, zone: tzinfo) -> tuple[str, ...]:
    interval = due_instant(review.after, zone) - from_ms(review.answered_at)
    return (
        f"{from_ms(review.answered_at).astimezone(zone):%Y-%m-%d %H:%M}",
        review.rating.name.capitalize(),
        "new" if dot.chance is None else f"{dot.chance:.0%}",
        interval_label(interval),
        f"{review.duration_ms / 1000:.0f} s",
    )
