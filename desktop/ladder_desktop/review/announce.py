"""Tell a screen reader what has just happened on screen."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, sentence: str) -> None:
    """Have `sentence` read aloud, if anything listens."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, sentence))
