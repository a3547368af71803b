"""A row of widgets that goes on in a second row where there is no room left; nothing in it overlaps or is cut off."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLayout, QLayoutItem, QWidget


class Flow(QLayout):
    """`grow` adds a widget that takes the room that its row has left; every other keeps the width it asks for.

    A widget that is wider than the whole row gets the row.
    """

    def __init__(self, parent: QWidget | None = None, spacing: int = 6) -> None:
        super().__init__(parent)
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)
        self._items: list[QLayoutItem] = []
        self._growing: dict[int, int] = {}  # place: the least width in pixels, 0 for what the widget asks for

    def grow(self, widget: QWidget, least: int = 0) -> None:
        """Add a widget that takes what is left, and no less than so many pixels."""
        self._growing[self.count()] = least
        self.addWidget(widget)

    def keep_together(self, *widgets: QWidget) -> QWidget:
        """Add widgets that stand in one row, come what may; return what holds them."""
        group = QWidget()
        row = QHBoxLayout(group)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self.spacing())
        for widget in widgets:
            row.addWidget(widget)
        self.addWidget(group)
        return group

    def addItem(self, item: QLayoutItem) -> None:
        """Qt: one more at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Qt: how many there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Qt: one of them."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Qt: part with one."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Qt: it takes the width that it gets."""
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        """Qt: the rows depend on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Qt: all rows."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        """Qt: everything in one row."""
        shown = [place for place, item in enumerate(self._items) if _there(item)]
        edges = self.contentsMargins()
        wide = sum(map(self._least, shown)) + self.spacing() * max(0, len(shown) - 1)
        wide += edges.left() + edges.right()
        return QSize(wide, self.heightForWidth(wide))

    def minimumSize(self) -> QSize:
        """Qt: in less width there are more rows; how high they are, `heightForWidth` says."""
        tallest = max((item.sizeHint().height() for item in self._items if not item.isEmpty()), default=0)
        widest = max((item.minimumSize().width() for item in self._items if not item.isEmpty()), default=0)
        return QSize(widest, tallest).grownBy(self.contentsMargins())

    def setGeometry(self, rect: QRect) -> None:
        """Qt: give every widget its place."""
        super().setGeometry(rect)
        for item in self._items:
            if not _there(item):
                item.setGeometry(QRect())  # nothing of it lies over the others
        self._place(rect, move=True)

    def _least(self, place: int) -> int:
        return self._growing.get(place) or self._items[place].sizeHint().width()

    def _rows(self, width: int) -> Iterator[list[int]]:
        row: list[int] = []
        used = 0
        for place, item in enumerate(self._items):
            if not _there(item):
                continue
            least = self._least(place)
            if row and used + least > width:
                yield row
                row, used = [], 0
            row.append(place)
            used += least + self.spacing()
        if row:
            yield row

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Lay the rows out in a rectangle; return how high they are, with the edges."""
        edges = self.contentsMargins()
        rect = rect.marginsRemoved(edges)
        top = rect.top()
        for row in self._rows(rect.width()):
            widths = self._widths(row, rect.width())
            heights = [
                self._height(self._items[place], wide) for place, wide in zip(row, widths, strict=True)
            ]
            tall, left = max(heights), rect.left()
            for place, wide, high in zip(row, widths, heights, strict=True):
                if move:
                    at = QPoint(left, top + (tall - high) // 2)
                    self._items[place].setGeometry(QRect(at, QSize(wide, high)))
                left += wide + self.spacing()
            top += tall + self.spacing()
        return max(0, top - rect.top() - self.spacing()) + edges.top() + edges.bottom()

    def _widths(self, row: list[int], width: int) -> list[int]:
        """How wide each of a row is: the free room goes in equal parts to those that grow."""
        least = [min(self._least(place), width) for place in row]
        free = width - sum(least) - self.spacing() * (len(row) - 1)
        growing = [at for at, place in enumerate(row) if place in self._growing]
        ends = [free * share // max(1, len(growing)) for share in range(len(growing) + 1)]
        for at, (begin, end) in zip(growing, pairwise(ends), strict=True):
            least[at] += end - begin
        return least

    def _height(self, item: QLayoutItem, width: int) -> int:
        return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()


def _there(item: QLayoutItem) -> bool:
    """Whether there is anything to see of it; of a group whose widgets are hidden there is not."""
    return not item.isEmpty() and item.sizeHint().width() > 0
