"""A place for a label whose text changes with every step."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class Still(QWidget):
    """Gives a label so many lines, as wide as there is room. Whatever it says, nothing is laid out anew.

    A label in a layout asks for that with every text, and it takes longer than all there is to paint.
    """

    def __init__(self, label: QLabel, lines: int = 1, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label, self._lines = label, lines
        label.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        """Qt: its lines."""
        return QSize(1, self._label.fontMetrics().size(0, "\n".join("x" * self._lines)).height())

    def minimumSizeHint(self) -> QSize:
        """Qt: no fewer."""
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: all of it is the label's."""
        super().resizeEvent(event)
        self._label.setGeometry(self.rect())
