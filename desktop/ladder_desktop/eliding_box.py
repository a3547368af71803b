"""A check box whose words end in … where there is no room for all of them; the whole is its tip and its name."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy

LEAST = 12  # letters that are always seen


class ElidingBox(QCheckBox):
    """`words` are plain text."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # Qt's own never shrinks
        self.setAccessibleName(words)
        self.setToolTip(words)
        self._elide(self._width_of(words))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much as there is room for."""
        super().resizeEvent(event)
        self._elide(event.size().width() - self._around())

    def sizeHint(self) -> QSize:
        """Return the room of all words."""
        return QSize(self._around() + self._width_of(self._words), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return the room of a few letters."""
        letters = LEAST * self.fontMetrics().averageCharWidth()
        return QSize(self._around() + letters, super().minimumSizeHint().height())

    def _elide(self, room: int) -> None:
        shown = self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room)
        self.setText(shown.replace("&", "&&"))

    def _around(self) -> int:
        """The box itself, and the gap."""
        return super().sizeHint().width() - self._width_of(self.text().replace("&&", "&"))

    def _width_of(self, words: str) -> int:
        return self.fontMetrics().horizontalAdvance(words)
