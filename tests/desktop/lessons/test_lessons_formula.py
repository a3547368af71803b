"""Formulas: drawn on the line of the text, in the colour of the theme, and harmless whatever stands in them."""

from __future__ import annotations

import base64
import re

import pytest
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.reader import Reader
from ladder_desktop.theme import load_theme
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel

LINE = r"A $\frac{1-\alpha^2}{x}$ and `code`."


def pictures(html: str) -> list[QImage]:
    found = re.findall(r'src="data:image/png;base64,([^"]+)"', html)
    return [QImage.fromData(base64.b64decode(data)) for data in found]


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


def test_a_picture_is_as_sharp_as_the_screen(qapp, theme, monkeypatch):
    (coarse,) = pictures(Markdown(theme, ()).html("$x+y$"))
    monkeypatch.setattr("ladder_desktop.lessons.formula._density", lambda: 2.0)
    html = Markdown(theme, ()).html("$x+y$")
    (fine,) = pictures(html)
    assert fine.width() == 2 * coarse.width() == 2 * int(re.search(r' width="(\d+)"', html)[1])


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
    data = "data:image/png;base64,iVBORw0KGgo="
    html = Markdown(theme, ()).html(f'<img src="{data}">\n\n![a]({data})\n\n[a]({data})')
    assert "<img" not in html
    assert "<a " not in html
    reader = Reader(theme, "t")
    qtbot.addWidget(reader)
    for address in ("http://example.org/a.png", "file:///etc/passwd", "data:text/html;base64,AAAA"):
        assert reader.loadResource(2, address).isEmpty()


def test_the_words_of_a_formula_are_its_tex(qapp, theme):
    assert Markdown(theme, ()).plain(r"Length $\alpha^2$ here") == r"Length \alpha^2 here"


def test_a_label_shows_it_too(qtbot, theme):
    label = QLabel(Markdown(theme, ()).html(r"$\frac{1-\alpha^2}{x}$"))
    qtbot.addWidget(label)
    label.show()
    assert label.sizeHint().width() > 30
    image = label.grab().toImage()
    assert len({image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}) > 5
