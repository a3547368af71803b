"""The bar above a map: which map, the steps of a flow, and tools, in as many rows as they need."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QWidget

from ladder_desktop.chooser import Chooser

GAP = 6
WIDEST = 44  # letters of a title
# Where the chooser, the steps and the tools stand, by how many rows there are: row, column, columns.
PLACES = {
    1: ((0, 0, 1), (0, 1, 1), (0, 2, 1)),
    2: ((0, 0, 3), (1, 0, 2), (1, 2, 1)),
    3: ((0, 0, 3), (1, 0, 3), (2, 0, 3)),
}


class MapBar(QWidget):
    """Holds the chooser of maps, buttons for the steps of a flow, and buttons for any map."""

    def __init__(self, titles: Sequence[str], back: QAction, on: QAction, tools: Sequence[QWidget]) -> None:
        super().__init__()
        self.chooser = Chooser()
        self.chooser.setAccessibleName("Map")
        self.chooser.view().setAccessibleName("Maps of this study")
        self.chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.chooser.setMinimumContentsLength(12)
        self.chooser.setMaximumWidth(WIDEST * self.fontMetrics().averageCharWidth())
        self.chooser.addItems(list(titles))
        self._step = QLabel()
        self._step.setProperty("role", "muted")
        self._steps = _row([action_button(back, "◂ Previous"), self._step, action_button(on, "Next ▸")])
        self._parts = (self.chooser, self._steps, _row(tools))
        self._rows = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 10, 16, 10)
        self._grid.setSpacing(GAP)
        self._grid.setColumnStretch(1, 1)
        self.setMinimumWidth(1)  # it takes more rows where one is too long
        self.show_steps(0)

    def show_steps(self, count: int) -> None:
        """Make room for the steps of a flow; 0 is a map without any."""
        self._count = count
        self._steps.setVisible(count > 0)
        self._step.setMinimumWidth(self._step.fontMetrics().horizontalAdvance(f"Step {count} of {count}"))
        self.show_step(None)
        self._arrange()

    def show_step(self, number: int | None) -> None:
        """Say which step one is on, from 1; None is before the first."""
        self._step.setText(f"{self._count} steps" if number is None else f"Step {number} of {self._count}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as many rows as the width asks for."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        _, steps, tools = self._parts
        needed = tools.sizeHint().width() + (steps.sizeHint().width() + GAP if self._count else 0)
        room = self.contentsRect().width() - 32
        one = self.chooser.minimumSizeHint().width() + GAP + needed <= room
        rows = 1 if one else 2 if needed <= room else 3
        if rows == self._rows:
            return
        self._rows = rows
        for part, (row, column, columns) in zip(self._parts, PLACES[rows], strict=True):
            self._grid.addWidget(part, row, column, 1, columns)


def action_button(action: QAction, text: str) -> QPushButton:
    """Return a button that does what an action does, with its name and its key."""
    button = QPushButton(text)
    button.setAccessibleName(action.text())
    button.setToolTip(f"{action.text()} ({action.shortcut().toString()})")
    button.setCheckable(action.isCheckable())
    button.clicked.connect(action.trigger)
    if action.isCheckable():
        action.toggled.connect(button.setChecked)
    return button


def _row(widgets: Sequence[QWidget]) -> QWidget:
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(GAP)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return holder
