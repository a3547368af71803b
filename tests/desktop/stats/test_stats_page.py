"""The page by keyboard and by mouse, beside the numbers of the desk."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from ladder_desktop.stats.exhibit import Exhibit
from ladder_desktop.stats.stats_page import StatsPage
from ladder_desktop.study import Desk, Rating
from ladder_desktop.study import desk as desk_room
from ladder_desktop.study.statistics import Scope
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from .conftest import click, press


def cells(exhibit: Exhibit) -> list[list[str]]:
    model = exhibit.table.model()
    return [
        [str(model.index(row, column).data()) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def answer_dialog(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))


def test_the_tables_say_what_the_desk_says(page: StatsPage, desk: Desk) -> None:
    found = desk.statistics(Scope(None, 30), {})
    gallery = page.gallery
    gallery.show_tables(True)
    assert [row[0] for row in cells(gallery.studies)] == ["The paging study", "The draft study"]
    for row, group in zip(cells(gallery.studies), found.studies, strict=True):
        assert row[1:6] == [
            str(group.items),
            str(group.learned),
            str(group.mature),
            str(group.tested.recalled),
            str(group.tested.tests),
        ]
    assert [row[0] for row in cells(gallery.tags)] == ["draft", "even", "odd", "paging"]
    assert [int(row[1]) for row in cells(gallery.forecast)] == [day.total for day in found.forecast]
    assert len(cells(gallery.calendar)) == len(found.days)
    assert cells(gallery.hardest)[0][:2] == [
        "What is {} number {}?".format(*found.hardest[0].item_id.removeprefix("demo/").split("-")),
        str(found.hardest[0].lapses),
    ]
    rate = found.today.tested.rate
    recalled = "–" if rate is None else f"{rate:.0%}".replace("%", " %")
    shown = [label.text() for label in page.today.numbers]
    assert shown == ["1", "1 min", "0", recalled, str(found.streak.current)]
    assert "answers today: 1" in page.today.accessibleName()


@pytest.mark.parametrize("way", ["mouse", "keyboard", "action"])
def test_a_chart_turns_into_its_table_and_back(page: StatsPage, way: str) -> None:
    exhibit = page.gallery.forecast
    assert exhibit.chart is not None

    def turn() -> None:
        if way == "mouse":
            click(exhibit.toggle)
        elif way == "keyboard":
            exhibit.toggle.setFocus()
            press(Qt.Key.Key_Space)
        else:
            page.page_actions()[0].trigger()

    assert exhibit.chart.isVisible()
    turn()
    assert exhibit.table.isVisible()
    assert not exhibit.chart.isVisible()
    assert (exhibit.toggle.text(), "as a chart" in exhibit.toggle.accessibleName()) == ("Chart", True)
    assert page.gallery.retention.table.isVisible() == (way == "action")
    turn()
    assert exhibit.chart.isVisible()
    assert not exhibit.table.isVisible()


def test_the_keyboard_reads_a_chart_mark_by_mark(page: StatsPage, desk: Desk) -> None:
    forecast = desk.statistics(Scope(), {}).forecast
    exhibit = page.gallery.forecast
    assert exhibit.chart is not None
    exhibit.chart.setFocus()
    press(Qt.Key.Key_Right)
    assert f"{forecast[0].total} due" in exhibit.reading.text()
    press(Qt.Key.Key_Right)
    assert f"{forecast[1].total} due" in exhibit.reading.text()
    press(Qt.Key.Key_End)
    assert f"{forecast[-1].total} due" in exhibit.reading.text()
    press(Qt.Key.Key_Right)
    assert f"{forecast[-1].total} due" in exhibit.reading.text()


def test_the_mouse_reads_a_chart_too(page: StatsPage, desk: Desk) -> None:
    forecast = desk.statistics(Scope(), {}).forecast
    exhibit = page.gallery.forecast
    chart = exhibit.chart
    assert chart is not None
    page._scroll.ensureWidgetVisible(chart)
    QTest.mouseMove(chart, QPoint(chart.width() - 20, 40))
    QTest.mouseMove(chart, QPoint(chart.width() - 10, 40))
    assert f"{forecast[-1].total} due" in exhibit.reading.text()
    QTest.mouseMove(page.today, QPoint(2, 2))
    chart.leaveEvent(None)  # type: ignore[arg-type]  # offscreen, no window manager says that the mouse has gone
    assert exhibit.reading.text() == ""


def test_the_heat_map_walks_by_day_and_by_week(page: StatsPage, desk: Desk) -> None:
    exhibit = page.gallery.calendar
    assert exhibit.chart is not None
    exhibit.chart.setFocus()
    press(Qt.Key.Key_Down)
    today = exhibit.reading.text()
    assert "1 answer in 1 min" in today
    press(Qt.Key.Key_Left)
    press(Qt.Key.Key_Right)
    assert exhibit.reading.text() == today
    for _ in range(7):
        press(Qt.Key.Key_Up)
    week_ago = exhibit.reading.text()
    press(Qt.Key.Key_Right)
    assert exhibit.reading.text() == today
    press(Qt.Key.Key_Left)
    assert exhibit.reading.text() == week_ago != today


def test_a_long_log_is_counted_beside_the_window(
    page: StatsPage, desk: Desk, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.gallery.show_tables(True)
    page.study.setCurrentIndex(1)
    at_once = cells(page.gallery.calendar), [label.text() for label in page.today.numbers]
    page.study.setCurrentIndex(0)
    assert (cells(page.gallery.calendar), [label.text() for label in page.today.numbers]) != at_once
    monkeypatch.setattr(desk_room, "LARGE", 0)
    page.study.setCurrentIndex(2)
    page.study.setCurrentIndex(1)  # the newer wish counts
    assert page.progress.isVisible()
    qtbot.waitUntil(page.progress.isHidden)
    assert (cells(page.gallery.calendar), [label.text() for label in page.today.numbers]) == at_once
    page.study.setCurrentIndex(2)
    page.shutdown()


def test_one_study_and_one_period(page: StatsPage, desk: Desk) -> None:
    page.study.setFocus()
    press(Qt.Key.Key_Down)
    press(Qt.Key.Key_Down)
    page.period.setCurrentIndex(3)
    page.gallery.show_tables(True)
    found = desk.statistics(Scope("draft", None), {})
    assert [row[0] for row in cells(page.gallery.studies)] == ["The draft study"]
    assert cells(page.gallery.studies)[0][5] == str(found.studies[0].tested.tests)
    ever = [row for row in cells(page.gallery.retention) if row[:2] == ["ever", "all"]]
    assert ever[0][2:4] == [str(found.retention[-1].all.recalled), str(found.retention[-1].all.tests)]


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_a_hard_card_opens(page: StatsPage, qtbot: QtBot, desk: Desk, way: str) -> None:
    hardest = desk.statistics(Scope(None, 30), {}).hardest[1].item_id.removeprefix("demo/")
    table = page.gallery.hardest.table
    with qtbot.waitSignal(page.go) as signal:
        if way == "keyboard":
            table.setFocus()
            table.setCurrentIndex(table.model().index(1, 0))
            press(Qt.Key.Key_Return)
        else:
            place = table.visualRect(table.model().index(1, 0)).center()
            QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
            QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert signal.args == [f"card:{hardest}"]


def test_csv_holds_the_raw_numbers(
    page: StatsPage, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_dialog(monkeypatch, tmp_path / "mine")
    click(page.gallery.studies.save)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "mine.csv").read_text("utf-8-sig"))))
    group = desk.statistics(Scope(None, 30), {}).studies[0]
    assert rows[0]["study"] == "The paging study"
    assert float(rows[0]["retention"]) == group.tested.rate
    assert float(rows[0]["time (s)"]) == group.milliseconds / 1000


def test_all_tables_go_into_one_zip(page: StatsPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_dialog(monkeypatch, tmp_path / "all.zip")
    page.page_actions()[1].trigger()
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        names = archive.namelist()
        assert len(names) == len(set(names)) == len(page.gallery.exhibits)
        for exhibit in page.gallery.exhibits:
            rows = archive.read(f"{exhibit.figures.name}.csv").decode("utf-8-sig").splitlines()
            assert len(rows) == 1 + len(exhibit.figures.rows)


def test_a_file_that_cannot_be_written_is_one_sentence(
    page: StatsPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_dialog(monkeypatch, tmp_path / "no such folder" / "x.csv")
    click(page.gallery.tags.save)
    (box,) = page.findChildren(QMessageBox)
    assert "could not be written" in box.text()
    box.close()


def test_before_the_first_answer_the_page_says_what_to_do(
    empty_desk: Desk, make_page: Callable[[Desk], StatsPage], qtbot: QtBot
) -> None:
    page = make_page(empty_desk)
    assert page.start.isVisible()
    assert not page.today.isVisible()
    assert not page.page_actions()[1].isEnabled()
    with qtbot.waitSignal(page.go) as signal:
        click(page.start)
    assert signal.args == ["drill"]


def test_before_the_first_review_each_exhibit_says_what_it_waits_for(
    empty_desk: Desk, make_page: Callable[[Desk], StatsPage]
) -> None:
    empty_desk.answer("demo/paging-0", Rating.GOOD, timedelta(seconds=5))
    page = make_page(empty_desk)
    for exhibit in (
        page.gallery.retention,
        page.gallery.studies,
        page.gallery.hardest,
        *page.gallery.spreads,
    ):
        assert exhibit.sentence.text().endswith(".")
        assert not exhibit.stack.isVisible()
        assert not exhibit.save.isVisible()
    assert page.gallery.calendar.stack.isVisible()


def test_everything_has_a_name_and_is_reached_by_tab(page: StatsPage) -> None:
    focusable = [
        widget
        for widget in page.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible()
    ]
    assert [widget for widget in focusable if not widget.accessibleName()] == []
    page.study.setFocus()
    reached = set()
    for _ in range(2 * len(focusable)):
        reached.add(QApplication.focusWidget())
        page.focusNextChild()
    wanted = {*page.findChildren(QPushButton), page.study, page.period, page.gallery.hardest.table}
    wanted |= {exhibit.chart for exhibit in page.gallery.exhibits if exhibit.chart}
    assert {widget for widget in wanted if widget.isVisible()} <= reached
    names = [action.objectName() for action in page.page_actions()]
    assert names == ["stats.tables", "stats.export"]
