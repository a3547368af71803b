"""A push button for pages that are worked by keys.

A click with the mouse leaves the keyboard focus with the page, so that Space and Enter keep their meaning there. Whoever
walks to the button with Tab presses it with Space or Enter. The second press of a double click, and a key held down,
do nothing: the first has already changed what stands under the hand.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QPushButton, QWidget

PRESSES = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class KeyButton(QPushButton):
    """A button with the behaviour that the top of this file describes."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def event(self, event: QEvent) -> bool:
        """Claim Space and Enter before a shortcut of the page takes them."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() in PRESSES
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press at the first event of a key; a key held down does not press again."""
        if event.key() not in PRESSES:
            super().keyPressEvent(event)
        elif not event.isAutoRepeat():
            self.click()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Swallow the second press."""
        event.accept()
