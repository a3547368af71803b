"""The selected request in full: its prompt and its answer as it streams, its block_table, its measured times."""

from __future__ import annotations

from ladder_engine.tracing.state import RunState
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from ladder_desktop.live.labels import Elided
from ladder_desktop.live.still import Still
from ladder_desktop.live.words import seconds, short_status, status_words, steady_font
from ladder_desktop.theme import Theme


class AnswerPane(QWidget):
    """Shows one sequence; says what to do when none is selected."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.selection: int | None = None
        self._shown: tuple[int | None, str, str] = (None, "", "")
        self.head, self.measured, self.table = Elided(), Elided(), Elided()
        self.measured.setFont(steady_font(self.measured.font()))
        self.table.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.table.setProperty("role", "muted")
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Prompt and answer of the selected request")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for widget in (Still(self.head), Still(self.measured), Still(self.table, lines=2), self.text):
            layout.addWidget(widget)

    def show_state(self, state: RunState, selection: int | None) -> None:
        """Draw the selected sequence of this state; a text that only grew is only appended to."""
        sequence = None if selection is None else state.sequences.get(selection)
        if sequence is None:
            self.head.setText("No request is selected")
            self.head.setToolTip("")
            self.measured.setText("")
            self.table.setText("Select a request, a row or a block\nto read its answer.")
            self._show_text(None, "", "")
            return
        self.head.setText(f"{sequence.seq_id + 1}  {sequence.name}: {short_status(sequence)}")
        self.head.setToolTip(f"{sequence.name}: {status_words(sequence)}")
        self.measured.setText(f"TTFT {seconds(sequence.ttft)}, TPOT {seconds(sequence.tpot)}")
        blocks = ", ".join(map(str, sequence.block_table))
        self.table.setText(
            f"KV of {sequence.num_computed_tokens} of {sequence.num_tokens} tokens,\nblock_table [{blocks}]"
        )
        self._show_text(sequence.seq_id, sequence.prompt, sequence.text)

    def _show_text(self, seq_id: int | None, prompt: str, answer: str) -> None:
        shown_id, shown_prompt, shown_answer = self._shown
        if (seq_id, prompt) != (shown_id, shown_prompt) or not answer.startswith(shown_answer):
            self.text.clear()
            self._append(prompt, "muted")
            shown_answer = ""
        self._append(answer[len(shown_answer) :], "text")
        self._shown = (seq_id, prompt, answer)

    def _append(self, text: str, role: str) -> None:
        if not text:
            return
        ink = QTextCharFormat()
        ink.setForeground(self.theme.colour(role))
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text, ink)
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())
