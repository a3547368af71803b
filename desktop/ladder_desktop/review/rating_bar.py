"""The four rating buttons, each with the next interval printed on it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QStyle, QStyleOptionButton, QStylePainter, QWidget

from ladder_desktop.review.key_button import KeyButton
from ladder_desktop.study import Preview, Rating
from ladder_desktop.theme import Theme

MEANING = {
    Rating.AGAIN: "I could not answer it",
    Rating.HARD: "I answered it with effort or gaps",
    Rating.GOOD: "I answered it",
    Rating.EASY: "I answered it at once",
}


class RatingButton(KeyButton):
    """One rating: its name, the interval that follows, its key."""

    def __init__(self, rating: Rating, theme: Theme) -> None:
        super().__init__()
        self.rating = rating
        self.label = rating.name.capitalize()
        self.interval = ""
        self._theme = theme
        self.setAccessibleName(self.label)
        self.setFixedHeight(58)
        self.setMinimumWidth(108)

    def set_interval(self, interval: str) -> None:
        """Print the interval, and say it to a screen reader."""
        self.interval = interval
        self.setAccessibleName(
            f"{self.label}, next in {interval}" if interval[:1].isdigit() else f"{self.label}, {interval}"
        )
        self.setAccessibleDescription(f"{MEANING[self.rating]}. Key {self.rating.value}.")
        self.setToolTip(f"{MEANING[self.rating]} ({self.rating.value})")
        self.update()

    def sizeHint(self) -> QSize:
        """Return a size that fits the longest interval."""
        return QSize(160, 58)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the styled button, then name and interval in the middle and the key in the corner."""
        primary = self.property("role") == "primary"
        name_colour = self._theme.colour("accent_text" if primary else "text")
        small_colour = self._theme.colour("accent_text" if primary else "muted")
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        area = self.rect().adjusted(10, 8, -10, -8)
        half = area.height() // 2
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        self._text(
            painter, QRect(area.left(), area.top(), area.width(), half), self.label, font, name_colour.name()
        )
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() - 1)
        font.setWeight(QFont.Weight.Normal)
        lower = QRect(area.left(), area.top() + half, area.width(), half)
        self._text(painter, lower, self.interval, font, small_colour.name())
        painter.setFont(font)
        painter.setPen(small_colour)
        painter.drawText(
            area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, str(self.rating.value)
        )

    def _text(self, painter: QPainter, area: QRect, text: str, font: QFont, colour: str) -> None:
        painter.setFont(font)
        painter.setPen(colour)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)


class RatingBar(QWidget):
    """Again, Hard, Good, Easy. `rated` carries the Rating that was pressed."""

    rated = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.buttons = {rating: RatingButton(rating, theme) for rating in Rating}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addStretch()
        for button in self.buttons.values():
            row.addWidget(button)
            button.clicked.connect(self._press)
        row.addStretch()
        self.emphasise(Rating.GOOD)

    def show_previews(self, previews: Mapping[Rating, Preview]) -> None:
        """Print on each button when the item comes back."""
        for rating, button in self.buttons.items():
            button.set_interval(previews[rating].label)

    def show_words(self, again: str, others: str) -> None:
        """Print words where no interval follows."""
        for rating, button in self.buttons.items():
            button.set_interval(again if rating is Rating.AGAIN else others)

    def emphasise(self, rating: Rating) -> None:
        """Dress one button as the one that Space and Enter press."""
        for each, button in self.buttons.items():
            button.setProperty("role", "primary" if each == rating else "")
            button.style().unpolish(button)
            button.style().polish(button)

    def _press(self) -> None:
        button = self.sender()
        if isinstance(button, RatingButton):
            self.rated.emit(button.rating)
