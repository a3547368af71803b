"""A formula, `$...$` in a pack's Markdown, as a picture that stands on the line of its text.

The picture is drawn from outlines at the very size of the text, pixel by pixel of the screen, whatever the zoom. A formula that
cannot be set, or is longer than anybody reads, stands there as it was written.
"""

from __future__ import annotations

import warnings
from base64 import b64encode
from functools import cache, lru_cache
from html import escape
from math import ceil
from typing import Any

from PySide6.QtCore import QBuffer, QByteArray, QRectF
from PySide6.QtGui import QFontInfo, QFontMetricsF, QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer

from ladder_desktop.theme import Theme

DRAWN = "data:image/png;base64,"  # how the address of the picture of a formula begins
TEXT = 1.1  # the font of a lesson beside the window's
LETTERS = 1.2  # the letters of a formula, which run small, beside those of the text
LONGEST = 400  # characters


def formula_html(tex: str, theme: Theme, *, block: bool) -> str:
    """Return a formula as an image of the theme's colour, or as code if it cannot be set."""
    font = QGuiApplication.font()
    size = QFontInfo(font).pixelSize() * TEXT * LETTERS * (1.1 if block else 1.0)
    axis = QFontMetricsF(font).xHeight() * TEXT / 4  # how far over the line Qt lays the middle of a picture
    drawn = _drawn(tex, size, axis, theme.hex("text"), _density()) if tex else None
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


def _density() -> float:
    """Return the pixels of the finest screen to one of the text."""
    return max((screen.devicePixelRatio() for screen in QGuiApplication.screens()), default=1.0)


@lru_cache(maxsize=256)
def _drawn(tex: str, size: float, axis: float, colour: str, density: float) -> tuple[str, int, int] | None:
    """Return a PNG in base 64, a pixel for each of the screen, and its size there; its middle lies on the axis."""
    if len(tex) > LONGEST:
        return None
    try:
        formula = _typesetter()(tex, size=size, color=colour)
        svg, (width, height), depth = formula.svg(), formula.getsize(), -formula.getyofst()
    except Exception:  # a stranger's TeX: the library has many ways to say no, and no base class for them
        return None
    half = ceil(max(height - depth - axis, depth + axis)) + 1
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    box = renderer.viewBoxF()
    if not renderer.isValid() or not 0 < width < 2000 or not 0 < half < 500:
        return None
    whole = ceil(width) + 2
    image = QImage(round(whole * density), round(2 * half * density), QImage.Format.Format_ARGB32)
    image.fill(0)  # transparent
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(density, density)
    painter.translate(1, half + axis)  # to where the line of the text begins
    renderer.render(painter, QRectF(box.x(), box.y(), box.width(), box.height()))
    painter.end()
    buffer = QBuffer()
    QImageWriter(buffer, b"png").write(image)
    return b64encode(buffer.data().data()).decode(), whole, 2 * half
