"""Themes are data: sound, readable, and told in one sentence when they are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ladder_desktop.contrast import faults, ratio
from ladder_desktop.preferences import Preferences
from ladder_desktop.theme import ThemeError, apply, load_theme
from ladder_desktop.theme_file import BUNDLED, Themes, wanted_theme
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QStyle, QStyleOptionButton
from pytestqt.qtbot import QtBot


@pytest.mark.parametrize("key", BUNDLED)
def test_every_theme_can_be_read(key: str) -> None:
    assert list(faults(Themes().load(key))) == []


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#abcdef", "#abcdef", 1.0)],
)
def test_contrast_is_that_of_the_standard(one: str, other: str, expected: float) -> None:
    assert ratio(one, other) == pytest.approx(expected, abs=0.005)
    assert ratio(other, one) == ratio(one, other)


def test_a_weak_colour_is_found(tmp_path: Path) -> None:
    themes = own(tmp_path, 'name = "Weak"\nbase = "light"\n[palette]\nfaint = "#7d848d"\n')
    found = list(faults(themes.load("mine")))
    assert found
    assert all(fault.startswith("faint on") for fault in found)


@pytest.mark.parametrize("key", ["colour-blind-light", "colour-blind-dark"])
def test_the_main_hues_of_the_colour_blind_themes_are_those_of_okabe_and_ito(key: str) -> None:
    theme = Themes().load(key)
    assert theme.colour("prefill").hue() == pytest.approx(202, abs=2)  # blue #0072b2
    assert theme.colour("decode").hue() == pytest.approx(41, abs=2)  # orange #e69f00
    assert theme.colour("draft_accepted").hue() == pytest.approx(164, abs=2)  # bluish green #009e73
    assert theme.colour("draft_rejected").hue() == pytest.approx(26, abs=2)  # vermillion #d55e00


def own(folder: Path, text: str) -> Themes:
    (folder / "themes").mkdir()
    (folder / "themes" / "mine.toml").write_text(text, "utf-8")
    return Themes(folder)


def test_an_own_theme_takes_from_its_base_what_it_does_not_name(tmp_path: Path) -> None:
    themes = own(tmp_path, 'name = "Dusk"\nbase = "dark"\n[palette]\naccent = "#ffb86c"\n')
    assert themes.keys() == [*BUNDLED, "mine"]
    assert themes.title("mine") == "Dusk"
    theme, base = themes.load("mine"), themes.load("dark")
    assert theme.dark
    assert theme.hex("accent") == "#ffb86c"
    assert theme.mechanism == base.mechanism
    assert {**theme.palette, "accent": ""} == {**base.palette, "accent": ""}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base = "dark"\n[palette]\naccent = "orange"', "palette.accent"),
        ('base = "dark"\n[palette]\naccnet = "#ffffff"', "accnet"),
        ('base = "dusk"', "base must be one of light, dark"),
        ('base = "dark"\n[mechanism]\npaging = "#ffffff"', "mechanism.paging"),
        ('base = "dark"\n[owners]\ncolours = ["#ffffff"]', "owners"),
        ('name = "x"\ndark = true', "palette"),
        ('name = "x', "cannot be read"),
    ],
)
def test_a_theme_that_is_not_sound_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    themes = own(tmp_path, text)
    with pytest.raises(ThemeError, match=r"mine\.toml") as caught:
        themes.load("mine")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert themes.title("mine") == "mine"


def test_a_theme_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ThemeError, match="light, dark"):
        Themes(tmp_path).load("../etc")


def test_size_and_stillness_come_from_the_preferences(qapp: QApplication, tmp_path: Path) -> None:
    preferences = Preferences.open(tmp_path)
    preferences.theme, preferences.zoom, preferences.motion = "dark", 150, "reduced"
    theme = wanted_theme(Themes(), preferences)
    assert (theme.name, theme.points(10), theme.still) == ("Dark", 15.0, True)
    assert theme.scaled("a { font-size: 12pt; } b { font-size: 9.5pt }") == (
        "a { font-size: 18.0pt; } b { font-size: 14.2pt }"
    )


@pytest.mark.parametrize("key", BUNDLED)
def test_a_check_box_is_seen_and_its_mark_too(qapp: QApplication, qtbot: QtBot, key: str) -> None:
    apply(qapp, load_theme(key))
    box = QCheckBox("Type them")
    qtbot.addWidget(box)
    box.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    box.resize(box.sizeHint())
    box.show()
    grounds = [load_theme(key).hex(name) for name in ("window", "surface")]
    option = QStyleOptionButton()
    box.initStyleOption(option)
    place = box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box)

    def colours() -> set[str]:
        image = box.grab(place).toImage()
        return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}

    assert max(min(ratio(one, ground) for ground in grounds) for one in colours()) >= 3
    box.setChecked(True)
    accent = load_theme(key).hex("accent")
    assert accent in colours()
    assert max(ratio(one, accent) for one in colours() - set(grounds)) >= 3, "no mark on the accent"


def test_boxes_grow_with_the_text(qapp: QApplication, qtbot: QtBot) -> None:
    def width(scale: float) -> int:
        apply(qapp, replace(load_theme("light"), scale=scale))
        box = QCheckBox("Type them")
        qtbot.addWidget(box)
        box.ensurePolished()
        option = QStyleOptionButton()
        box.initStyleOption(option)
        return box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box).width()

    assert width(2.0) >= 1.7 * width(1.0)
