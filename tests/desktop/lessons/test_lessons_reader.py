"""The text view loads nothing and goes nowhere by itself."""

from __future__ import annotations

import pytest
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.reader import MEASURE, Reader
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextDocument


@pytest.fixture
def reader(qtbot, theme):
    reader = Reader(theme, "Text")
    qtbot.addWidget(reader)
    reader.resize(900, 600)
    reader.show()
    return reader


def test_no_file_is_read_even_from_html_that_was_never_cleaned(reader, tmp_path):
    picture = tmp_path / "red.png"
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    image.fill(0xFF0000)
    assert image.save(str(picture))
    sheet = tmp_path / "sheet.css"
    sheet.write_text("p { color: #ff0000 }")
    address = QUrl.fromLocalFile(str(picture))
    reader.show_html(
        f'<link rel="stylesheet" href="{QUrl.fromLocalFile(str(sheet)).toString()}">'
        f'<p>text</p><img src="{address.toString()}"><img src="{picture}"><img src=":/x.png">'
    )
    drawn = reader.grab().toImage()
    colours = {drawn.pixelColor(x, y).name() for x in range(0, drawn.width(), 2) for y in range(0, 200, 2)}
    assert "#ff0000" not in colours
    for kind in QTextDocument.ResourceType:
        assert not reader.document().resource(kind.value, address)


def test_it_cannot_be_sent_to_another_page(reader, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>elsewhere</p>")
    reader.show_html("<p>here</p>")
    reader.setSource(QUrl.fromLocalFile(str(page)))
    assert reader.toPlainText() == "here"


def test_a_line_has_about_seventy_characters(reader, theme):
    reader.show_html(Markdown(theme, ()).html("word " * 400))
    block = reader.document().begin()
    lines = [block.layout().lineAt(i).textLength() for i in range(block.layout().lineCount() - 1)]
    assert max(lines) <= MEASURE + 12
    assert min(lines) >= MEASURE - 12


@pytest.mark.parametrize("width", [420, 700, 1400])
def test_everything_fits_the_width(reader, theme, width):
    long_word, words = "supercalifragilistic" * 12, "word " * 60
    table = f"| a | b | c | d |\n|---|---|---|---|\n| {words} | {words} | {long_word} | 1 |"
    reader.show_html(
        Markdown(theme, ()).html(f"{long_word}\n\n{table}\n\n```\n{long_word} {words}\n```\n\n> {long_word}")
    )
    reader.resize(width, 600)
    assert reader.document().size().width() <= reader.viewport().width() + 2
