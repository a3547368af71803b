"""A scrolling column of text of a comfortable width, in the middle of whatever room there is."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFocusEvent, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

READING_WIDTH = 780


def tab_through(*widgets: QWidget) -> None:
    """Have Tab visit these widgets one after another; new ones would otherwise come last on the page."""
    for before, after in pairwise(widgets):
        QWidget.setTabOrder(before, after)


class Column(QScrollArea):
    """Put widgets into `rows`. It takes the focus, so that the arrow and page keys scroll it."""

    def __init__(self, name: str, width: int = READING_WIDTH) -> None:
        super().__init__()
        self.setObjectName("column")
        self.setAccessibleName(name)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget()
        page.setObjectName("page")
        text = QWidget()
        text.setMaximumWidth(width)
        self.rows = QVBoxLayout(text)
        self.rows.setContentsMargins(30, 8, 30, 32)
        self.rows.setSpacing(14)
        across = QHBoxLayout(page)
        across.setContentsMargins(0, 0, 0, 0)
        across.addStretch(1)
        across.addWidget(text, 1000)
        across.addStretch(1)
        self.setWidget(page)
        self.setProperty("ring", False)
        self.verticalScrollBar().rangeChanged.connect(self._settle)
        self._wanted: QWidget | None = None
        self._share: float | None = None

    @property
    def scrolled(self) -> float:
        """How far down the view stands, 0 to 1."""
        bar = self.verticalScrollBar()
        return bar.value() / bar.maximum() if bar.maximum() else 0.0

    def scroll_back(self, share: float) -> None:
        """Stand as far down as another view did, once the text has its height."""
        self._wanted, self._share = None, share
        QTimer.singleShot(0, self, self._settle)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """From here on the person says where the view stands."""
        self._wanted = self._share = None
        super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The same."""
        self._wanted = self._share = None
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a ring to somebody who walks with Tab; around the text of the page it would only be noise."""
        super().focusInEvent(event)
        self._set_ring(event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        super().focusOutEvent(event)
        self._set_ring(False)

    def _set_ring(self, ring: bool) -> None:
        self.setProperty("ring", ring)
        self.style().unpolish(self)
        self.style().polish(self)

    def show_top(self) -> None:
        """Scroll to the top."""
        self._wanted = self._share = None
        self.verticalScrollBar().setValue(0)

    def bring_into_view(self, widget: QWidget) -> None:
        """Scroll so far that `widget` can be read, now and whenever the text around it takes its final height."""
        self._wanted, self._share = widget, None
        QTimer.singleShot(0, self, self._settle)

    def _settle(self) -> None:
        if self._wanted is not None:
            self.ensureWidgetVisible(self._wanted, 0, 24)
        elif self._share is not None:
            self.verticalScrollBar().setValue(round(self._share * self.verticalScrollBar().maximum()))
