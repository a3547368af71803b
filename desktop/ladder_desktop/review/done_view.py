"""The page when nothing is due: a success, when the next one comes, and what to do until then."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.review.key_button import KeyButton


class DoneView(QWidget):
    """Two lines and up to two ways on."""

    primary = Signal()
    secondary = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._mark = QLabel("✓")
        self._mark.setObjectName("mark")
        self._heading = QLabel()
        self._heading.setProperty("role", "big")
        self._line = QLabel()
        self._line.setProperty("role", "muted")
        self._line.setWordWrap(True)
        self.primary_button = KeyButton()
        self.primary_button.setAccessibleName("The next thing to do")
        self.primary_button.clicked.connect(self.primary)
        self.secondary_button = KeyButton()
        self.secondary_button.setAccessibleName("Something else to do")
        self.secondary_button.clicked.connect(self.secondary)
        buttons = QHBoxLayout()
        buttons.setSpacing(10)
        buttons.addStretch()
        buttons.addWidget(self.primary_button)
        buttons.addWidget(self.secondary_button)
        buttons.addStretch()
        rows = QVBoxLayout(self)
        rows.setSpacing(12)
        rows.addStretch(3)
        for label in (self._mark, self._heading, self._line):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            rows.addWidget(label)
        rows.addSpacing(14)
        rows.addLayout(buttons)
        rows.addStretch(4)

    def say(self, heading: str, line: str, primary: str, secondary: str) -> None:
        """Set the words; an empty one hides its button, and the first that is left is the way on."""
        self._heading.setText(heading)
        self._line.setText(line)
        for button, text in ((self.primary_button, primary), (self.secondary_button, secondary)):
            button.setText(text)
            button.setVisible(bool(text))
            button.setProperty("role", "primary" if text == (primary or secondary) else "")
            button.style().unpolish(button)
            button.style().polish(button)
            if text:
                button.setAccessibleName(text)

    @property
    def text(self) -> str:
        """The two lines, as one."""
        return f"{self._heading.text()} {self._line.text()}"
