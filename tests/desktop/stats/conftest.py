"""A pack of two studies, three months of study on a clock that tests turn, and the page on screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from ladder_content.model import Card, Pack, Study
from ladder_desktop.stats.stats_page import StatsPage
from ladder_desktop.study import Desk, Rating, items_of
from ladder_desktop.theme import Theme, apply, load_theme
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot


@dataclass
class TravelClock:
    at: datetime = datetime(2026, 8, 3, 10, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def zone(self) -> tzinfo:
        return UTC


def make_study(number: int, name: str, cards: int) -> Study:
    return Study(
        id=name,
        title=f"The {name} study",
        number=number,
        summary="",
        sections=(),
        maps=(),
        cards=tuple(
            Card(
                id=f"{name}-{card}",
                question=f"What is **{name}** number {card}?",
                answer="It is.",
                key_points=("It is",),
                follow_up="",
                difficulty=2,
                tags=("odd" if card % 2 else "even", name),
            )
            for card in range(cards)
        ),
        tickets=(),
        references=(),
    )


@pytest.fixture(scope="session")
def small_pack() -> Pack:
    return Pack(
        id="demo",
        title="Demo",
        version="1",
        language="en",
        licence="CC0-1.0",
        studies=(make_study(1, "paging", 8), make_study(2, "draft", 5)),
        facts=(),
    )


def study_for(desk: Desk, clock: TravelClock, days: int) -> None:
    """Answer what is due on two days of three, now and then wrongly."""
    rng = Random(3)
    for day in range(days):
        for _ in range(6 if day % 3 else 0):
            if (item := desk.next_item()) is None:
                break
            rating = rng.choices(list(Rating), (2, 1, 6, 1))[0]
            desk.answer(item.item_id, rating, timedelta(seconds=rng.randrange(5, 40)))
            clock.at += timedelta(minutes=2)
        clock.at += timedelta(days=1)


@pytest.fixture(scope="module")
def clock() -> TravelClock:
    return TravelClock()


@pytest.fixture(scope="module")
def desk(clock: TravelClock, small_pack: Pack) -> Iterator[Desk]:
    """Return a desk after two months; tests only read it."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with TemporaryDirectory(dir=memory) as folder, Desk.open(Path(folder), clock) as desk:
        desk.register(items_of(small_pack))
        study_for(desk, clock, 60)
        desk.answer("demo/paging-0", Rating.GOOD, timedelta(seconds=65))
        yield desk


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    theme = load_theme("light")
    apply(qapp, theme)
    return theme


@pytest.fixture
def make_page(qtbot: QtBot, small_pack: Pack, theme: Theme) -> Callable[[Desk], StatsPage]:
    """Return a page in a window that has the keyboard."""

    def make(desk: Desk) -> StatsPage:
        page = StatsPage(desk, small_pack, theme)
        qtbot.addWidget(page)
        page.resize(1100, 800)
        page.show()
        page.activateWindow()
        qtbot.waitUntil(page.isActiveWindow)
        page.activate()
        QApplication.processEvents()
        return page

    return make


@pytest.fixture
def page(desk: Desk, make_page: Callable[[Desk], StatsPage]) -> StatsPage:
    return make_page(desk)


@pytest.fixture
def empty_desk(tmp_path: Path, clock: TravelClock, small_pack: Pack) -> Iterator[Desk]:
    with Desk.open(tmp_path, clock) as desk:
        desk.register(items_of(small_pack))
        yield desk


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key where the keyboard is."""
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, key, modifier)


def click(widget: QWidget) -> None:
    """Click in the middle of a widget."""
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
