"""The bar in which a person looks for words on the page: as many matches as there are, and a way through them."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QWidget


class Findable(Protocol):
    """A part of the page that can be searched."""

    def find_all(self, text: str) -> int:
        """Mark every match and return how many there are; an empty text takes the marks away."""
        ...

    def first_match(self) -> int:
        """Return the number of the match from which to go on."""
        ...

    def show_match(self, index: int) -> None:
        """Bring a match into view, as the current one."""
        ...


class FindBar(QFrame):
    """Searches one part of the page as one types. Enter goes on, Shift+Enter back, Esc closes and returns the keyboard."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("findBar")
        self._part: Findable | None = None
        self._count = 0
        self._index = 0
        self._came_from: QWidget | None = None
        self.field = _Field()
        self.label = QLabel()
        self.label.setProperty("role", "muted")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 8, 16, 8)
        layout.addWidget(self.field)
        layout.addWidget(self.label, 1)
        for text, name, tip, slot in (
            ("▴", "Previous match", "Shift+F3", self.back),
            ("▾", "Next match", "F3", self.on),
            ("Close", "Close the search", "Esc", self.dismiss),
        ):
            button = QPushButton(text)
            button.setAccessibleName(name)
            button.setToolTip(f"{name} ({tip})")
            button.clicked.connect(slot)
            layout.addWidget(button)
        self.field.textEdited.connect(self._search)
        self.field.wanted.connect(self._go)
        self.hide()

    def open_on(self, part: Findable, came_from: QWidget | None) -> None:
        """Search this part; what was looked for before is there to be typed over."""
        if not self.isVisible():
            self._came_from = came_from
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.search_in(part)

    def search_in(self, part: Findable | None) -> None:
        """Go over to another part with the same words, or to none."""
        if self._part is not None and self._part is not part:
            self._part.find_all("")
        self._part = part
        if self.isVisible():
            self._search(self.field.text())

    def on(self) -> None:
        """Go to the next match; after the last comes the first."""
        self._go(1)

    def back(self) -> None:
        """Go to the match before; before the first comes the last."""
        self._go(-1)

    def dismiss(self) -> None:
        """Take the marks away, close, and return the keyboard to where it was."""
        if self.isVisible():
            self.hide()
            if self._part is not None:
                self._part.find_all("")
            if self._came_from is not None:
                self._came_from.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def _search(self, text: str) -> None:
        if self._part is None:
            return
        self._count = self._part.find_all(text.strip())
        self._index = self._part.first_match() if self._count else 0
        self._show()

    def _go(self, by: int) -> None:
        if self._count:
            self._index = (self._index + by) % self._count
            self._show()

    def _show(self) -> None:
        if self._count and self._part is not None:
            self._part.show_match(self._index)
            text = f"{self._index + 1} of {self._count}"
        else:
            text = "Not on this page" if self.field.text().strip() else ""
        self.label.setText(text)
        self.field.setAccessibleDescription(text)
        if text and self.field.hasFocus():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.field, text))


class _Field(QLineEdit):
    """The words to look for. `wanted` says how many matches to go on, or back."""

    wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Find on this page")
        self.setPlaceholderText("Find on this page")
        self.setClearButtonEnabled(True)
        self.setMaximumWidth(320)
        self.setMinimumWidth(180)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes on, Shift+Enter back."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.wanted.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)
