"""A map as two tables, for those who read better than they see: every box and every arrow, with what the drawing tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ladder_content.model import Map
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.lessons.map_canvas import mechanism_name
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.walk import Place
from ladder_desktop.lessons.wrapped import WrappedItem
from ladder_desktop.word_table import WordTable

BOXES = {"Box": 190, "Mechanism": 120, "Why it exists": 360}  # and the width of each column
ARROWS = {
    "From": 120,
    "To": 120,
    "What passes": 120,
    "Protocol": 140,
    "Direction": 140,
    "Effect": 170,
    "Consequence": 180,
}


class MapTable(QWidget):
    """The boxes above, the arrows below; Tab moves between the tables, arrow keys within them."""

    def __init__(self, markdown: Markdown) -> None:
        super().__init__()
        self._plain = markdown.plain
        self._ids: list[str] = []
        self.boxes = _table("Boxes of the map", BOXES)
        self.arrows = _table("Arrows of the map", ARROWS)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        for title, table, share in (("Boxes", self.boxes, 2), ("Arrows", self.arrows, 3)):
            heading = QLabel(title)
            heading.setProperty("role", "heading")
            layout.addWidget(heading)
            layout.addWidget(table, share)

    def show_map(self, chart: Map) -> None:
        """Fill both tables; the arrows name their ends by the labels of the boxes."""
        self._ids = [node.id for node in chart.nodes]
        names, plain = {node.id: node.label for node in chart.nodes}, self._plain
        _fill(self.boxes, [(n.label, mechanism_name(n.mechanism or ""), plain(n.why)) for n in chart.nodes])
        told = [(e.label, e.protocol, e.direction, e.effect, e.consequence) for e in chart.edges]
        ends = [(names[e.source], names[e.target]) for e in chart.edges]
        _fill(self.arrows, [(*end, *map(plain, texts)) for end, texts in zip(ends, told, strict=True)])

    def choose(self, place: Place | None) -> None:
        """Select the row of a box or an arrow, or none."""
        self.boxes.clearSelection()
        self.arrows.clearSelection()
        if isinstance(place, int):
            self.arrows.selectRow(place)
        elif place is not None:
            self.boxes.selectRow(self._ids.index(place))


class _Table(WordTable):
    """A table whose rows are as high as their texts, whatever its width."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Measure the rows again: the last column has changed."""
        super().resizeEvent(event)
        self.resizeRowsToContents()


def _table(name: str, headings: Mapping[str, int]) -> QTableWidget:
    table = _Table(name, list(headings))
    table.setWordWrap(True)
    table.setAlternatingRowColors(True)
    table.setTextElideMode(Qt.TextElideMode.ElideNone)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setItemDelegate(WrappedItem(table))
    header = table.horizontalHeader()
    for column, width in enumerate(headings.values()):
        table.setColumnWidth(column, width)
    header.setStretchLastSection(True)
    header.sectionResized.connect(table.resizeRowsToContents)
    return table


def _fill(table: QTableWidget, rows: Sequence[Sequence[str]]) -> None:
    table.setRowCount(len(rows))
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            item = QTableWidgetItem(text)
            item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            table.setItem(row, column, item)
    table.resizeRowsToContents()
