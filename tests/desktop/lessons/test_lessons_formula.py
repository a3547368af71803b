"""Formulas: drawn on the line of the text, in the colour of the theme, and harmless whatever stands in them."""

from __future__ import annotations

import base64
import re

import pytest
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.reader import Reader
from ladder_desktop.review.prose import PackText, Prose
from ladder_desktop.theme import load_theme
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QFont, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

TALL = r"$\frac{1-\alpha^2}{\sum_i x_i}$"
LINE = r"A $\frac{1-\alpha^2}{x}$ and `code`."


def pictures(html: str) -> list[QImage]:
    """Draw each formula by itself, with Qt's own reading of its SVG."""
    images = []
    for data, width, height in re.findall(r'src="formula:([^"]+)" width="(\d+)" height="(\d+)"', html):
        image = QImage(int(width), int(height), QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        QSvgRenderer(QByteArray(base64.b64decode(data))).render(painter)
        painter.end()
        images.append(image)
    return images


def on_screen(widget: QWidget, density: float) -> QImage:
    """Render a widget as a screen of so many pixels to a point would show it."""
    image = QImage(widget.size() * density, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(density)
    widget.render(image)
    return image


def softness(image: QImage) -> float:
    """Return how much of what is drawn is neither ground nor ink: the share of its edges."""
    grey = bytes(image.convertToFormat(QImage.Format.Format_Grayscale8).constBits())
    ground = max(set(grey), key=grey.count)
    depths = [abs(one - ground) for one in grey]
    most = max(depths)
    drawn = [depth for depth in depths if depth > most * 0.1]
    assert len(drawn) > 100
    return sum(depth < most * 0.85 for depth in drawn) / len(drawn)


def ink(image: QImage) -> list[tuple[int, int]]:
    return [
        (x, y)
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() > 128
    ]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_formula_is_drawn_in_the_colour_of_the_text(qapp, name):
    theme = load_theme(name)
    (image,) = pictures(Markdown(theme, ()).html(LINE))
    marks = ink(image)
    solid = max(marks, key=lambda at: image.pixelColor(*at).alpha())
    assert image.pixelColor(*solid).name() == theme.hex("text")
    assert len(marks) > 60


def test_the_bar_of_a_fraction_lies_in_the_middle_of_its_picture_and_the_picture_on_the_line(qtbot, theme):
    html = Markdown(theme, ()).html(r"x $\frac{a}{b}$ x")
    (image,) = pictures(html)
    rows = [y for _, y in ink(image)]
    bar = max(set(rows), key=rows.count)
    assert abs(bar - image.height() / 2) < 4
    reader = Reader(theme, "t")
    qtbot.addWidget(reader)
    reader.resize(400, 200)
    reader.show_html(html)
    reader.show()
    page = reader.viewport().grab().toImage()
    ground = theme.colour("surface")
    dark = [
        (x, y) for x in range(page.width()) for y in range(page.height()) if page.pixelColor(x, y) != ground
    ]
    assert len(dark) > 80
    first = [y for x, y in dark if x < min(x for x, _ in dark) + 7]  # the letter x before the formula
    letter = sum(first) / len(first)
    rows = [y for x, y in dark if x > min(x for x, _ in dark) + 12]
    assert abs(max(set(rows), key=rows.count) - letter) < 5


def test_a_formula_by_itself_is_a_paragraph_and_larger(qapp, theme):
    markdown = Markdown(theme, ())
    (small,) = pictures(markdown.html("$x^2$"))
    (large,) = pictures(markdown.html("$$\nx^2\n$$"))
    assert large.width() > small.width()


@pytest.fixture(params=["lesson", "card"])
def formula_alone(request, qapp, qtbot, pack, theme):
    """Return a widget that shows nothing but one formula, large enough to have ink between its edges."""
    font = qapp.font()
    qapp.setFont(QFont(font.family(), 22))
    if request.param == "lesson":
        widget = Reader(theme, "t")
        widget.show_html(Markdown(theme, ()).html(TALL))
    else:
        widget = Prose(PackText(pack, theme))
        widget.set_blocks(TALL)
    qtbot.addWidget(widget)
    widget.resize(260, 160)
    widget.show()
    yield widget.viewport() if request.param == "lesson" else widget
    qapp.setFont(font)


@pytest.mark.parametrize("density", [1.5, 2, 4])
def test_a_formula_is_as_sharp_as_the_screen(formula_alone, density):
    """Edges are a pixel wide whatever the screen; a picture made for a coarser one and stretched has wider ones."""
    sharp, coarse = on_screen(formula_alone, density), on_screen(formula_alone, 1)
    for way in (Qt.TransformationMode.SmoothTransformation, Qt.TransformationMode.FastTransformation):
        assert softness(sharp) < 0.85 * softness(coarse.scaledToWidth(sharp.width(), way))


@pytest.mark.parametrize("zoom", [80, 150, 200])
def test_a_formula_grows_with_the_text(qapp, theme, zoom):
    def width() -> int:
        (image,) = pictures(Markdown(theme, ()).html(TALL))
        return image.width()

    before, font = width(), qapp.font()
    larger = QFont(font)
    larger.setPointSizeF(font.pointSizeF() * zoom / 100)
    try:
        qapp.setFont(larger)
        assert width() == pytest.approx(before * zoom / 100, rel=0.08)
    finally:
        qapp.setFont(font)


@pytest.mark.parametrize(
    "text",
    ["It costs $2 an hour, and $3 at night.", "Between $ and $ stands nothing.", "`$x$`", r"\$x\$"],
)
def test_a_dollar_is_a_dollar(qapp, theme, text):
    assert "<img" not in Markdown(theme, ()).html(text)


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{a",
        r"\undefined{x}",
        "{" * 300,
        r"\left(",
        "x" * 500,
        r"\input{/etc/passwd}",
        r'"><script>',
        "",
    ],
)
def test_what_cannot_be_set_stands_there_as_written(qapp, theme, tex):
    html = Markdown(theme, ()).html(f"A ${tex}$ b")
    assert "<script" not in html
    assert "root:" not in html
    assert Markdown(theme, ()).plain(f"A ${tex}$ b").startswith("A ")


def test_no_stranger_s_picture_comes_in_by_the_same_door(qtbot, theme):
    data = "formula:PHN2Zy8+"
    html = Markdown(theme, ()).html(f'<img src="{data}">\n\n![a]({data})\n\n[a]({data})')
    assert "<img" not in html
    assert "<a " not in html
    reader = Reader(theme, "t")
    qtbot.addWidget(reader)
    for address in ("http://example.org/a.png", "file:///etc/passwd", "data:text/html;base64,AAAA", data):
        assert reader.loadResource(2, address).isEmpty()


def test_the_words_of_a_formula_are_its_tex(qapp, theme):
    assert Markdown(theme, ()).plain(r"Length $\alpha^2$ here") == r"Length \alpha^2 here"
