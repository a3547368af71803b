"""Large text in small windows: rows wrap, tables and the page scroll, and nothing lies over anything or is cut off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from ladder_desktop.live.labels import Elided
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.live.text_table import TextTable
from ladder_desktop.theme import Theme, apply, load_theme
from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QLayout, QPushButton, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import Make, with_run

SIZES = [
    QSize(690, 540),
    QSize(980, 640),
    QSize(1036, 740),
    QSize(1676, 1020),
]  # of the page, beside the rail


@pytest.fixture(scope="module", params=[1.0, 1.5])
def theme(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[Theme]:
    usual = load_theme("light")
    apply(qapp, replace(usual, scale=request.param))
    yield replace(usual, scale=request.param)
    apply(qapp, usual)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.width()}x{size.height()}")
@pytest.mark.parametrize("view", ["run", "touch", "lens", "plots", "tables", "compare"])
def test_nothing_overlaps_or_is_cut(make: Make, qtbot: QtBot, view: str, size: QSize) -> None:
    page = with_run(make())
    page.resize(size)
    show(page, view)
    qtbot.waitUntil(lambda: page.size() == size)
    for _ in range(4):  # a height that follows from a width takes a round of its own
        QApplication.processEvents()
    assert list(wrong(page)) == []


def show(page: LivePage, view: str) -> None:
    page.select(0)
    match view:
        case "touch":
            page.watch.side.setCurrentWidget(page.watch.touch)
        case "lens":
            page.faces.turn_lens()
        case "plots":
            page.faces.turn_plots()
        case "tables":
            page.faces.turn_table()
            page.faces.turn_batch()
        case "compare":
            page.head.choose("shared-prompt")
            page.starter.compare()
            for _ in range(4):
                page.frame()
            assert page.comparer.complete


def wrong(page: QWidget) -> Iterator[str]:
    """What lies over its neighbour or beyond its parent, and what is narrower or lower than its text."""
    for widget in (page, *page.findChildren(QWidget)):
        layout = widget.layout()
        if not widget.isVisible() or layout is None or type(widget).__name__ == "Faces":
            continue
        laid = [one for one in widgets_of(layout) if one.isVisible() and not one.size().isEmpty()]
        for place, one in enumerate(laid):
            if not widget.rect().adjusted(-1, -1, 1, 1).contains(one.geometry()):
                yield f"{named(one)} leaves its place"
            for other in laid[place + 1 :]:
                both = one.geometry() & other.geometry()
                if both.width() > 1 and both.height() > 1 and one.parent() is other.parent():
                    yield f"{named(one)} and {named(other)} overlap"
    for button in page.findChildren(QPushButton):
        if button.isVisible() and button.width() < button.fontMetrics().horizontalAdvance(button.text()) + 6:
            yield f"{named(button)} is cut"
    for label in page.findChildren(QLabel):
        if (
            label.isVisible()
            and label.wordWrap()
            and label.height() < label.heightForWidth(label.width()) - 1
        ):
            yield f"{label.text()[:30]} is cut"
    for table in page.findChildren(TextTable):
        if table.isVisible():
            yield from cut_heads(table)


def cut_heads(table: TextTable) -> Iterator[str]:
    metrics, header = QFontMetrics(table.font()), table.horizontalHeader()
    for section, column in enumerate(table.table.columns):
        if (
            header.sectionSize(section)
            < max(map(metrics.horizontalAdvance, column.name.splitlines() or [""])) + 8
        ):
            yield f"head {column.name} of {named(table)} is cut"
    if header.length() > table.viewport().width() + 1 and not table.horizontalScrollBar().isVisible():
        yield f"{named(table)} is cut"
    if table.verticalHeader().defaultSectionSize() < metrics.height():
        yield f"rows of {named(table)} are cut"


def widgets_of(layout: QLayout) -> Iterator[QWidget]:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if item is not None and item.layout() is not None:
            yield from widgets_of(item.layout())
        elif item is not None and item.widget() is not None:
            yield item.widget()


def named(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName()}"


def test_a_line_that_does_not_fit_shows_the_whole_of_it_when_pointed_at(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    label = Elided("7 running, 0 waiting, 6 preemptions")
    qtbot.addWidget(label)
    hints: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, _widget: hints.append(text))
    ask = QHelpEvent(QEvent.Type.ToolTip, QPoint(2, 2), QPoint(2, 2))
    label.resize(label.sizeHint())
    QApplication.sendEvent(label, ask)
    assert (label.cut, hints) == (False, [])
    label.resize(label.sizeHint().width() // 2, 20)
    QApplication.sendEvent(label, ask)
    assert (label.cut, hints) == (True, [label.text()])
    ink = label.grab().toImage()
    edge = {ink.pixel(ink.width() - 1, y) for y in range(ink.height())}
    assert len(edge) == 1, "the last letter is cut in the middle"


def test_in_little_room_the_requests_stand_among_the_tabs_and_come_back(make: Make, qtbot: QtBot) -> None:
    page = with_run(make())
    page.resize(1700, 800)
    side, requests = page.watch.side, page.watch.queue_panel
    qtbot.waitUntil(lambda: side.indexOf(requests) < 0)
    page.resize(700, 600)
    qtbot.waitUntil(lambda: side.indexOf(requests) == 0)
    side.setCurrentIndex(0)
    assert page.watch.requests.isVisible()
    page.faces.turn_lens()
    assert not page.watch.requests.isVisible()
    page.faces.turn_lens()
    page.resize(1700, 800)
    qtbot.waitUntil(lambda: side.indexOf(requests) < 0)
    assert page.watch.requests.isVisible()
    assert page.watch.requests.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_three_launches_are_in_sight_without_moving_anything(make: Make, qtbot: QtBot) -> None:
    page = with_run(make())
    page.faces.turn_lens()
    table = page.watch.lens.launches
    row = table.verticalHeader().defaultSectionSize()
    qtbot.waitUntil(lambda: table.viewport().height() >= 3 * row)


def test_plots_have_their_room_in_the_first_picture(make: Make) -> None:
    page = with_run(make())
    page.faces.turn_plots()
    QApplication.processEvents()
    page.grab()
    for plot in page.watch.plots.plots:
        assert round(110 * page.theme.scale) <= plot.height() <= plot.parentWidget().height() - plot.y()
