"""A map as a file: what stands in it, and what happens when it cannot be written."""

from __future__ import annotations

from xml.etree import ElementTree

import msgspec
import pytest
from ladder_content.mermaid import mermaid
from ladder_desktop.lessons.map_export import MapExportError, write_map
from ladder_desktop.lessons.maps import MapsView
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.theme import load_theme
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton

SVG = "{http://www.w3.org/2000/svg}"
THEMES = ["light", "dark"]


def words(element) -> str:
    return " ".join("".join(text.itertext()) for text in element.iter(f"{SVG}text"))


@pytest.mark.parametrize("name", THEMES)
def test_the_svg_says_all_that_the_drawing_does(qapp, study, tmp_path, name):
    chart, theme = study.maps[0], load_theme(name)
    write_map(tmp_path / "map.svg", chart, theme)
    root = ElementTree.parse(tmp_path / "map.svg").getroot()
    told = words(root).replace(" ", "")  # a line may break inside a word
    for text in [*(node.label for node in chart.nodes), *(edge.label for edge in chart.edges)]:
        assert text.replace(" ", "") in told
    assert root.find(f"{SVG}title").text == chart.title
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert all(node.why in titles for node in chart.nodes)
    assert root.find(f"{SVG}rect").get("fill") == theme.hex("surface")


@pytest.mark.parametrize("name", THEMES)
def test_a_reader_of_svg_draws_what_the_png_shows(qapp, study, tmp_path, name):
    theme = load_theme(name)
    for suffix in ("svg", "png"):
        write_map(tmp_path / f"map.{suffix}", study.maps[1], theme)
    png = QImage(str(tmp_path / "map.png"))
    drawn = QImage(png.size(), QImage.Format.Format_RGB32)
    renderer = QSvgRenderer(str(tmp_path / "map.svg"))
    assert renderer.isValid()
    painter = QPainter(drawn)
    renderer.render(painter)
    painter.end()
    small = [image.scaled(90, 40, mode=Qt.TransformationMode.SmoothTransformation) for image in (png, drawn)]
    off = [
        abs(one - other)
        for x in range(90)
        for y in range(40)
        for one, other in zip(*(image.pixelColor(x, y).getRgb()[:3] for image in small), strict=True)
    ]
    assert png.width() > 1500
    assert sum(off) / len(off) < 4  # of 255
    assert png.pixelColor(1, 1) == theme.colour("surface")


def test_mermaid_text_is_what_the_clipboard_gets(qapp, study, theme, tmp_path):
    write_map(tmp_path / "map.mmd", study.maps[0], theme)
    assert (tmp_path / "map.mmd").read_text("utf-8") == mermaid(study.maps[0])


def test_marks_of_markup_in_a_label_stay_words(qapp, study, theme, tmp_path):
    hostile = msgspec.structs.replace(study.maps[0].nodes[0], label='</text><script>alert("x")</script>')
    chart = msgspec.structs.replace(study.maps[0], nodes=(hostile, *study.maps[0].nodes[1:]))
    write_map(tmp_path / "map.svg", chart, theme)
    root = ElementTree.parse(tmp_path / "map.svg").getroot()
    assert not list(root.iter(f"{SVG}script"))
    assert "<script>" in words(root).replace(" ", "")


@pytest.mark.parametrize("name", ["map.gif", "map"])
def test_an_unknown_suffix_is_refused(qapp, study, theme, tmp_path, name):
    with pytest.raises(MapExportError, match="suffix"):
        write_map(tmp_path / name, study.maps[0], theme)
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_one_sentence_and_leaves_nothing(qapp, study, theme, tmp_path):
    (tmp_path / "map.svg").mkdir()
    (tmp_path / "map.svg" / "inside").touch()
    for path in (tmp_path / "nowhere" / "map.svg", tmp_path / "map.svg"):
        with pytest.raises(MapExportError, match="cannot be written"):
            write_map(path, study.maps[0], theme)
    assert [path.name for path in tmp_path.iterdir()] == ["map.svg"]


@pytest.fixture
def view(qtbot, pack, study, theme):
    view = MapsView(study, Markdown(theme, {fact.id for fact in pack.facts}), theme)
    qtbot.addWidget(view)
    view.resize(1080, 700)
    view.show()
    view.setFocus()
    return view


@pytest.mark.parametrize("way", ["key", "button"])
def test_the_view_asks_for_a_file_and_writes_it(qtbot, view, tmp_path, monkeypatch, way):
    wanted = tmp_path / "mine"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(wanted), "PNG picture (*.png)"))
    if way == "key":
        qtbot.keyClick(
            view.canvas, Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        )
    else:
        button = next(b for b in view.findChildren(QPushButton) if b.text() == "Export")
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not QImage(str(tmp_path / "mine.png")).isNull()


def test_a_fault_is_said_in_the_window(view, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "map.gif"), ""))
    view.ask_export()
    box = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox) and w.isVisible())
    assert "suffix" in box.text()
    box.close()


def test_nothing_is_written_when_the_person_thinks_better_of_it(view, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    view.ask_export()
    assert not list(tmp_path.iterdir())
