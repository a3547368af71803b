"""The field of a numeric card: an answer to type, its unit beside it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from ladder_desktop.review.numbers_typed import LONGEST


class AnswerLine(QLineEdit):
    """While it is empty, Space and undo are the page's: they look at the answer and take back the last rating."""

    def event(self, event: QEvent) -> bool:
        """Leave these keys to the page's shortcuts."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not self.text()
            and (event.key() == Qt.Key.Key_Space or event.matches(QKeySequence.StandardKey.Undo))
        ):
            event.ignore()
            return True
        return super().event(event)


class AnswerField(QWidget):
    """Shows the field, its unit, and a note where what was typed cannot be read."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.line = AnswerLine()
        self.line.setObjectName("typed")
        self.line.setPlaceholderText("your answer")
        self.line.setMaxLength(LONGEST)
        self.line.setFixedWidth(260)
        self.line.setAccessibleName(f"Your answer in {unit}" if unit else "Your answer")
        self.line.setAccessibleDescription("Enter checks it. Space in the empty field shows the answer.")
        self._unit = QLabel(unit)
        self._unit.setObjectName("unit")
        self.note = QLabel()
        self.note.setObjectName("caption")
        self.note.hide()
        for label in (self._unit, self.note):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        across = QHBoxLayout()
        across.setSpacing(10)
        across.addWidget(self.line)
        across.addWidget(self._unit, 1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(6)
        rows.addLayout(across)
        rows.addWidget(self.note)
        self.line.textEdited.connect(self.note.hide)

    def refuse(self) -> str:
        """Say that the text is not a number of this unit; return the sentence."""
        kind = f"a number of {self._unit.text()}" if self._unit.text() else "a number"
        sentence = f"This does not read as {kind}. Mend it, or empty the field and press Space to look."
        self.note.setText(sentence)
        self.note.show()
        self.line.setFocus()
        return sentence
