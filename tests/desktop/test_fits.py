"""Large text in a small window: what there is not room for wraps or scrolls, and nothing is cut off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from ladder_desktop.app import Application
from ladder_desktop.eliding_box import ElidingBox
from ladder_desktop.window import FOLD_BELOW
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QLabel,
    QPushButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

NARROW = QSize(1000, 700)
PLACES = [
    "home",
    "drill",
    "interview",
    "stats",
    "cards",
    "settings:study",
    "settings:voice",
    "settings:appearance",
]


@pytest.fixture
def narrow(application: Application, qtbot: QtBot) -> Application:
    window = application.window
    before = window.page("home")
    application.preferences.zoom = 150
    qtbot.waitUntil(lambda: window.page("home") is not before)
    window.resize(NARROW)
    return application


@pytest.mark.parametrize("place", [*PLACES, "ticket"])
@pytest.mark.parametrize("width", [NARROW.width(), FOLD_BELOW + 1])
def test_nothing_is_cut_off(narrow: Application, place: str, width: int, qtbot: QtBot) -> None:
    """With the rail folded, and in the narrowest window that shows all of it."""
    narrow.window.resize(width, NARROW.height())
    if place == "ticket":
        narrow.window.show_page("tickets")
        narrow.window.page("tickets").list.open_current()  # type: ignore[attr-defined]
    else:
        narrow.go(place)
    page = narrow.window.page(narrow.window.current or "")
    with suppress(qtbot.TimeoutError):
        qtbot.waitUntil(lambda: not list(cut(page)), timeout=5_000)
    assert list(cut(page)) == []


@pytest.mark.parametrize("width", [760, 1280])
def test_an_interview_is_set_up_in_any_window(narrow: Application, width: int, qtbot: QtBot) -> None:
    narrow.window.resize(width, 760)
    narrow.go("interview")
    page = narrow.window.page("interview")
    qtbot.waitUntil(lambda: not list(cut(page)))


@pytest.mark.parametrize("width", [640, 760, 1050, 1280])
def test_the_buttons_above_a_map_are_whole_on_any_step(narrow: Application, width: int, qtbot: QtBot) -> None:
    """Going from a map without steps to one with, and along its steps, at one width."""
    narrow.window.resize(QSize(width, 760))
    study = narrow.pack.studies[0]
    narrow.go(f"study:{study.id}")
    page = narrow.window.page(f"study:{study.id}")
    kinds = {chart.kind: chart for chart in study.maps}
    for chart in (kinds["architecture"], kinds["flow"], kinds["architecture"]):
        for node in (chart.nodes[0], chart.nodes[-1]):
            page.show_map(chart.id, node.id)  # type: ignore[attr-defined]
            qtbot.wait(30)
            bar = page.maps.bar  # type: ignore[attr-defined]
            seen = [one for one in bar.findChildren(QWidget) if one.isVisible() and not one.layout()]
            labels = [one for one in seen if isinstance(one, (QPushButton, QLabel))]
            assert len(labels) == (8 if chart.kind == "flow" else 5)
            for one in labels:
                assert one.width() >= one.sizeHint().width(), one.text()
                assert one.mapTo(bar, one.rect().bottomRight()).x() < bar.width(), one.text()


def cut(page: QWidget) -> Iterator[str]:
    """Yield what is wider than its place or lower than its text."""
    for area in page.findChildren(QScrollArea):
        inside = area.widget()
        fixed = area.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if area.isVisible() and inside is not None and inside.width() > area.viewport().width():
            yield f"{area.accessibleName()} {inside.width()} > {area.viewport().width()}, scrolls: {not fixed}"
    for label in page.findChildren(QLabel):
        if (
            label.isVisible()
            and label.wordWrap()
            and label.height() < label.heightForWidth(label.width()) - 1
        ):
            yield f"{label.text()[:40]} {label.height()} < {label.heightForWidth(label.width())}"
    for button in page.findChildren(QAbstractButton):
        needed = _needed(button)
        if button.isVisible() and button.width() < needed:
            yield f"{button.text()} {button.width()} < {needed}"


def _needed(button: QAbstractButton) -> int:
    """Return the width of a button's words as they are shown now, and what is around them."""
    if isinstance(button, ElidingBox):
        return QCheckBox.sizeHint(button).width()
    return (button.sizeHint() if isinstance(button, QCheckBox) else button.minimumSizeHint()).width()


def test_what_stays_on_screen_takes_the_size_of_text_at_once(application: Application, qtbot: QtBot) -> None:
    window = application.window
    window.show()
    for zoom in (150, 100, 125):
        before = window.page("home")
        application.preferences.zoom = zoom
        qtbot.waitUntil(lambda before=before: window.page("home") is not before)  # type: ignore[misc]
        for widget in (window.rail, window.menuBar()):
            assert widget.font().pointSizeF() == QApplication.font().pointSizeF()
