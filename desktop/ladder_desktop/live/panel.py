"""The frame of each view in the live panel: its name, its measured figures, its legend."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.live.legend import Legend
from ladder_desktop.live.still import Still
from ladder_desktop.live.words import steady_font


class Panel(QWidget):
    """A view under its name and its figures, with its legend beside them, or beneath it if there is no room there."""

    def __init__(
        self,
        name: str,
        figures: QLabel,
        view: QWidget,
        legend: Legend | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        figures.setFont(steady_font(figures.font()))
        figures.setMinimumWidth(1)
        self._legend = legend
        self._name = QLabel(f"<b>{name}</b>")
        self._head = QHBoxLayout()
        self._head.setSpacing(10)
        self._head.addWidget(self._name)
        self._head.addWidget(Still(figures), 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(6, 4, 6, 4)
        self._column.setSpacing(4)
        self._column.addLayout(self._head)
        self._column.addWidget(view, 1)
        if legend is not None:
            self._column.addWidget(legend)

    def minimumSizeHint(self) -> QSize:
        """Qt: what it needs at this width, in which its legend may take several rows."""
        least = super().minimumSizeHint()
        return QSize(
            least.width(), max(least.height(), self._column.totalMinimumHeightForWidth(self.width()))
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: the legend goes where there is room."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
        if self._legend is None:
            return
        words = (
            self._name.fontMetrics().averageCharWidth() * 36
        )  # figures such as "999 ms a step, 9,999 tokens/s"
        beside = self._name.sizeHint().width() + words + self._legend.sizeHint().width() < self.width()
        home, other = (self._head, self._column) if beside else (self._column, self._head)
        if home.indexOf(self._legend) < 0:
            other.removeWidget(self._legend)
            home.addWidget(self._legend)
