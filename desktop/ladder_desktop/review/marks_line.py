"""How the card on show is marked: flag, leech, suspended, buried, and that it has a note or own words."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from ladder_desktop.study import FLAGS, Mark
from ladder_desktop.theme import Theme

FLAG_ROLES = ("muted", "bad", "warn", "good", "accent")


def mark_words(mark: Mark, today: int) -> list[tuple[str, str]]:
    """Return the words for the marks of a card, each with the role of its colour. The words alone say it all."""
    words = []
    if mark.flag:
        words.append((f"⚑ {FLAGS[mark.flag]}", FLAG_ROLES[mark.flag]))
    if mark.leech:
        words.append(("◆ leech", "bad"))
    if mark.suspended:
        words.append(("▮▮ suspended", "warn"))
    if mark.buried(today):
        words.append(("▼ buried", "muted"))
    return words


class MarksLine(QLabel):
    """The marks in one line; empty for a card without any."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.words = ""
        self.setObjectName("count")
        self.setTextFormat(Qt.TextFormat.RichText)

    def show_mark(self, mark: Mark, today: int, hidden: str = "") -> None:
        """Show the marks of a card, and in faint how many cards are hidden."""
        parts = mark_words(mark, today)
        if hidden:
            parts.append((hidden, "muted"))
        self.words = ", ".join(word for word, _ in parts)
        self.setText(
            "&nbsp;&nbsp; ".join(
                f'<span style="color:{self._theme.hex(role)}">{escape(word)}</span>' for word, role in parts
            )
        )
        self.setAccessibleName(self.words)
        self.setVisible(bool(parts))
