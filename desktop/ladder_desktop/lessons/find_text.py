"""Every place of a text in a text view: found, counted, tinted, and brought into view one after the other.

The sentence that is read aloud is tinted here too: a view has one list of tints.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QTextCursor
from PySide6.QtWidgets import QTextEdit

from ladder_desktop.theme import Theme

MOST_TINTED = 1000  # more are counted and can be gone to, but no eye needs them all
READING_LINE = 0.35  # of the height of the view: where a match comes to stand if it was out of sight


class TextMatches:
    """The matches of one text in one view; capitals do not matter."""

    def __init__(self, view: QTextEdit, theme: Theme) -> None:
        self._view = view
        self._all = _colours(theme, "selection", "text")
        self._current = _colours(theme, "accent", "accent_text")
        self._matches: list[QTextCursor] = []
        self._index: int | None = None
        self._spoken: QTextCursor | None = None

    def find(self, text: str) -> int:
        """Tint every match and return how many there are; an empty text takes the tints away."""
        document = self._view.document()
        self._matches = []
        cursor = QTextCursor(document)
        while text and not (cursor := document.find(text, cursor)).isNull():
            self._matches.append(QTextCursor(cursor))
        self._index = None
        self._tint()
        return len(self._matches)

    def first(self) -> int:
        """Return the number of the first match at or below the top of the view, or else the first of all."""
        top = self._view.cursorForPosition(QPoint(0, 0)).position()
        below = (i for i, match in enumerate(self._matches) if match.selectionStart() >= top)
        return next(below, 0)

    def show(self, index: int) -> None:
        """Tint a match as the current one and bring it into view; the keyboard reads on from there."""
        at = QTextCursor(self._matches[index])
        at.setPosition(at.selectionStart())
        self._view.setTextCursor(at)
        self._bring(at)
        self._index = index
        self._tint()

    def mark_spoken(self, start: int, end: int) -> None:
        """Tint a sentence as the one that is read aloud, and keep it in view; an empty one takes the tint away."""
        if start == end:
            self._spoken = None
        else:
            self._spoken = QTextCursor(self._view.document())
            self._spoken.setPosition(start)
            self._bring(self._spoken)
            self._spoken.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._tint()

    def _bring(self, at: QTextCursor) -> None:
        where, height = self._view.cursorRect(at), self._view.viewport().height()
        if where.top() < 8 or where.bottom() > height - 8:
            bar = self._view.verticalScrollBar()
            bar.setValue(bar.value() + where.top() - round(height * READING_LINE))

    def _tint(self) -> None:
        current = self._index
        selections = [] if self._spoken is None else [_selection(self._spoken, self._all)]
        for index, match in enumerate(self._matches[:MOST_TINTED]):
            if index != current:
                selections.append(_selection(match, self._all))
        if current is not None:
            selections.append(_selection(self._matches[current], self._current))
        self._view.setExtraSelections(selections)


def _colours(theme: Theme, ground: str, ink: str) -> tuple[QColor, QColor]:
    return theme.colour(ground), theme.colour(ink)


def _selection(match: QTextCursor, colours: tuple[QColor, QColor]) -> QTextEdit.ExtraSelection:
    made = QTextEdit.ExtraSelection()
    made.cursor = match
    made.format.setBackground(colours[0])
    made.format.setForeground(colours[1])
    return made
