"""Where the views of the lab stand: those of one run, or those of two. They keep a height at which they can be read."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from ladder_desktop.theme import Theme


class Faces(QStackedWidget):
    """As high as there is room for, and never less than what the face in sight needs."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale = theme.scale
        self._least: list[int] = []
        self.currentChanged.connect(self._keep)

    def add(self, face: QWidget, least: int) -> None:
        """Add a face that needs so many pixels of height at 100 %."""
        self._least.append(round(least * self._scale))
        self.addWidget(face)

    def sizeHint(self) -> QSize:
        """Qt: the least; it grows from there."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def hasHeightForWidth(self) -> bool:
        """Qt: whatever the views inside say."""
        return False

    def _keep(self, place: int) -> None:
        self.setMinimumHeight(self._least[place])


def scrolling(column: QVBoxLayout) -> QScrollArea:
    """Return an area that scrolls up and down where a window is too low for a column of widgets."""
    content, area = QWidget(), QScrollArea()
    content.setLayout(column)
    area.setObjectName("plain")
    area.setAccessibleName("Live lab")
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area
