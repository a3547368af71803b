"""The drawing of a map: zoom, pan, click, and a walk along its arrows by keyboard.

The canvas knows places (walk.py) and reports the chosen one; what a place means is told beside it, by maps.py.
"""

from __future__ import annotations

from collections.abc import Collection

from ladder_content.model import Map
from ladder_content.placing import cells
from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView

from ladder_desktop.lessons.geometry import Arrow, Drawing
from ladder_desktop.lessons.layout import arrange
from ladder_desktop.lessons.map_items import Box, Label, Line, Mark, Text, label_room
from ladder_desktop.lessons.walk import Place, Walk
from ladder_desktop.theme import Theme

BOX_WIDTH, WIDEST = 118.0, 200.0  # of the text in a box
LABEL_WIDTH = 80.0
SMALLEST, LARGEST = 0.25, 3.0
LEGIBLE = 0.7  # fitting never shrinks the text below this; a larger map is panned
CLICK = 4  # pixels between press and release that still are a click

_WAYS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0),
    Qt.Key.Key_Down: (0.0, 1.0),
}


class MapCanvas(QGraphicsView):
    """Draws one map at a time. `chosen(place)` says which box or arrow is chosen, None when none is."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._marks: dict[Place, list[Mark]] = {}
        self._walk: Walk | None = None
        self._place: Place | None = None
        self._fitted = True
        self._pressed = QPoint()
        self.setScene(QGraphicsScene(self))
        self.setAccessibleName("Map")
        self.viewport().setAccessibleName("Map")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setBackgroundBrush(theme.colour("surface"))

    @property
    def place(self) -> Place | None:
        """The chosen box or arrow."""
        return self._place

    @property
    def scale_factor(self) -> float:
        """How large the map is drawn: 1.0 is its natural size."""
        return self.transform().m11()

    def show_map(self, chart: Map) -> Drawing:
        """Lay out and draw a map, and fit it to the view; return its layout."""
        self._place = None
        for part in (self, self.viewport()):
            part.setAccessibleName(f"Map: {chart.title}")
        self.scene().clear()
        boxes = {node.id: self._box(chart, index) for index, node in enumerate(chart.nodes)}
        texts = [
            Text(e.label, self._font(8.5), LABEL_WIDTH, Qt.AlignmentFlag.AlignHCenter) for e in chart.edges
        ]
        drawing = arrange(
            cells(chart),
            {name: box.needs() for name, box in boxes.items()},
            [Arrow(e.source, e.target, label_room(t)) for e, t in zip(chart.edges, texts, strict=True)],
        )
        self._marks = {name: [box] for name, box in boxes.items()}
        for name, box in boxes.items():
            box.place_in(drawing.boxes[name])
        for index, (route, text) in enumerate(zip(drawing.routes, texts, strict=True)):
            self._marks[index] = [
                Line(index, route.points, self._theme),
                Label(index, text, route.label, self._theme),
            ]
        for marks in self._marks.values():
            for mark in marks:
                self.scene().addItem(mark)
        bounds = drawing.bounds
        self.setSceneRect(QRectF(bounds.x, bounds.y, bounds.width, bounds.height))
        self._walk = Walk(chart, {name: box.centre for name, box in drawing.boxes.items()})
        self.fit()
        return drawing

    def marks(self) -> list[Mark]:
        """Return everything that is drawn, what lies below first."""
        return sorted((mark for marks in self._marks.values() for mark in marks), key=Mark.zValue)

    def choose(self, place: Place | None) -> None:
        """Choose a box or an arrow, bring it into view, and say so."""
        if place is not None and place not in self._marks:
            return
        for mark in self._marks.get(self._place, []) if self._place is not None else []:
            mark.choose(False)
        self._place = place
        if place is not None:
            for mark in self._marks[place]:
                mark.choose(True)
            self.ensureVisible(self._marks[place][-1], 40, 40)
        self.chosen.emit(place)

    def spotlight(self, places: Collection[Place] | None) -> None:
        """Let everything but these step back; None shows all alike."""
        for place, marks in self._marks.items():
            for mark in marks:
                mark.fade(places is not None and place not in places)

    def mark_found(self, places: Collection[Place]) -> None:
        """Ring the places that hold what is looked for, and no others."""
        for place, marks in self._marks.items():
            for mark in marks:
                mark.find(place in places)

    def fit(self) -> None:
        """Show the whole map, or as much of it as stays legible, from its beginning."""
        self._fitted = True
        scene, view = self.sceneRect(), self.viewport().rect()
        if scene.isEmpty() or view.isEmpty():
            return
        whole = min(view.width() / scene.width(), view.height() / scene.height())
        factor = min(1.2, max(LEGIBLE, whole))
        self.resetTransform()
        self.scale(factor, factor)
        if factor > whole:
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().minimum())
            self.verticalScrollBar().setValue(self.verticalScrollBar().minimum())
        else:
            self.centerOn(scene.center())

    def zoom_in(self) -> None:
        """Draw it larger."""
        self._zoom(1.2)

    def zoom_out(self) -> None:
        """Draw it smaller."""
        self._zoom(1 / 1.2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk along the map's arrows, Home goes to the first box, Esc lets go."""
        key = Qt.Key(event.key())
        if (
            self._walk is not None
            and key in _WAYS
            and not event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            if self._place is None:
                self.choose(self._walk.after(None, 1))
            elif (there := self._walk.toward(self._place, _WAYS[key])) is not None:
                self.choose(there)
        elif self._walk is not None and key == Qt.Key.Key_Home:
            self.choose(self._walk.after(None, 1))
        elif key == Qt.Key.Key_Escape and self._place is not None:
            self.choose(None)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab walks all boxes and arrows in reading order, and leaves the map after the last one."""
        there = self._walk.after(self._place, 1 if forward else -1) if self._walk is not None else None
        if there is None:
            return super().focusNextPrevChild(forward)
        self.choose(there)
        return True

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ctrl and wheel zoom; the wheel alone scrolls."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom(1.0015 ** event.angleDelta().y())
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where a click or a drag begins."""
        self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose what was clicked."""
        super().mouseReleaseEvent(event)
        at = event.position().toPoint()
        if event.button() == Qt.MouseButton.LeftButton and (at - self._pressed).manhattanLength() <= CLICK:
            item = self.itemAt(at)
            self.choose(item.place if isinstance(item, Mark) else None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep a fitted map fitted."""
        super().resizeEvent(event)
        if self._fitted:
            self.fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit when first seen."""
        super().showEvent(event)
        if self._fitted:
            self.fit()

    def _box(self, chart: Map, index: int) -> Box:
        node, bold, small = chart.nodes[index], self._font(10, bold=True), self._font(8)
        longest = max(
            (QFontMetricsF(bold).horizontalAdvance(word) for word in node.label.split()), default=0.0
        )
        width = min(WIDEST, max(BOX_WIDTH, longest + 4))
        label = Text(node.label, bold, width, Qt.AlignmentFlag.AlignLeft)
        caption = Text(_caption(chart, index), small, width, Qt.AlignmentFlag.AlignLeft)
        known = node.mechanism if node.mechanism in self._theme.mechanism else None
        return Box(node.id, label, caption, width, known, self._theme)

    def _zoom(self, factor: float) -> None:
        self._fitted = False
        factor = min(LARGEST, max(SMALLEST, self.scale_factor * factor)) / self.scale_factor
        self.scale(factor, factor)

    def _font(self, points: float, *, bold: bool = False) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(points)
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return font


def _caption(chart: Map, index: int) -> str:
    """Return the small line in a box: the step of a flow, and the mechanism by name."""
    mechanism = chart.nodes[index].mechanism
    parts = [f"Step {index + 1}"] if chart.kind == "flow" else []
    return " · ".join([*parts, mechanism_name(mechanism)] if mechanism else parts)


def mechanism_name(mechanism: str) -> str:
    """Return a mechanism's name for people: `kv_owned` is `KV owned`."""
    words = mechanism.replace("_", " ")
    return "KV" + words[2:] if words.startswith("kv ") else words.capitalize()
