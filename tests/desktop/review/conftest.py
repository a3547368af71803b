"""A small pack, a real desk with a clock that travels, and the two pages on screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from random import Random

import pytest
from ladder_content.model import Card, Fact, Metric, Option, Pack, Step, Study, Ticket
from ladder_desktop.review.drill_page import DrillPage
from ladder_desktop.review.stopwatch import Stopwatch
from ladder_desktop.review.ticket_page import TicketPage
from ladder_desktop.study import Desk, items_of
from ladder_desktop.theme import Theme, load_theme
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot


@dataclass
class TravelClock:
    at: datetime = datetime(2026, 10, 20, 10, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def zone(self) -> tzinfo:
        return UTC

    def pass_by(self, **time: float) -> None:
        self.at += timedelta(**time)


@dataclass
class Seconds:
    """What a stopwatch counts; a test turns it."""

    value: float = 0.0

    def __call__(self) -> float:
        return self.value


def make_card(name: str, question: str, **changes: object) -> Card:
    fields: dict[str, object] = {
        "id": name,
        "question": question,
        "answer": "A decode step reads **all weights** to make one token for each sequence, so its time is bytes over "
        "bandwidth [F1.09]. Prefill reads the same weights once for thousands of tokens.\n\n"
        "| phase | FLOP per byte |\n|---|---|\n| decode, batch 1 | 1 |\n| prefill, 2k | 2048 |",
        "key_points": (
            "Every decode step reads all weights",
            "Batching shares `that` read",
            "The ridge decides [F1.09]",
        ),
        "follow_up": "At which batch size does decode stop being bound by bandwidth?",
        "difficulty": 2,
        "tags": ("prefill", "decode"),
        "facts": ("F1.09",),
    }
    return Card(**(fields | changes))  # type: ignore[arg-type]


def make_step(name: str, prompt: str, *texts: str) -> Step:
    """A step whose first option is the right one."""
    options = tuple(
        Option(
            text=text,
            why=f"Because {text.lower()} {'explains' if place == 0 else 'does not explain'} the TTFT.",
            correct=place == 0,
        )
        for place, text in enumerate(texts)
    )
    return Step(name=name, prompt=prompt, options=options)  # type: ignore[arg-type]


def make_ticket(name: str, title: str) -> Ticket:
    return Ticket(
        id=name,
        title=title,
        scenario="A support team pastes whole manuals into the prompt and reads one line of answer. Since the new "
        "manuals arrived, the first token takes **over a second** for every tenth request, while the GPUs look idle "
        "between bursts.",
        metrics=(
            Metric(name="Prompt, median", value="8 192 tokens"),
            Metric(name="Answer, median", value="32 tokens"),
            Metric(name="Concurrent users", value="8"),
            Metric(name="p99 TTFT", value="1.4 s"),
            Metric(name="TPOT", value="19 ms"),
            Metric(name="KV blocks in use", value="41 %"),
        ),
        steps=(
            make_step(
                "shape",
                "What is the shape of this traffic?",
                "Long prompts, short answers, few users",
                "Short prompts, long answers, many users",
                "A shared prefix on most calls",
            ),
            make_step(
                "bound",
                "What binds?",
                "Prefill compute: thousands of prompt tokens before the first answer token",
                "Decode bandwidth",
                "KV capacity: blocks run out and requests are preempted",
                "The collective floor",
            ),
            make_step("lever", "Which lever first?", "Chunked prefill", "Tensor parallel", "A larger batch"),
            make_step("study", "Which study explains it?", "Prefill vs decode", "Speculative decoding"),
        ),
        evidence="TTFT grows with the prompt and TPOT stays put: `8192` tokens at the measured prefill rate are "
        "1.3 s [F1.09]. More KV would change nothing, since 59 % of the blocks are free.",
        tags=("prefill", "TTFT"),
        facts=("F1.09",),
    )


@pytest.fixture
def pack() -> Pack:
    study = Study(
        id="runtime-ladder",
        title="The runtime ladder",
        number=1,
        summary="Mechanisms before products.",
        sections=(),
        maps=(),
        cards=(
            make_card("bandwidth", "Why is decode often bandwidth-bound while prefill is compute-bound?"),
            make_card("paging", "How does paging relate to continuous batching?"),
            make_card("baseline", "What is the default baseline, and why?"),
        ),
        tickets=(
            make_ticket("manuals", "The first token takes a second"),
            make_ticket("chats", "Sixty-four chats crawl"),
        ),
        references=(),
    )
    fact = Fact(
        id="F1.09",
        statement="The ridge of an H100 is 295 FLOP/B.",
        source="NVIDIA, H100 datasheet",
        as_of="2026-08",
        formula="989e12 / 3.35e12",
    )
    return Pack(
        id="demo",
        title="Demo",
        version="1",
        language="en",
        licence="CC0-1.0",
        studies=(study,),
        facts=(fact,),
    )


@pytest.fixture
def clock() -> TravelClock:
    return TravelClock()


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def theme() -> Theme:
    return load_theme("light")


@pytest.fixture
def desk(tmp_path: Path, clock: TravelClock, pack: Pack) -> Iterator[Desk]:
    with Desk.open(tmp_path, clock) as desk:
        desk.register(items_of(pack))
        yield desk


def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key where the keyboard is."""
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, key, modifier)


def hold(key: Qt.Key, text: str) -> None:
    """Press a key and keep it down for three repeats."""
    for repeat in (False, True, True, True):
        focus = QApplication.focusWidget()
        QTest.simulateEvent(focus, True, key, Qt.KeyboardModifier.NoModifier, text, repeat, -1)


def click(widget: QWidget, double: bool = False) -> None:
    """Click on the screen where a widget is, as a hand does: whatever lies there gets it, focus rules included."""
    QApplication.processEvents()  # what was put into a layout takes its place with the next event
    window = widget.window()
    place = widget.mapTo(window, widget.rect().center())
    (QTest.mouseDClick if double else QTest.mouseClick)(
        window.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
    )


@pytest.fixture
def on_screen(qtbot: QtBot) -> Callable[[QWidget], None]:
    """Show a page in a window that has the keyboard, as the main window does."""

    def show(page: QWidget) -> None:
        qtbot.addWidget(page)
        page.resize(1280, 800)
        page.show()
        page.activateWindow()
        qtbot.waitUntil(page.isActiveWindow)
        page.activate()  # type: ignore[attr-defined]

    return show


@pytest.fixture
def drill(
    desk: Desk,
    pack: Pack,
    theme: Theme,
    clock: TravelClock,
    seconds: Seconds,
    on_screen: Callable[[QWidget], None],
) -> Iterator[DrillPage]:
    page = DrillPage(desk, pack, theme, clock, Stopwatch(seconds=seconds))
    on_screen(page)
    yield page
    page.deactivate()


@pytest.fixture
def tickets(
    desk: Desk,
    pack: Pack,
    theme: Theme,
    clock: TravelClock,
    seconds: Seconds,
    on_screen: Callable[[QWidget], None],
) -> Iterator[TicketPage]:
    watch = Stopwatch(timedelta(minutes=10), seconds)
    page = TicketPage(desk, pack, theme, clock, watch, Random(1))
    on_screen(page)
    yield page
    page.deactivate()
