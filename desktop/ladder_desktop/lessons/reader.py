"""The text view of the lesson page: a measured column, links that only report themselves, nothing ever loaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QByteArray, QEvent, QPoint, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextTable,
    QTextTableFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser

from ladder_desktop.lessons.find_text import TextMatches
from ladder_desktop.lessons.formula import draw_formulas
from ladder_desktop.lessons.style import BODY_POINTS, text_sheet
from ladder_desktop.theme import Theme

MEASURE = 70  # characters in a line that the eye finds its way back from
TABLE = 104  # characters across a table, which is read by cells and may stand out on both sides
_SAMPLE = "The scheduler admits what the block pool can hold and defers the rest of it."


class Reader(QTextBrowser):
    """Shows HTML made by `Markdown`. A link is never followed here: `link_activated(address, below)` says where."""

    link_activated = Signal(str, QPoint)  # the address, and the global point below the link

    def __init__(
        self,
        theme: Theme,
        name: str,
        *,
        points: float = BODY_POINTS,
        margin: int = 28,
        measure: int = MEASURE,
    ) -> None:
        super().__init__()
        self._margin = margin
        self._measure = measure
        self._inset = -1.0
        self._top = 0  # the character that stands at the top of the view
        self._moving = False
        self.matches = TextMatches(self, theme)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # everything wraps
        self.setUndoRedoEnabled(False)
        font = self.font()
        font.setPointSizeF(theme.points(points))
        self.setFont(font)
        draw_formulas(self.document())
        self.document().setDocumentMargin(0)
        self.document().setIndentWidth(22)
        self.document().setDefaultStyleSheet(text_sheet(theme, points))
        self.anchorClicked.connect(self._report_link)
        self.highlighted.connect(self._show_address)
        self.verticalScrollBar().valueChanged.connect(self._note_top)

    def show_html(self, html: str) -> None:
        """Replace the text."""
        self.setHtml(html)  # a scroll bar that goes with the old text sets margins on what is no text yet
        self._inset = -1.0
        self._top = 0
        self._set_margins()

    @property
    def reading_position(self) -> int:
        """The character at the top of the view; it stays there when the view changes its width or its font."""
        return self._top

    def go_to(self, position: int) -> None:
        """Bring a character to the top of the view."""
        with self._staying_at(position):
            pass

    def link_point(self, address: str, after: int = 0) -> QPoint | None:
        """Bring the first link with this address at or after a character into view; return the point below it."""
        block = self.document().findBlock(after)
        while block.isValid():
            fragments = block.begin()
            while not fragments.atEnd():
                if fragments.fragment().charFormat().anchorHref() == address:
                    cursor = QTextCursor(self.document())
                    cursor.setPosition(fragments.fragment().position() + 1)
                    self.setTextCursor(cursor)
                    self.ensureCursorVisible()
                    return self.viewport().mapToGlobal(self.cursorRect(cursor).bottomLeft())
                fragments += 1
            block = block.next()
        return None

    def loadResource(self, _kind: int, _name: QUrl | str) -> QByteArray:
        """Refuse every image, style sheet and page: a lesson is text, wherever it came from."""
        return QByteArray()

    def setSource(self, *_: object) -> None:
        """Refuse to leave the text."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the column in the middle, and what is read where it is."""
        with self._staying_at(self._top):
            super().resizeEvent(event)
            self._set_margins()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; the size of the text is the application's to change, headings and all."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Measure the column again when the font changes."""
        with self._staying_at(self._top):
            super().changeEvent(event)
            if event.type() == QEvent.Type.FontChange:
                self._set_margins()

    def anchors(self) -> dict[str, QTextBlock]:
        """Return the block at which each named anchor stands, in reading order."""
        found: dict[str, QTextBlock] = {}
        block = self.document().begin()
        while block.isValid():
            fragments = block.begin()
            while not fragments.atEnd():
                for name in fragments.fragment().charFormat().anchorNames():
                    found.setdefault(name, block)
                fragments += 1
            block = block.next()
        return found

    def column(self, characters: int) -> float:
        """Return the width of so many characters in a line, in pixels."""
        metrics = QFontMetricsF(self.document().defaultFont())
        return characters * metrics.horizontalAdvance(_SAMPLE) / len(_SAMPLE)

    @contextmanager
    def _staying_at(self, position: int) -> Iterator[None]:
        """Let the text be laid out anew, and scroll so that a character stands at the top of the view."""
        if self._moving:
            yield
            return
        self._moving = True
        yield
        cursor = QTextCursor(self.document())
        cursor.setPosition(max(0, min(position, self.document().characterCount() - 1)))
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(cursor).top() if cursor.position() else 0)
        self._top = cursor.position()
        self._moving = False

    def _note_top(self) -> None:
        if not self._moving:
            self._top = self.cursorForPosition(QPoint(0, 4)).position()

    def _set_margins(self) -> None:
        """Centre the column: the page is as wide as a table may be, and the text stands further in."""
        width = self.viewport().width()
        side = max(self._margin, (width - self.column(TABLE)) / 2)
        inset = max(0.0, (width - self.column(self._measure)) / 2 - side)
        frame = self.document().rootFrame()
        form = QTextFrameFormat(frame.frameFormat())
        if (form.leftMargin(), self._inset) == (side, inset):
            return
        form.setLeftMargin(side)
        form.setRightMargin(side)
        form.setTopMargin(self._margin)
        form.setBottomMargin(self._margin)
        frame.setFrameFormat(form)
        self._inset = inset
        self._indent_text(inset)

    def _indent_text(self, inset: float) -> None:
        margins = QTextBlockFormat()
        margins.setLeftMargin(inset)
        margins.setRightMargin(inset)
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        block = self.document().begin()
        while block.isValid():
            cursor.setPosition(block.position())
            table = cursor.currentFrame()
            if not isinstance(table, QTextTable):
                cursor.mergeBlockFormat(margins)
            elif table.columns() <= 2:  # code, quotations and narrow tables belong to the text
                form = QTextTableFormat(table.format())
                if form.leftMargin() != inset:
                    form.setLeftMargin(inset)
                    form.setRightMargin(inset)
                    table.setFormat(form)
            block = block.next()
        cursor.endEditBlock()

    def _show_address(self, url: QUrl) -> None:
        """Say where a link to the web leads before it is followed."""
        self.viewport().setToolTip(url.toString() if url.scheme() in ("http", "https") else "")

    def _report_link(self, url: QUrl) -> None:
        below = self.cursorRect(self.textCursor()).bottomLeft()
        self.link_activated.emit(url.toString(), self.viewport().mapToGlobal(below))
