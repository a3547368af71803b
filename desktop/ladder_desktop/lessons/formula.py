"""A formula, `$...$` in a pack's Markdown, as a drawing that stands on the line of its text.

It is drawn from outlines whenever its text is painted, so it is as sharp as the screen, the zoom or the paper it goes to. A
formula that cannot be set, or is longer than anybody reads, stands there as it was written.
"""

from __future__ import annotations

import re
import warnings
from base64 import b64decode, b64encode
from functools import cache, lru_cache
from html import escape
from math import ceil
from typing import Any

from PySide6.QtCore import QByteArray, QRect, QRectF, QSizeF
from PySide6.QtGui import (
    QFontInfo,
    QFontMetricsF,
    QGuiApplication,
    QPainter,
    QPyTextObject,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from ladder_desktop.theme import Theme

DRAWN = "formula:"  # how the address of a drawing begins
TEXT = 1.1  # the font of a lesson beside the window's
LETTERS = 1.2  # the letters of a formula, which run small, beside those of the text
LONGEST = 400  # characters
_FRAME = re.compile(r'width="[^"]*" height="[^"]*" viewBox="[^"]*"')


def formula_html(tex: str, theme: Theme, *, block: bool) -> str:
    """Return a formula as an image of the theme's colour, or as code if it cannot be set."""
    font = QGuiApplication.font()
    size = QFontInfo(font).pixelSize() * TEXT * LETTERS * (1.1 if block else 1.0)
    axis = QFontMetricsF(font).xHeight() * TEXT / 4  # how far over the line Qt lays the middle of a picture
    drawn = _drawn(tex, size, axis, theme.hex("text")) if tex else None
    if drawn is None:
        return f"<code>{escape(tex)}</code>"
    data, width, height = drawn
    return (
        f'<img class="math" src="{DRAWN}{data}" width="{width}" height="{height}" '
        f'alt="{escape(tex)}" title="{escape(tex)}">'
    )


@cache
def _typesetter() -> type[Any]:
    """Import ziamath, which is slow and seldom needed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of how a library of theirs finds its table
        from ziamath.config import config
        from ziamath.zmath import Latex
    config.svg2 = False  # Qt draws no symbols of SVG 2
    latex: type[Any] = Latex
    return latex


@lru_cache(maxsize=256)
def _drawn(tex: str, size: float, axis: float, colour: str) -> tuple[str, int, int] | None:
    """Return an SVG in base 64, and the size at which its middle lies on the axis."""
    if len(tex) > LONGEST:
        return None
    try:
        formula = _typesetter()(tex, size=size, color=colour)
        svg, (width, height), depth = formula.svg(), formula.getsize(), -formula.getyofst()
    except Exception:  # a stranger's TeX: the library has many ways to say no, and no base class for them
        return None
    half = ceil(max(height - depth - axis, depth + axis)) + 1
    if not 0 < width < 2000 or not 0 < half < 500:
        return None
    whole = ceil(width) + 2
    svg = _FRAME.sub(f'viewBox="-1 {-half - axis} {whole} {2 * half}"', svg, count=1)
    data = b64encode(svg.encode()).decode()
    return (data, whole, 2 * half) if _renderer(DRAWN + data).isValid() else None


@lru_cache(maxsize=256)
def _renderer(address: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(b64decode(address.removeprefix(DRAWN))))


class _Formulas(QPyTextObject):
    """Draws the pictures of a text: formulas, for there are no others."""

    def intrinsicSize(self, _document: QTextDocument, _position: int, form: QTextFormat) -> QSizeF:
        """Return the room that the text leaves."""
        image = form.toImageFormat()
        return QSizeF(image.width(), image.height())

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        _document: QTextDocument,
        _position: int,
        form: QTextFormat,
    ) -> None:
        """Draw the outlines."""
        name = form.toImageFormat().name()
        if name.startswith(DRAWN):
            _renderer(name).render(painter, QRectF(rect))


def draw_formulas(document: QTextDocument) -> None:
    """Have a document draw its formulas, and no other picture."""
    document.documentLayout().registerHandler(QTextFormat.ObjectTypes.ImageObject.value, _Formulas(document))
