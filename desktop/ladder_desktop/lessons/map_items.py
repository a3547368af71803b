"""What a map is drawn with: a box for a node, a line and a label for an edge. The canvas owns and moves them."""

from __future__ import annotations

from html import escape
from math import atan2, cos, hypot, pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
    QPolygonF,
    QStaticText,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from ladder_desktop.lessons.geometry import Point, Rect, Size
from ladder_desktop.lessons.style import blend
from ladder_desktop.lessons.walk import Place
from ladder_desktop.theme import Theme

BAR, PAD, RADIUS, CORNER = 6.0, 11.0, 9.0, 9.0
HEAD = 9.0  # the length of an arrowhead
FADED = 0.35


class Text:
    """Wrapped text of a fixed width, measured once; `size` is the room it takes."""

    def __init__(self, text: str, font: QFont, width: float, align: Qt.AlignmentFlag) -> None:
        self._font = font
        self._text = text
        self._option = QTextOption(align)
        room = QRectF(0, 0, width, 100_000)
        natural = QFontMetricsF(font).boundingRect(room, Qt.TextFlag.TextWordWrap, text).width()
        self._option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._static = QStaticText(text)
        self._static.setTextFormat(Qt.TextFormat.PlainText)
        self._static.setTextOption(self._option)
        self._static.setTextWidth(min(width, natural + 2))
        self._static.prepare(font=font)
        self.size = Size(min(width, natural + 2), self._static.size().height()) if text else Size(0, 0)

    def draw(self, painter: QPainter, at: QPointF, colour: QColor) -> None:
        """Draw with the upper left corner at a point."""
        painter.setFont(self._font)
        painter.setPen(colour)
        painter.drawStaticText(at, self._static)

    def svg(self, at: QPointF, colour: str) -> str:
        """Return the same as SVG: a line of text for each line, as long as it is here whatever font a reader has."""
        layout = QTextLayout(self._text, self._font)
        layout.setTextOption(self._option)
        layout.beginLayout()
        elements, y = [], 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(self._static.textWidth())
            line.setPosition(QPointF(0, y))
            words = self._text[line.textStart() : line.textStart() + line.textLength()].rstrip()
            where = at + QPointF(line.naturalTextRect().x(), y + line.ascent())
            width = QFontMetricsF(self._font).horizontalAdvance(words)
            elements.append(
                f'<text x="{where.x():.1f}" y="{where.y():.1f}" textLength="{width:.1f}" fill="{colour}" '
                f"{_font_attributes(self._font)}>{escape(words)}</text>"
            )
            y += line.height()
        layout.endLayout()
        return "".join(elements)


class Mark(QGraphicsItem):
    """The common part: which place of the map it shows, whether it is chosen, whether it is faded."""

    def __init__(self, place: Place, theme: Theme, level: float) -> None:
        super().__init__()
        self.place = place
        self.theme = theme
        self.chosen = False
        self.faded = False
        self.found = False
        self.setZValue(level)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)  # the canvas tells a click from a drag
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def choose(self, chosen: bool) -> None:
        """Show it as chosen, or not."""
        self.chosen = chosen
        self.update()

    def fade(self, faded: bool) -> None:
        """Let it step back while others are shown."""
        self.faded = faded
        self.update()

    def find(self, found: bool) -> None:
        """Show it as one of those that hold what is looked for, or not."""
        self.found = found
        self.update()

    def svg(self) -> str:
        """Return the shape as SVG elements, neither chosen nor faded."""
        raise NotImplementedError

    @property
    def _strength(self) -> float:
        """How strongly to draw: what is faded keeps its ground, so that no line shows through it."""
        return FADED if self.faded else 1.0


