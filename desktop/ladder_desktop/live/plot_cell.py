"""A plot under its title and its figures."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.live.still import Still


class Cell(QWidget):
    """A plot under its title and its figures, which stand beneath each other where `needed` pixels are not there."""

    def __init__(self, title: QLabel, figures: QLabel, plot: QWidget, needed: int) -> None:
        super().__init__()
        self._needed, self._figures = needed, figures
        self._head = QHBoxLayout()
        self._head.setSpacing(2)
        self._head.addWidget(title)
        self._head.addWidget(Still(figures), 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self._head)
        column.addWidget(plot, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: see the class."""
        super().resizeEvent(event)
        beside = self.width() >= self._needed
        self._head.setDirection(
            QHBoxLayout.Direction.LeftToRight if beside else QHBoxLayout.Direction.TopToBottom
        )
        side = Qt.AlignmentFlag.AlignRight if beside else Qt.AlignmentFlag.AlignLeft
        self._figures.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
