"""The bar over a session outside the queue: what it goes through, how much is left, and whether answers count."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel

from ladder_desktop.review.key_button import KeyButton
from ladder_desktop.review.tick import Tick
from ladder_desktop.study.session import Session
from ladder_desktop.theme import Theme


class SessionBar(QFrame):
    """Hidden while the queue is drilled. `left_session` asks to go back to it, `counts` whether answers count."""

    left_session = Signal()
    counts = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("aside")
        self._words = QLabel()
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self.count_box = Tick("Answers count for the schedule", theme)
        counted = QLabel("Answers count")
        counted.setBuddy(self.count_box)
        self.count_box.setToolTip("Off: the schedule stays as it is, and answers are not logged.")
        self.count_box.toggled.connect(self.counts)
        self.leave_button = KeyButton("Back to the queue")
        self.leave_button.setAccessibleName("Back to the queue")
        self.leave_button.setToolTip("Esc")
        self.leave_button.clicked.connect(self.left_session)
        row = QHBoxLayout(self)
        row.setContentsMargins(29, 8, 32, 8)
        row.setSpacing(10)
        row.addWidget(self._words, 1)
        row.addWidget(self.count_box)
        row.addWidget(counted)
        row.addWidget(self.leave_button)
        self.hide()

    @property
    def text(self) -> str:
        """What the bar says; empty when it is hidden."""
        return "" if self.isHidden() else self._words.text()

    def show_session(self, session: Session | None) -> None:
        """Show where a session is; None hides the bar."""
        self.setVisible(session is not None)
        if session is not None:
            cards = "1 card" if session.left == 1 else f"{session.left} cards"
            self._words.setText(f"{session.name}  ·  {cards} left")
            self.count_box.blockSignals(True)
            self.count_box.setChecked(session.scheduled)
            self.count_box.blockSignals(False)