class Box(Mark):
    """A rounded box: a bar and a tint in the mechanism's colour, the label, and the mechanism by name."""

    def __init__(
        self, place: str, label: Text, caption: Text, width: float, mechanism: str | None, theme: Theme
    ) -> None:
        super().__init__(place, theme, level=2)
        self._label, self._caption, self._width = label, caption, width
        self._colour = theme.colour(mechanism) if mechanism else theme.colour("faint")
        self._ground = blend(theme, mechanism, "surface", 0.1) if mechanism else theme.colour("surface")
        self._rect = QRectF()

    def needs(self) -> Size:
        """Return the room its text, its bar and its padding need."""
        return Size(self._width + BAR + 2 * PAD, self._content() + 2 * PAD)

    def place_in(self, rect: Rect) -> None:
        """Take up this part of the scene."""
        self.prepareGeometryChange()
        self._rect = QRectF(rect.x, rect.y, rect.width, rect.height)

    def boundingRect(self) -> QRectF:
        """The box and its frame."""
        return self._rect.adjusted(-5, -5, 5, 5)

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw ground, bar, text and frame."""
        outline = QPainterPath()
        outline.addRoundedRect(self._rect, RADIUS, RADIUS)
        painter.fillPath(outline, self._ground)
        painter.setOpacity(self._strength)
        painter.save()
        painter.setClipPath(outline)
        painter.fillRect(QRectF(self._rect.x(), self._rect.y(), BAR, self._rect.height()), self._colour)
        painter.restore()
        pen = QPen(self.theme.colour("accent"), 2.5) if self.chosen else QPen(self.theme.colour("line"), 1.2)
        painter.strokePath(outline, pen)
        if self.found:
            ring = QPainterPath()
            ring.addRoundedRect(self._rect.adjusted(-3, -3, 3, 3), RADIUS + 3, RADIUS + 3)
            painter.strokePath(ring, QPen(self.theme.colour("accent"), 1.6, Qt.PenStyle.DashLine))
        at = QPointF(self._rect.x() + BAR + PAD, self._rect.center().y() - self._content() / 2)
        self._label.draw(painter, at, self.theme.colour("text"))
        self._caption.draw(painter, at + QPointF(0, self._label.size.height + 3), self.theme.colour("muted"))

    def svg(self) -> str:
        """The same as SVG."""
        r = self._rect
        line = self.theme.hex("line")
        left = f"M{r.x() + BAR:.1f} {r.y():.1f}v{r.height():.1f}h{RADIUS - BAR:.1f}"
        bar = f"{left}a{RADIUS} {RADIUS} 0 0 1 {-RADIUS} {-RADIUS}v{2 * RADIUS - r.height():.1f}"
        at = QPointF(r.x() + BAR + PAD, r.center().y() - self._content() / 2)
        return (
            f'<rect x="{r.x():.1f}" y="{r.y():.1f}" width="{r.width():.1f}" height="{r.height():.1f}" '
            f'rx="{RADIUS}" fill="{self._ground.name()}" stroke="{line}" stroke-width="1.2"/>'
            f'<path d="{bar}a{RADIUS} {RADIUS} 0 0 1 {RADIUS} {-RADIUS}z" fill="{self._colour.name()}"/>'
            + self._label.svg(at, self.theme.hex("text"))
            + self._caption.svg(at + QPointF(0, self._label.size.height + 3), self.theme.hex("muted"))
        )

    def _content(self) -> float:
        below = self._caption.size.height
        return self._label.size.height + (below + 3 if below else 0)


class Line(Mark):
    """The line of an edge with rounded corners, and the head at its target."""

    def __init__(self, place: int, points: tuple[Point, ...], theme: Theme) -> None:
        super().__init__(place, theme, level=0)
        self._path = _rounded([QPointF(x, y) for x, y in points])
        self._head = _head(points[-2], points[-1]) if len(points) > 1 else QPolygonF()

    def boundingRect(self) -> QRectF:
        """The line, its head, and its width."""
        return self._path.boundingRect().united(self._head.boundingRect()).adjusted(-6, -6, 6, 6)

    def shape(self) -> QPainterPath:
        """A band wide enough to click."""
        stroker = QPainterPathStroker()
        stroker.setWidth(12)
        return stroker.createStroke(self._path)

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw the line and the head."""
        colour = self.theme.colour("accent" if self.chosen else "faint")
        painter.setOpacity(self._strength)
        painter.setPen(QPen(colour, 2.6 if self.chosen else 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(self._head)

    def svg(self) -> str:
        """The same as SVG."""
        colour = self.theme.hex("faint")
        head = " ".join(f"{point.x():.1f},{point.y():.1f}" for point in self._head.toList())
        return (
            f'<path d="{_path_data(self._path)}" fill="none" stroke="{colour}" stroke-width="1.4"/>'
            f'<polygon points="{head}" fill="{colour}"/>'
        )


class Label(Mark):
    """The words on an edge, on a ground that interrupts the line."""

    def __init__(self, place: int, text: Text, rect: Rect, theme: Theme) -> None:
        super().__init__(place, theme, level=1)
        self._text = text
        self._rect = QRectF(rect.x, rect.y, rect.width, rect.height)

    def boundingRect(self) -> QRectF:
        """The words and a little ground."""
        return self._rect

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw the ground and the words."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour("selection" if self.chosen else "surface"))
        painter.drawRoundedRect(self._rect, 3, 3)
        painter.setOpacity(self._strength)
        if self.found:
            painter.setPen(QPen(self.theme.colour("accent"), 1.2, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self._rect.adjusted(1, 1, -1, -1), 3, 3)
        colour = self.theme.colour("text" if self.chosen else "muted")
        self._text.draw(painter, self._rect.topLeft() + QPointF(LABEL_PAD, 1), colour)

    def svg(self) -> str:
        """The same as SVG."""
        r = self._rect
        return (
            f'<rect x="{r.x():.1f}" y="{r.y():.1f}" width="{r.width():.1f}" height="{r.height():.1f}" rx="3" '
            f'fill="{self.theme.hex("surface")}"/>'
            + self._text.svg(r.topLeft() + QPointF(LABEL_PAD, 1), self.theme.hex("muted"))
        )


LABEL_PAD = 4.0


def label_room(text: Text) -> Size:
    """Return the size of a label with its ground; nothing for an empty one."""
    return Size(text.size.width + 2 * LABEL_PAD, text.size.height + 2) if text.size.width else Size(0, 0)


def _rounded(points: list[QPointF]) -> QPainterPath:
    path = QPainterPath(points[0])
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        path.lineTo(_short_of(corner, before))
        path.quadTo(corner, _short_of(corner, after))
    path.lineTo(points[-1])
    return path


def _short_of(corner: QPointF, other: QPointF) -> QPointF:
    away = other - corner
    length = hypot(away.x(), away.y())
    return corner + away * (min(CORNER, length / 2) / length) if length else corner


def _head(before: Point, tip: Point) -> QPolygonF:
    angle = atan2(tip[1] - before[1], tip[0] - before[0])
    wings = [
        QPointF(tip[0] + HEAD * cos(angle + turn), tip[1] + HEAD * sin(angle + turn))
        for turn in (pi * 0.86, -pi * 0.86)
    ]
    return QPolygonF([QPointF(*tip), *wings])


def _path_data(path: QPainterPath) -> str:
    """Return a path in the words of SVG."""
    words = []
    for index in range(path.elementCount()):
        element = path.elementAt(index)
        letter = {
            QPainterPath.ElementType.MoveToElement: "M",
            QPainterPath.ElementType.LineToElement: "L",
            QPainterPath.ElementType.CurveToElement: "C",
        }.get(element.type, "")  # a curve is followed by its other points
        words.append(f"{letter}{element.x:.1f} {element.y:.1f}")
    return " ".join(words)


def _font_attributes(font: QFont) -> str:
    size = QFontInfo(font).pixelSize()
    weight = ' font-weight="600"' if font.weight() > QFont.Weight.Normal else ""
    return f'font-family="{escape(font.family())}, sans-serif" font-size="{size}"{weight}'
