"""What came of a run: one sentence, and below it what was printed or how each known result compares."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.lessons.code_edit import code_font
from ladder_desktop.lessons.sandbox import Checked, Ending, Outcome, shown
from ladder_desktop.review.announce import announce
from ladder_desktop.theme import Theme
from ladder_desktop.word_table import WordTable

COLUMNS = ("", "Call", "Expected", "Got")
WORDS = {True: "✓ right", False: "✗ wrong"}


class SandboxResult(QWidget):
    """Shows an Outcome."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.sentence = QLabel()
        self.sentence.setObjectName("sentence")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.output = QPlainTextEdit()
        self.output.setObjectName("output")
        self.output.setReadOnly(True)
        self.output.setTabChangesFocus(True)
        self.output.setFont(code_font())
        self.output.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.output.setUndoRedoEnabled(False)
        self.output.setAccessibleName("What the program printed")
        self.table = _Vectors(theme)
        self._parts = QStackedWidget()
        self._parts.addWidget(self.output)
        self._parts.addWidget(self.table)
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 16, 8)
        head.addWidget(self.sentence, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self._parts, 1)
        self.setMinimumHeight(120)

    def show_running(self) -> None:
        """Say that the run is on."""
        self._say("Running…", "")

    def show_outcome(self, outcome: Outcome | None) -> None:
        """Show how a run ended; None stands for a program that has not been run."""
        if outcome is None:
            self._say(
                "Not run yet. Ctrl+Enter runs it; change what you like, Reset brings the original back.", ""
            )
            self.output.clear()
            self._parts.setCurrentWidget(self.output)
            return
        right = sum(checked.right for checked in outcome.checked)
        sentence = outcome.sentence
        if outcome.checked and outcome.ending is Ending.FINISHED:
            sentence = f"{right} of {len(outcome.checked)} results are right."
        good = outcome.ending is Ending.FINISHED and right == len(outcome.checked)
        self._say(sentence, "good" if good else "bad")
        self.output.setPlainText(outcome.output)
        self.table.show_checked(outcome.checked)
        self._parts.setCurrentWidget(self.table if outcome.checked else self.output)

    def announce(self) -> None:
        """Have the sentence read aloud."""
        announce(self, self.sentence.text())

    def _say(self, sentence: str, mood: str) -> None:
        self.sentence.setText(sentence)
        self.sentence.setProperty("mood", mood)
        self.sentence.style().unpolish(self.sentence)
        self.sentence.style().polish(self.sentence)


class _Vectors(WordTable):
    """A row for each call: right or wrong in a word and a colour, what was expected, what came."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("Known results", COLUMNS)
        self._theme = theme
        self.setObjectName("vectors")
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = self.horizontalHeader()
        for column, mode in enumerate(("ResizeToContents", "Stretch", "Interactive", "Interactive")):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode[mode])

    def show_checked(self, results: tuple[Checked, ...]) -> None:
        """Show these results in place of any others."""
        self.show_lines(
            [(WORDS[one.right], one.vector.call, shown(one.vector.expected), one.got) for one in results]
        )
        for row, checked in enumerate(results):
            self.cell(row, 0).setForeground(self._theme.colour("good" if checked.right else "bad"))
            for column in range(1, len(COLUMNS)):
                self.cell(row, column).setFont(code_font())
        if results:
            self.setColumnWidth(2, 130)
            self.setColumnWidth(3, 190)
