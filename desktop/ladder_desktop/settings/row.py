"""One row of a panel: what it sets, a sentence of help, and at the right the widget that sets it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget


def setting_row(name: str, help_text: str, widget: QWidget | None = None) -> QWidget:
    """Return the row; the widget takes its accessible name and description from it. Without one it is a heading."""
    label = QLabel(name)
    label.setProperty("role", "heading")
    text = QLabel(help_text)
    text.setProperty("role", "muted")
    text.setWordWrap(True)
    words = QVBoxLayout()
    words.setSpacing(2)
    words.addWidget(label)
    words.addWidget(text)
    row = QWidget()
    across = QHBoxLayout(row)
    across.setContentsMargins(0, 8, 0, 8)
    across.setSpacing(24)
    across.addLayout(words, 1)
    if widget is not None:
        widget.setAccessibleName(name)
        widget.setAccessibleDescription(help_text)
        label.setBuddy(widget)
        across.addWidget(widget, alignment=Qt.AlignmentFlag.AlignTop)
    return row
