"""One option of a step, as wide as its column and as high as its text, with its letter."""

from __future__ import annotations

from ladder_content.model import Option
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStyle, QStyleOptionButton

from ladder_desktop.review.key_button import KeyButton
from ladder_desktop.review.prose import PackText, Prose
from ladder_desktop.theme import Theme


class OptionButton(KeyButton):
    """A button whose text wraps and may hold Markdown."""

    def __init__(self, letter: str, option: Option, text: PackText, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.struck = False
        self.setAccessibleName(f"{letter}: {option.text}")
        badge = QLabel(letter)
        badge.setObjectName("overline")
        badge.setFixedWidth(18)
        self._prose = prose = Prose(text)
        prose.set_line(option.text)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 14, 10)
        row.setSpacing(8)
        row.addWidget(badge, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(prose, 1)
        for label in (badge, prose):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def strike_out(self) -> None:
        """Cross the option out: it can be read and no longer be picked."""
        if self.struck:
            return
        self.struck = True
        self.setEnabled(False)
        self.setAccessibleName(f"{self.accessibleName()} (struck out)")
        font = self._prose.font()
        font.setStrikeOut(True)
        self._prose.setFont(font)

    def sizeHint(self) -> QSize:
        """Return the size the text wants, not that of a one-line button."""
        return self._row.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the smallest size that shows the text."""
        return self._row.minimumSize()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a card whose edge answers to the pointer and to the focus."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
        lit = focused or bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(self._theme.colour("sunken" if self.isDown() or self.struck else "surface"))
        painter.setPen(QPen(self._theme.colour("accent" if lit else "line"), 2 if focused else 1))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 8, 8)
