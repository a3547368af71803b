"""The bar at the bottom of a review page: what can be done now, always at the same height and place."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QStackedLayout, QWidget

HEIGHT = 84


class Footer(QFrame):
    """Parts of which one is on show: each has a middle, perhaps something at the left, and a hint at the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("footer")
        self.setFixedHeight(HEIGHT)
        self._parts = QStackedLayout(self)

    def add_part(self, middle: QWidget, left: QWidget | None = None, hint: str = "") -> QLabel:
        """Add a part and return its hint; the first part is number 0."""
        part = QWidget()
        grid = QGridLayout(part)
        grid.setContentsMargins(32, 0, 32, 0)
        for column, stretch in enumerate((1, 0, 1)):
            grid.setColumnStretch(column, stretch)
        side = Qt.AlignmentFlag.AlignVCenter
        if left is not None:
            grid.addWidget(left, 0, 0, Qt.AlignmentFlag.AlignLeft | side)
        grid.addWidget(middle, 0, 1, side)
        words = QLabel(hint)
        words.setObjectName("caption")
        grid.addWidget(words, 0, 2, Qt.AlignmentFlag.AlignRight | side)
        self._parts.addWidget(part)
        return words

    def show_part(self, number: int) -> None:
        """Show one part in place of the others."""
        self._parts.setCurrentIndex(number)
