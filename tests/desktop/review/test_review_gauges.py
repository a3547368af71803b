from __future__ import annotations

import re
from pathlib import Path

import pytest
from ladder_content.loader import load_pack
from ladder_content.model import Metric
from ladder_desktop.review.gauge import Marks, Share, gauge
from ladder_desktop.review.gauge_view import GaugeView, spread
from ladder_desktop.review.readings import Reading
from ladder_desktop.theme import Theme
from pytestqt.qtbot import QtBot

PACK = Path(__file__).parents[3] / "content/ladder_content/packs/runtime-ladder"


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("KV use", "98%", 0.98),
        ("KV blocks in use", "41 %", 0.41),
        ("KV use", "72%, falling slowly", 0.72),
        ("host CPU", "94% of 16 cores", 0.94),
        ("memory", "12 of 16 GB", 0.75),
        ("running against cap", "128 of 1,024", 0.125),
        ("draft acceptance rate", "0.31", 0.31),
        ("prefix token hit rate", "0.0%", 0.0),
    ],
)
def test_a_share_is_drawn_as_the_text_has_it(name: str, value: str, part: float) -> None:
    drawn = gauge(Metric(name=name, value=value))
    assert isinstance(drawn, Share)
    assert drawn.part == pytest.approx(part)


@pytest.mark.parametrize(
    ("name", "value", "first", "second"),
    [
        ("TTFT", "p50 12 ms / p99 340 ms", ("p50", 12 / 340), ("p99", 1.0)),
        ("TTFT", "p50 800 ms, p99 2 s", ("p50", 0.4), ("p99", 1.0)),
        ("TTFT", "9 ms before, 36 ms after", ("before", 0.25), ("after", 1.0)),
        ("hit rate", "71% at ten, 3% at noon", ("at ten", 0.71), ("at noon", 0.03)),
        ("ITL p99", "16 ms, target 100 ms", ("target", 1.0), ("", 0.16)),
        ("TPOT", "23 ms, target 25", ("target", 1.0), ("", 0.92)),
        ("TPOT", "20 ms, 5 ms before", ("before", 0.25), ("now", 1.0)),
        ("TPOT p50, target 4 ms", "8 ms", ("target", 0.5), ("", 1.0)),
    ],
)
def test_two_numbers_stand_on_one_scale(
    name: str, value: str, first: tuple[str, float], second: tuple[str, float]
) -> None:
    drawn = gauge(Metric(name=name, value=value))
    assert isinstance(drawn, Marks)
    for mark, (label, place) in ((drawn.first, first), (drawn.second, second)):
        assert mark.label == label
        assert mark.value / drawn.end == pytest.approx(place)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("p99 TTFT", "2.4 s"),
        ("preemptions", "0"),
        ("KV use", "under 1%"),
        ("KV use", "130%"),
        ("input to output tokens", "20 to 1"),
        ("requests running", "swings between 24 and 33"),
        ("draft step over target step", "0.11"),
        ("output tokens per second", "650 with 32 users, 400 with 64"),
        ("survives", "45%, 20%, 9%"),
        ("memory", "12 MB of 16 GB"),
        ("memory", "20 of 16 GB"),
        ("TPOT", "3 ms before, 4 tokens after"),
        ("TPOT", "0 s before, 0 s after"),
    ],
)
def test_what_is_no_share_and_no_pair_stays_text(name: str, value: str) -> None:
    assert gauge(Metric(name=name, value=value)) is None


def test_the_bundled_tickets_draw_no_number_that_is_not_in_the_text() -> None:
    drawn = [
        (metric, found)
        for study in load_pack(PACK).studies
        for ticket in study.tickets
        for metric in ticket.metrics
        if (found := gauge(metric)) is not None
    ]
    assert len(drawn) > 80
    for metric, found in drawn:
        text = f"{metric.name} {metric.value}".replace(",", "")
        numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]
        shares = {part / whole for part in numbers for whole in (*numbers, 100.0, 1.0) if whole}
        values = [found.part] if isinstance(found, Share) else [found.first.value, found.second.value]
        stood = (
            shares
            if isinstance(found, Share)
            else {n * unit for n in numbers for unit in (1e-6, 1e-3, 1, 60)}
        )
        for value in values:
            assert any(value == pytest.approx(one) for one in stood), metric


def test_labels_of_equal_numbers_stand_side_by_side_inside_the_room() -> None:
    for place in (0.0, 50.0, 200.0):
        first, second = spread([place, place], [40.0, 30.0], 200.0)
        assert first >= 0
        assert first + 40 <= second
        assert second + 30 <= 200


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_the_fill_of_a_bar_is_as_long_as_its_share(theme: Theme, qtbot: QtBot, share: float) -> None:
    view = GaugeView(Share(share), "KV use", theme)
    qtbot.addWidget(view)
    view.resize(200, view.height())
    image = view.grab().toImage()
    filled = sum(image.pixelColor(x, view.height() // 2) == theme.colour("accent") for x in range(200))
    assert filled == pytest.approx(200 * share, abs=2)


def test_a_drawn_reading_is_its_text_to_a_screen_reader(theme: Theme, qtbot: QtBot) -> None:
    tile = Reading(Metric(name="KV use", value="98%"), theme)
    qtbot.addWidget(tile)
    (view,) = tile.findChildren(GaugeView)
    assert view.accessibleName() == tile.accessibleName() == "KV use: 98%"
