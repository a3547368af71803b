"""How much is left: new, learning, due, as three numbers with their words."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from ladder_desktop.study import Counts
from ladder_desktop.theme import Theme

WORDS = (("new", "New", "accent"), ("learning", "Learning", "warn"), ("due", "Due", "good"))


class CountsBar(QWidget):
    """The three counts; the one that the item on show belongs to is underlined."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._labels = {field: QLabel() for field, _, _ in WORDS}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(22)
        for label in self._labels.values():
            label.setObjectName("count")
            label.setTextFormat(Qt.TextFormat.RichText)
            row.addWidget(label)

    def show_counts(self, counts: Counts, current: str | None = None) -> None:
        """Show the numbers. `current` is "new", "learning" or "due"."""
        for field, word, role in WORDS:
            number = getattr(counts, field)
            colour = self._theme.hex(role if number else "faint")
            line = "underline" if field == current else "none"
            self._labels[field].setText(
                f'<span style="color:{colour}; font-weight:600; text-decoration:{line}">{number}</span>&nbsp; {word}'
            )
            self._labels[field].setAccessibleName(f"{number} {word.lower()}")

    @property
    def text(self) -> str:
        """The counts in words, for a screen reader and for tests."""
        return ", ".join(label.accessibleName() for label in self._labels.values())
