"""What is read aloud of a text on screen: its sentences in order, each with the characters it covers there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument, QTextTable

from ladder_desktop.voice.spoken import sentences, spoken, spoken_code, spoken_tex

CODE = "A piece of code stands here."
_SILENT = ("FACTS",)  # the heading of what is not said


@dataclass(frozen=True)
class Line:
    """One sentence: from `start` to `end` in the document, and the words to say."""

    start: int
    end: int
    words: str


def script_of(document: QTextDocument, start: int = 0, end: int | None = None) -> list[Line]:
    """Return the lines of the blocks that begin from `start` up to before `end`.

    The numbers of facts are not said. In a table each cell is told after the name of its column. Code in blocks is
    mentioned and not read.
    """
    last = document.characterCount() if end is None else end
    lines: list[Line] = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < last:
        for line in _lines(block):
            if lines and line.words == lines[-1].words == CODE and line.start == lines[-1].end + 1:
                lines[-1] = Line(lines[-1].start, line.end, CODE)
            else:
                lines.append(line)
        block = block.next()
    return lines


def _lines(block: QTextBlock) -> Iterator[Line]:
    cursor = QTextCursor(block)
    table = cursor.currentTable()
    before = ""
    if table is not None and table.format().headerRowCount():
        cell = table.cellAt(cursor)
        if cell.row() == 0:
            return  # the names of the columns are said with their cells
        if cell.column() > 0:
            before = f"{_text_of(table, 0, cell.column())}: "
    if block.text() in _SILENT:
        return
    if block.text().strip() and _is_code(block):
        yield Line(block.position(), block.position() + block.length() - 1, CODE)
        return
    for begin, end in sentences(block.text()):
        words = _said(block, begin, end)
        if any(character.isalnum() for character in words):
            yield Line(block.position() + begin, block.position() + end, before + words)
            before = ""


def _text_of(table: QTextTable, row: int, column: int) -> str:
    return spoken(table.cellAt(row, column).firstCursorPosition().block().text().strip())


def _is_code(block: QTextBlock) -> bool:
    """Tell whether a block is a line of a program: all of it in one width, in a table of one cell."""
    table = QTextCursor(block).currentTable()
    if table is None or table.columns() != 1:
        return False
    pieces = list(_pieces(block))
    return bool(pieces) and all(kind == "code" for _, _, kind, _ in pieces)


def _said(block: QTextBlock, begin: int, end: int) -> str:
    words = []
    for start, text, kind, tex in _pieces(block):
        piece = text[max(0, begin - start) : max(0, end - start)]
        if piece and kind != "fact":
            say = {"code": spoken_code, "formula": spoken_tex}.get(kind)
            words.append(_spaced(piece) if say is None else f" {say(tex or piece)} ")
    said = "".join(words)
    return " ".join(said.replace(" ,", ",").replace(" .", ".").split())


def _spaced(piece: str) -> str:
    """Say a piece, and keep the spaces at its ends: the next piece may be one of code."""
    return f"{' ' if piece[0].isspace() else ''}{spoken(piece)}{' ' if piece[-1].isspace() else ''}"


def _pieces(block: QTextBlock) -> Iterator[tuple[int, str, str, str]]:
    """Yield where each piece of one format begins in its block, its text, its kind, and the TeX of a formula."""
    fragments = block.begin()
    while not fragments.atEnd():
        fragment = fragments.fragment()
        form = fragment.charFormat()
        kind = "code" if "monospace" in (form.fontFamilies() or ()) else "text"
        if form.anchorHref().startswith("fact:"):
            kind = "fact"
        elif form.isImageFormat():
            kind = "formula"
        yield fragment.position() - block.position(), fragment.text(), kind, form.toolTip()
        fragments += 1
