"""Touching a run from the panel: what the engine is told, by mouse and by keyboard, and how pause holds it."""

from __future__ import annotations

from typing import Any

import pytest
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.live.player import FULL_SPEED, Player
from ladder_engine.config import EngineConfig
from ladder_engine.tracing.events import Reconfigured, StepTimed
from msgspec.structs import replace
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.desktop.live.conftest import Make, RecordedClient
from tests.traces import busy_trace

CONFIG = EngineConfig(
    num_blocks=20, block_size=4, max_num_seqs=4, max_num_batched_tokens=16, max_model_len=80
)


class HeldClient(RecordedClient):
    """Gives out no more steps than it was told it may."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Any] = []
        self.sentences: list[str] = []
        self.events = [replace(busy_trace()[0], engine=CONFIG), *busy_trace()[1:]]
        self.until: int | None = None

    def run(
        self,
        scenario: object,
        kernels: object = "auto",
        variant: str = "",
        until: int | None = None,
        watch_kernels: bool = False,
        **_choice: object,
    ) -> None:
        self.at, self.until = 0, until

    @property
    def running(self) -> bool:
        return hasattr(self, "at") and self.at < len(self.events)

    def poll(self) -> list[Any]:
        if not self.running:
            return []
        begin = self.at
        while self.at < len(self.events) and (self.until is None or self.events[self.at].step <= self.until):
            self.at += 1
        return self.events[begin : self.at]

    def advance(self, until: int | None) -> None:
        self.told.append(("advance", until))
        self.until = until

    def add(self, name: str, prompt: str, max_tokens: int, sampling: object = None) -> None:
        self.told.append(("add", name, prompt, max_tokens))

    def configure(self, **changes: Any) -> None:
        self.told.append(("configure", changes))

    def abort(self, seq_id: int) -> None:
        self.told.append(("abort", seq_id))

    def declined(self) -> str | None:
        return self.sentences.pop(0) if self.sentences else None


@pytest.fixture
def client() -> HeldClient:
    return HeldClient()


@pytest.fixture
def page(make: Make, client: HeldClient) -> LivePage:
    page = make(client)
    page._timer.setInterval(10_000_000)  # frames by hand
    page.run()
    page.frame()
    return page


def hold(page: LivePage) -> None:
    page.toggle()
    page.frame()


def test_the_engine_is_never_far_ahead_of_the_playhead_and_a_pause_holds_it(
    page: LivePage, client: HeldClient
) -> None:
    for _ in range(5):
        page.player._progress += 1
        page.frame()
        assert page.player.last <= page.player.position + 20
    hold(page)
    last = page.player.last
    assert client.until == last
    for _ in range(5):
        page.frame()
    assert page.player.last == last, "the engine does not advance"


def test_a_single_step_at_the_edge_is_one_step_of_the_engine(
    page: LivePage, client: HeldClient, qtbot: QtBot
) -> None:
    hold(page)
    page.seek(page.player.last)
    at = page.player.last
    for more in (1, 2, 3):
        qtbot.keyClick(page.watch.timeline, Qt.Key.Key_Period)
        page.frame()
        assert (page.player.position, page.player.last) == (at + more, at + more)
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_Comma)
    page.frame()
    assert (page.player.position, page.player.last) == (at + 2, at + 3)


def test_at_full_speed_nothing_holds_the_engine() -> None:
    player = Player(speed=FULL_SPEED)
    player.play()
    assert player.bound is None
    player.pause()
    assert player.bound == 0
    assert player.speed_words == "full speed"


def test_a_prompt_of_ones_own(page: LivePage, client: HeldClient, qtbot: QtBot) -> None:
    hold(page)
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_P)
    touch = page.watch.touch
    assert touch.prompt.hasFocus()
    touch.max_tokens.setValue(9)
    qtbot.keyClicks(touch.prompt, "what, then. [f]")
    qtbot.keyClick(touch.prompt, Qt.Key.Key_Return)
    assert client.told[-1] == ("add", "your prompt 1", "what, then. [f]", 9)
    assert touch.prompt.text() == ""
    assert f"before step {page.player.last + 1}" in touch.note.text()
    said = len(client.told)
    qtbot.mouseClick(touch.add, Qt.MouseButton.LeftButton)
    assert len(client.told) == said, "an empty prompt is none"


def test_each_setting_is_told_and_what_is_declined_is_said(
    page: LivePage, client: HeldClient, qtbot: QtBot
) -> None:
    hold(page)
    touch = page.watch.touch
    page.watch.side.setCurrentWidget(touch)
    assert (touch.max_num_seqs.value(), touch.max_num_batched_tokens.value()) == (4, 16)
    touch.max_num_seqs.setValue(2)
    touch.max_num_batched_tokens.setValue(8)
    touch.num_speculative_tokens.setValue(3)
    touch.prefix_caching.click()
    touch.static_batching.click()
    touch.admission.setCurrentIndex(2)
    touch.max_prefill_chunk.setValue(5)
    touch.max_prefill_chunk.setValue(0)
    touch.composition.setCurrentIndex(1)
    changes = [told[1] for told in client.told if told[0] == "configure"]
    assert changes == [
        {"max_num_seqs": 2},
        {"max_num_batched_tokens": 8},
        {"num_speculative_tokens": 3},
        {"prefix_caching": True},
        {"batching": "static"},
        {"admission": "fair"},
        {"max_prefill_chunk": 5},
        {"max_prefill_chunk": None},
        {"composition": "prefill_first"},
    ]
    client.sentences = ["The engine stays as it was: no."]
    page.frame()
    assert touch.note.text() == "The engine stays as it was: no."


def test_the_panel_shows_the_settings_the_engine_has_now(page: LivePage, client: HeldClient) -> None:
    hold(page)
    at = next(
        i
        for i, event in enumerate(client.events)
        if isinstance(event, StepTimed) and event.step == page.player.last
    )
    engine = replace(CONFIG, max_num_seqs=3, max_prefill_chunk=7, composition="decode_first")
    changed = Reconfigured(step=page.player.last + 1, time=client.events[at].time, engine=engine)
    client.events.insert(at + 1, changed)
    client.advance(page.player.last + 1)
    page.player._owed = 1
    page.frame()
    assert page.watch.touch.max_num_seqs.value() == 3
    assert page.watch.touch.max_prefill_chunk.value() == 7
    assert page.watch.touch.composition.currentData() == "decode_first"
    assert ("configure", {"max_num_seqs": 3}) not in client.told, "showing is not asking"


def test_the_selected_request_is_aborted_by_key_and_only_while_it_lives(
    page: LivePage, client: HeldClient, qtbot: QtBot
) -> None:
    hold(page)
    page.seek(page.player.last)
    alive = page.player.edge.running[0]
    page.select(alive)
    assert page.watch.touch.abort.isEnabled()
    qtbot.keyClick(page.watch.timeline, Qt.Key.Key_Delete)
    assert client.told[-1] == ("abort", alive)
    client.advance(None)
    page.frame()
    page.select(alive)
    assert not page.watch.touch.abort.isEnabled()
    assert not page.watch.touch.prompt.isEnabled(), "the run is over"


def test_every_setting_can_be_reached_in_a_small_window(page: LivePage) -> None:
    hold(page)
    touch = page.watch.touch
    page.watch.side.setCurrentWidget(touch)
    page.resize(900, 600)
    page.frame()
    for widget in (touch.prompt, *touch._settings()):
        touch.ensureWidgetVisible(widget)
        at = widget.mapTo(touch.viewport(), widget.rect().center())
        assert touch.viewport().rect().contains(at)
        assert widget.width() <= touch.viewport().width()
