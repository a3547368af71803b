"""A card in a person's own words, and a note beside it. What the pack says now is shown where it has changed."""

from __future__ import annotations

from ladder_content.model import Card
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.dialogs import give_room
from ladder_desktop.study import Desk, StudyError
from ladder_desktop.study.overlay import FIELDS, changed_since, fault_in, reworded, wording

LINES = {"question": 3, "answer": 7, "key_points": 4, "follow_up": 2, "note": 3}


class CardEditor(QDialog):
    """Edits one card. `card` is the pack's; accepting stores what differs from it, each step undoable."""

    def __init__(self, desk: Desk, item_id: str, card: Card, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._item_id = item_id
        self._card = card
        self._pack_says = wording(card)
        edits = desk.words.edits(item_id)
        mine = wording(reworded(card, edits))
        changed = changed_since(card, edits)
        self.setWindowTitle("Edit the card")
        give_room(self, 90, 38)
        self.fields: dict[str, QPlainTextEdit] = {}
        rows = QVBoxLayout()
        for field, title in FIELDS.items():
            self._add(rows, field, title + (" (one a line)" if field == "key_points" else ""), mine[field])
            if field in changed:
                rows.addWidget(_quiet(f"The pack has changed since. It says now: {changed[field]}"))
        self._add(rows, "note", "Your note", desk.words.note(item_id))
        self._fault = QLabel()
        self._fault.setProperty("role", "bad")
        self._fault.setWordWrap(True)
        self._fault.hide()
        self.restore_button = QPushButton("Use the pack's words")
        self.restore_button.setAutoDefault(False)
        self.restore_button.setEnabled(bool(edits))
        self.restore_button.clicked.connect(self._restore)
        self._lay_out(rows)
        QShortcut(QKeySequence("Ctrl+Return"), self, self.accept)
        self.fields["question"].setFocus()

    @property
    def fault(self) -> str:
        """Why the words cannot be stored; empty while nothing is wrong."""
        return "" if self._fault.isHidden() else self._fault.text()

    def accept(self) -> None:
        """Store the words and the note, or say what is wrong with them."""
        own = {field: self.fields[field].toPlainText().strip() for field in FIELDS}
        fault = fault_in(self._card, own)
        if not fault:
            try:
                self._desk.words.edit(self._item_id, own, self._pack_says)
                self._desk.words.write_note(self._item_id, self.fields["note"].toPlainText())
            except StudyError as error:
                fault = str(error)
        if fault:
            self._fault.setText(fault)
            self._fault.show()
        else:
            super().accept()

    def _restore(self) -> None:
        """Put the pack's words into the fields; they are stored with the rest."""
        for field, text in self._pack_says.items():
            self.fields[field].setPlainText(text)

    def _add(self, rows: QVBoxLayout, field: str, title: str, text: str) -> None:
        label = QLabel(title)
        box = QPlainTextEdit(text)
        box.setObjectName("field")
        box.setAccessibleName(title)
        box.setTabChangesFocus(True)
        box.setFixedHeight(box.fontMetrics().lineSpacing() * LINES[field] + 16)
        label.setBuddy(box)
        rows.addWidget(label)
        rows.addWidget(box)
        self.fields[field] = box

    def _lay_out(self, rows: QVBoxLayout) -> None:
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.addButton(self.restore_button, QDialogButtonBox.ButtonRole.ResetRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        rows.setContentsMargins(0, 0, 10, 0)
        page = QWidget()
        page.setLayout(rows)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(18, 16, 18, 16)
        whole.addWidget(scroll, 1)
        whole.addWidget(self._fault)
        whole.addWidget(_quiet("Your words stay when the pack is updated. Ctrl+Enter saves."))
        whole.addWidget(buttons)


def _quiet(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "muted")
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label
