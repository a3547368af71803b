"""A widget that stands for one of its children where the keyboard is concerned.

Qt's own focus proxy does that too, but then Tab jumps from the widget to the proxy, over every child before it.
"""

from __future__ import annotations

from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget


class PassesFocus(QWidget):
    """Hands the focus on to `first_focus`, which may change."""

    first_focus: QWidget

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Hand the focus on."""
        super().focusInEvent(event)
        self.first_focus.setFocus(event.reason())
