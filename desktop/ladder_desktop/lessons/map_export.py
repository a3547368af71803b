"""A map as a file for a slide, a wiki or a page: SVG, PNG, or Mermaid text. The suffix says which."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path

from ladder_content.mermaid import mermaid
from ladder_content.model import Map
from PySide6.QtCore import QBuffer, QRectF
from PySide6.QtGui import QImage, QImageWriter, QPainter

from ladder_desktop.lessons.map_canvas import MapCanvas
from ladder_desktop.theme import Theme

SCALE = 2.0  # pixels of a PNG to one of the screen
FILTERS = ";;".join(("SVG picture (*.svg)", "PNG picture (*.png)", "Mermaid text (*.mmd)"))


class MapExportError(Exception):
    """The map cannot be written; one sentence that says why."""


def write_map(path: Path, chart: Map, theme: Theme) -> None:
    """Write a map in one stroke: a file that was there is replaced whole or stays as it was.

    Raises MapExportError for a suffix that names no format, and if the file cannot be written.
    """
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise MapExportError(
            f"{path.name} ends in none of {', '.join(_FORMS)}; the suffix says what to write."
        )
    data = form(chart, theme)
    try:
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(draft).replace(path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise MapExportError(f"{path} cannot be written ({error.strerror}); choose another place.") from error


def svg(chart: Map, theme: Theme) -> str:
    """Return the map as an SVG 1.1 document in the theme's colours; each box and arrow says on hover what it means."""
    canvas = MapCanvas(theme)
    try:
        canvas.show_map(chart)
        scene = canvas.sceneRect()
        shapes = "\n".join(_group(chart, mark.place, mark.svg()) for mark in canvas.marks())
    finally:
        canvas.deleteLater()
    box = f"{scene.x():.1f} {scene.y():.1f} {scene.width():.1f} {scene.height():.1f}"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" role="img" viewBox="{box}" '
        f'width="{scene.width():.0f}" height="{scene.height():.0f}">\n'
        f"<title>{escape(chart.title)}</title>\n<desc>{escape(chart.summary)}</desc>\n"
        f'<rect x="{scene.x():.1f}" y="{scene.y():.1f}" width="{scene.width():.1f}" '
        f'height="{scene.height():.1f}" fill="{theme.hex("surface")}"/>\n{shapes}\n</svg>\n'
    )


def _group(chart: Map, place: str | int, shapes: str) -> str:
    if isinstance(place, int):
        edge = chart.edges[place]
        told = f"{edge.label}. {edge.effect}"
    else:
        told = next(node.why for node in chart.nodes if node.id == place)
    return f"<g><title>{escape(told)}</title>{shapes}</g>"


def _svg_bytes(chart: Map, theme: Theme) -> bytes:
    return svg(chart, theme).encode()


def _png_bytes(chart: Map, theme: Theme) -> bytes:
    canvas = MapCanvas(theme)
    try:
        canvas.show_map(chart)
        scene = canvas.sceneRect()
        image = QImage((scene.size() * SCALE).toSize(), QImage.Format.Format_RGB32)
        image.fill(theme.colour("surface"))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        canvas.scene().render(painter, QRectF(image.rect()), scene)
        painter.end()
    finally:
        canvas.deleteLater()
    buffer = QBuffer()
    QImageWriter(buffer, b"png").write(image)
    return bytes(buffer.data().data())


def _mermaid_bytes(chart: Map, _theme: Theme) -> bytes:
    return mermaid(chart).encode()


_FORMS: dict[str, Callable[[Map, Theme], bytes]] = {
    ".svg": _svg_bytes,
    ".png": _png_bytes,
    ".mmd": _mermaid_bytes,
}
