"""What the charts paint, looked at pixel by pixel, and the words and numbers of their tables."""

from __future__ import annotations

import pytest
from ladder_desktop.stats.bars import BarChart, Part, nice_step
from ladder_desktop.stats.figures import Column, Figures, duration, percent, short, written
from ladder_desktop.stats.heat_map import HeatMap
from ladder_desktop.stats.intervals import IntervalChart, Row
from ladder_desktop.study.statistics import Share
from ladder_desktop.theme import Theme
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

TODAY = 20_755  # Thursday 29 October 2026


def column_of(image: QImage, x: int, colour: QColor) -> int:
    """Return how many pixels of a column have a colour."""
    return sum(image.pixelColor(x, y) == colour for y in range(image.height()))


def test_bars_are_as_high_as_their_values(qtbot: QtBot, theme: Theme) -> None:
    chart = BarChart(theme, "Bars")
    qtbot.addWidget(chart)
    chart.resize(400, 200)
    values = [10.0, 40.0, 20.0, 0.0]
    chart.show_bars([Part("cards", "accent", "solid", values)], ["a", "b", "c", "d"], list("abcd"), "")
    image = chart.grab().toImage()
    middles = [x for x in range(400) if chart.mark_at(QPointF(x, 50)) >= 0]
    found = []
    for bar in range(4):
        places = [x for x in middles if chart.mark_at(QPointF(x, 50)) == bar]
        found.append(column_of(image, places[len(places) // 2], theme.colour("accent")))
    assert found[3] == 0
    assert found[1] / found[0] == pytest.approx(4, rel=0.05)
    assert found[2] / found[0] == pytest.approx(2, rel=0.05)
    assert chart.mark_at(QPointF(1, 50)) == -1


def test_a_busier_day_is_no_paler(qtbot: QtBot, theme: Theme) -> None:
    chart = HeatMap(theme, "Year")
    qtbot.addWidget(chart)
    counts = {TODAY - back: back for back in range(1, 41)}
    chart.show_days(counts, TODAY, {day: str(day) for day in range(TODAY - 400, TODAY + 1)}, "")
    chart.resize(chart.sizeHint())
    shades = [chart.shade(TODAY - back) for back in range(41)]
    assert shades == sorted(shades)
    assert [shades.count(shade) for shade in range(5)] == [1, 11, 10, 10, 9]
    image = chart.grab().toImage()
    seen: dict[int, set[str]] = {}
    for back in range(41):
        place = chart._box(len(chart.readings) - 1 - back).center()
        assert chart.mark_at(place) == len(chart.readings) - 1 - back
        seen.setdefault(shades[back], set()).add(image.pixelColor(place.toPoint()).name())
    assert all(len(colours) == 1 for colours in seen.values())
    assert len({next(iter(colours)) for colours in seen.values()}) == 5
    assert chart.readings[-1] == str(TODAY)
    assert chart.mark_at(QPointF(0, 0)) == -1


def test_an_interval_below_the_target_has_its_own_colour_and_shape(qtbot: QtBot, theme: Theme) -> None:
    chart = IntervalChart(theme, "Shares")
    qtbot.addWidget(chart)
    rows = [Row("low", Share(60, 100)), Row("right", Share(90, 100)), Row("none", Share(0, 0))]
    chart.show_rows(rows, 0.9, ["low", "right", "none"], "")
    chart.resize(600, chart.sizeHint().height())
    image = chart.grab().toImage()

    def ink(row: int, colour: QColor) -> int:
        top = round(22 + 27 * row)
        return sum(
            image.pixelColor(x, y) == colour for y in range(top, top + 27) for x in range(image.width())
        )

    assert ink(0, theme.colour("bad")) > 50
    assert ink(1, theme.colour("accent")) > 50
    assert ink(0, theme.colour("accent")) == ink(1, theme.colour("bad")) == 0
    assert ink(2, theme.colour("accent")) == ink(2, theme.colour("bad")) == 0
    assert [chart.mark_at(QPointF(50, y)) for y in (5, 30, 60, 90)] == [-1, 0, 1, 2]


@pytest.mark.parametrize(
    ("highest", "step"), [(0, 1), (1, 0.5), (3, 1), (10, 5), (37, 10), (41, 20), (900, 500), (0.03, 0.01)]
)
def test_a_grid_has_round_steps(highest: float, step: float) -> None:
    assert nice_step(highest) == pytest.approx(step)


def test_numbers_as_people_read_them() -> None:
    assert [percent(share) for share in (0.9, 0.8567, 1.0, 0.0)] == ["90 %", "85.7 %", "100 %", "0 %"]
    assert [duration(ms) for ms in (0, 8_400, 61_000, 3_600_000, 11_100_000)] == [
        "0 s",
        "8 s",
        "1 min",
        "1 h",
        "3 h 5 min",
    ]
    assert [short(number) for number in (0.423, 7.31, 128.4, 12_345)] == ["0.42", "7.3", "128", "12 345"]
    assert [written(1_204, "count"), written(None, "share"), written("x", "text")] == ["1 204", "–", "x"]


def test_a_formula_in_a_table_stays_a_text() -> None:
    figures = Figures("x", (Column("card", "text"), Column("time", "time")), (("=1+1", 1500),))
    assert figures.csv().decode("utf-8-sig") == "card,time (s)\r\n'=1+1,1.5\r\n"
