"""One sentence at the top of a page about something that went wrong."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel


class Notice(QFrame):
    """Hidden until there is something to say."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("notice")
        self._label = QLabel()
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 16, 10)
        row.addWidget(self._label)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence on show; empty when hidden."""
        return "" if self.isHidden() else self._label.text()

    def say(self, sentence: str) -> None:
        """Show the sentence."""
        self._label.setText(sentence)
        self.setAccessibleName(sentence)
        self.show()
