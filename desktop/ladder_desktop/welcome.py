"""The first-run view: what this is in three lines, and one button that leads to the first card."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

WIDEST = 620
PROMISES = (
    ("Read", "six studies: what binds first, and only then which product."),
    ("Drill", "the questions an interviewer asks, each again when you are about to forget it."),
    ("Run", "every claim on a real little engine, and watch its memory and its batch move."),
)


class Welcome(QWidget):
    """Shown once. `begun` asks for the first card, `skipped` for the page behind it."""

    begun = Signal()
    skipped = Signal()

    def __init__(self) -> None:
        super().__init__()
        title = QLabel("Name the mechanism first, then the product")
        title.setProperty("role", "title")
        title.setWordWrap(True)
        self.begin = QPushButton("Answer your first card")
        self.begin.setProperty("role", "primary")
        self.begin.clicked.connect(self.begun)
        self.skip = QPushButton("Look around first")
        self.skip.clicked.connect(self.skipped)
        note = QLabel(
            "No account, no network: your progress stays on this machine. Ctrl+K finds anything, ? shows every key."
        )
        note.setProperty("role", "muted")
        note.setWordWrap(True)
        column = QWidget()
        column.setMaximumWidth(WIDEST)
        inner = QVBoxLayout(column)
        inner.setSpacing(12)
        inner.addStretch(2)
        inner.addWidget(title)
        for verb, promise in PROMISES:
            line = QLabel(f"<b>{verb}</b> {promise}")
            line.setWordWrap(True)
            inner.addWidget(line)
        inner.addSpacing(10)
        buttons = QHBoxLayout()
        buttons.setSpacing(12)
        buttons.addWidget(self.begin)
        buttons.addWidget(self.skip)
        buttons.addStretch(1)
        inner.addLayout(buttons)
        inner.addSpacing(10)
        inner.addWidget(note)
        inner.addStretch(3)
        across = QHBoxLayout(self)
        across.addStretch(1)
        across.addWidget(column, 1000)
        across.addStretch(1)
        self.setFocusProxy(self.begin)
        self.begin.setAutoDefault(True)
        for button in (self.begin, self.skip):
            button.setMinimumHeight(40)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
