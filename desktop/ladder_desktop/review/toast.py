"""A short message above the footer that leaves by itself, with an Undo while there is something to undo."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from ladder_desktop.review.key_button import KeyButton

STAYS_MS = 8000
ABOVE_BOTTOM = 92  # clear of the footer with the rating buttons


class Toast(QFrame):
    """Lies over its page at the bottom and never takes the focus."""

    undo = Signal()

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.setObjectName("toast")
        self._label = QLabel()
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self.undo_button = KeyButton("Undo")
        self.undo_button.setAccessibleName("Undo the last rating")
        self.undo_button.clicked.connect(self.undo)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._label)
        self._row.addWidget(self.undo_button)
        self.timer = QTimer(self)
        self.timer.setSingleShot(True)
        self.timer.setInterval(STAYS_MS)
        self.timer.timeout.connect(self.hide)
        page.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        """What the toast says now; empty when it is hidden."""
        return "" if self.isHidden() else self._label.text()

    def say(self, text: str, undoable: bool) -> None:
        """Show a message for a few seconds."""
        self._label.setText(text)
        self.undo_button.setVisible(undoable)
        self._row.setContentsMargins(16, 6, 8 if undoable else 16, 6)
        self.setMinimumHeight(40)
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()
        self.timer.start()

    def dismiss(self) -> None:
        """Leave at once."""
        self.timer.stop()
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the page when it changes its size."""
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        left, top = (
            (self._page.width() - self.width()) // 2,
            self._page.height() - self.height() - ABOVE_BOTTOM,
        )
        self.move(left, top)
