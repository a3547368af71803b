"""An answer in one's own words: a box to type it in before one looks, and what was typed beside the answer.

The program does not grade it. It marks the words that the answer has too, so that the eye finds what was left out.
"""

from __future__ import annotations

import re
from html import escape

from ladder_content import cloze
from ladder_content.model import Card
from ladder_content.text import plain
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QVBoxLayout

LINES = 4
_WORD = re.compile(r"\w+(?:[-'’.]\w+)*")
_COMMON = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "can",
        "do",
        "does",
        "each",
        "for",
        "from",
        "has",
        "have",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "no",
        "not",
        "of",
        "on",
        "one",
        "only",
        "or",
        "so",
        "than",
        "that",
        "the",
        "then",
        "there",
        "they",
        "this",
        "to",
        "was",
        "what",
        "when",
        "which",
        "with",
        "you",
    ]
)


class AnswerBox(QPlainTextEdit):
    """Room for an answer. While it is empty, Space, Enter and undo are the page's; Ctrl+Enter always is."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("field")
        self.setAccessibleName("Your answer")
        self.setAccessibleDescription("Ctrl+Enter shows the answer beside yours.")
        self.setPlaceholderText("Type your answer. Ctrl+Enter shows the other one beside it.")
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * LINES + 16)

    def event(self, event: QEvent) -> bool:
        """Leave these keys to the page's shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            with_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            going = enter or event.key() == Qt.Key.Key_Space or event.matches(QKeySequence.StandardKey.Undo)
            if (enter and with_control) or (going and not self.toPlainText()):
                event.ignore()
                return True
        return super().event(event)


class OwnAnswer(QFrame):
    """What was typed, with the words in bold that the answer has too."""

    def __init__(self, typed: str, card: Card) -> None:
        super().__init__()
        self.setProperty("role", "card")
        known = words_of(card)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(14, 10, 14, 12)
        rows.setSpacing(4)
        caption, text, note = QLabel("YOUR ANSWER"), QLabel(marked(typed, known)), QLabel()
        caption.setObjectName("overline")
        text.setTextFormat(Qt.TextFormat.RichText)
        note.setObjectName("caption")
        note.setText("Bold: words that the answer has too. You say how good yours was.")
        for label in (caption, text, note):
            label.setWordWrap(True)
            rows.addWidget(label)
        self.setAccessibleName(f"Your answer: {typed}")


def words_of(card: Card) -> frozenset[str]:
    """Return the telling words of what was asked for: the blanks of a cloze card, else the answer and its key points."""
    if card.kind == "cloze":
        texts = [part.text for part in cloze.parts(card.question) if part.hidden]
    else:
        texts = [card.answer, *card.key_points]
    return frozenset(word for text in texts for word in _words(plain(text)))


def marked(typed: str, known: frozenset[str]) -> str:
    """Return what was typed as HTML, the known words in bold."""
    html, end = "", 0
    for found in _WORD.finditer(typed):
        word = escape(found[0])
        html += escape(typed[end : found.start()])
        html += f"<b>{word}</b>" if _stem(found[0]) in known else word
        end = found.end()
    return (html + escape(typed[end:])).replace("\n", "<br>")


def _words(text: str) -> set[str]:
    return {_stem(word) for word in _WORD.findall(text) if len(word) > 1} - _COMMON


def _stem(word: str) -> str:
    """Return a word without capitals and without the s of its plural."""
    small = word.casefold()
    return small[:-1] if len(small) > 3 and small.endswith("s") and not small.endswith("ss") else small
