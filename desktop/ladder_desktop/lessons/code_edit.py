"""An editor for small Python programs: monospace, four spaces to a tab, colours of the theme."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QApplication, QPlainTextDocumentLayout, QPlainTextEdit, QTextEdit, QWidget

from ladder_desktop.lessons.style import blend
from ladder_desktop.theme import BODY_POINTS, Theme, monospace

if TYPE_CHECKING:
    from pygments.token import _TokenType

INDENT = 4
POINTS = 10.0
TOO_LONG = 50_000  # characters; beyond this, colours would hold up the typing

Spans = list[tuple[int, int, QTextCharFormat]]  # start and length in UTF-16 units, as Qt counts


class CodeEdit(QPlainTextEdit):
    """Tab and Shift+Tab indent; Escape hands the keyboard on to `way_out`, so that nobody is caught in here."""

    def __init__(self, name: str, way_out: QWidget, theme: Theme) -> None:
        super().__init__()
        self._way_out = way_out
        self._tint = blend(theme, "bad", "surface", 0.18)
        self.setObjectName("code")
        self.setAccessibleName(name)
        self.setAccessibleDescription("Tab indents. Escape leaves the editor.")
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(code_font())
        self.setTabStopDistance(INDENT * self.fontMetrics().horizontalAdvance(" "))

    def event(self, event: QEvent) -> bool:
        """Leave Ctrl+Enter to the page, which runs the code."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _runs(event):
            event.ignore()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Indent, unindent, keep the indentation of the line before, or edit as usual."""
        if event.key() == Qt.Key.Key_Tab:
            self._indent()
        elif event.key() == Qt.Key.Key_Backtab:
            self._unindent()
        elif event.key() == Qt.Key.Key_Escape:
            self._way_out.setFocus(Qt.FocusReason.TabFocusReason)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not _runs(event):
            self._break_line()
        else:
            super().keyPressEvent(event)

    def mark_line(self, line: int | None) -> None:
        """Tint a line, which counts from 1, and bring it into view; None takes the tint away."""
        block = self.document().findBlockByNumber((line or 0) - 1)
        marks = []
        if block.isValid():
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(block)
            mark.format.setBackground(self._tint)
            mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            marks.append(mark)
            self.setTextCursor(QTextCursor(block))
            self.ensureCursorVisible()
        self.setExtraSelections(marks)

    def _indent(self) -> None:
        cursor = self.textCursor()
        if cursor.hasSelection():
            self._each_line(cursor, _push)
        else:
            cursor.insertText(" " * (INDENT - cursor.positionInBlock() % INDENT))

    def _unindent(self) -> None:
        self._each_line(self.textCursor(), _pull)

    def _each_line(self, cursor: QTextCursor, change: Callable[[QTextCursor], None]) -> None:
        document = self.document()
        first = document.findBlock(cursor.selectionStart()).blockNumber()
        last = document.findBlock(max(cursor.selectionStart(), cursor.selectionEnd() - 1)).blockNumber()
        cursor.beginEditBlock()
        for number in range(first, last + 1):
            change(QTextCursor(document.findBlockByNumber(number)))
        cursor.endEditBlock()

    def _break_line(self) -> None:
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        indent = before[: len(before) - len(before.lstrip(" "))]
        deeper = " " * INDENT if before.rstrip().endswith(":") else ""
        cursor.insertText("\n" + indent + deeper)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()


def code_font() -> QFont:
    """Return the font of programs and of what they print."""
    font = monospace()
    font.setPointSizeF(POINTS / BODY_POINTS * QApplication.font().pointSizeF())
    return font


def code_document(code: str, theme: Theme, parent: QWidget) -> QTextDocument:
    """Return a document for a CodeEdit that holds `code` and colours itself; it keeps its own undo history."""
    document = QTextDocument(parent)
    document.setDocumentLayout(QPlainTextDocumentLayout(document))
    document.setDefaultFont(code_font())
    document.setPlainText(code)
    Highlighter(document, theme)
    return document


class Highlighter(QSyntaxHighlighter):
    """Colours Python with the same Pygments style as the code blocks of a lesson."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        from pygments.lexers.python import PythonLexer

        from ladder_desktop.lessons.highlight import code_style

        super().__init__(QObject(document))  # attached below: it has to hear of a change before it colours it
        self._lexer = PythonLexer(stripnl=False, ensurenl=False)
        self._style = code_style(theme)
        self._formats: dict[_TokenType, QTextCharFormat] = {}
        self._lines: list[tuple[Spans, bool]] | None = None
        document.contentsChange.connect(self._forget)
        self.setDocument(document)

    def highlightBlock(self, _text: str) -> None:
        """Colour one line; whether it ends inside a string decides if Qt asks for the next one too."""
        if self._lines is None:
            self._lines = self._lex(self.document().toPlainText())
        number = self.currentBlock().blockNumber()
        if number < len(self._lines):
            spans, open_end = self._lines[number]
            for start, length, form in spans:
                self.setFormat(start, length, form)
            self.setCurrentBlockState(int(open_end))

    def _forget(self) -> None:
        self._lines = None

    def _lex(self, text: str) -> list[tuple[Spans, bool]]:
        from pygments.token import String, is_token_subtype

        lines: list[tuple[Spans, bool]] = []
        spans: Spans = []
        column = 0
        if len(text) > TOO_LONG:
            return lines
        for _, kind, value in self._lexer.get_tokens_unprocessed(text):
            form = self._format(kind)
            *whole, rest = value.split("\n")
            for piece in whole:
                spans.append((column, _units(piece), form))
                lines.append((spans, is_token_subtype(kind, String)))
                spans, column = [], 0
            spans.append((column, _units(rest), form))
            column += _units(rest)
        return [*lines, (spans, False)]

    def _format(self, kind: _TokenType) -> QTextCharFormat:
        if kind not in self._formats:
            style = self._style.style_for_token(kind)
            form = QTextCharFormat()
            form.setForeground(QColor(f"#{style['color']}"))
            form.setFontItalic(bool(style["italic"]))
            if style["bold"]:
                form.setFontWeight(QFont.Weight.DemiBold)
            self._formats[kind] = form
        return self._formats[kind]


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _runs(event: QKeyEvent) -> bool:
    enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    return enter and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)


def _push(line: QTextCursor) -> None:
    line.insertText(" " * INDENT)


def _pull(line: QTextCursor) -> None:
    text = line.block().text()
    for _ in range(min(INDENT, len(text) - len(text.lstrip(" ")))):
        line.deleteChar()
