"""What the live panel's tests share: a page over an engine that plays back a recorded trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ladder_desktop.live.live_page import LivePage
from ladder_desktop.theme import Theme, load_theme
from ladder_engine.errors import EngineError
from ladder_engine.lab.scenario import bundled_scenarios
from ladder_engine.serving.client import EngineClient
from ladder_engine.tracing.events import AnyEvent
from pytestqt.qtbot import QtBot

from tests.traces import busy_trace


class RecordedClient(EngineClient):
    """Plays back a trace as if the engine's process had said it, `batches` polls long; no process is started."""

    def __init__(self, batches: int = 1, failure: str | None = None) -> None:
        super().__init__(command=())
        self.calls: list[str] = []
        self.failure = failure
        self.batches = batches
        self.queue: list[list[AnyEvent] | EngineError] = []

    @property
    def starting(self) -> bool:
        return False

    @property
    def running(self) -> bool:
        return bool(self.queue)

    def run(
        self,
        scenario: Path,
        kernels: object = "auto",
        variant: str = "",
        until: int | None = None,
        watch_kernels: bool = False,
        model: str = "",
    ) -> None:
        self.calls.append(f"run {scenario.name}")
        events = busy_trace()
        size = -(-len(events) // self.batches)
        self.queue = [events[at : at + size] for at in range(0, len(events), size)]
        if self.failure:
            self.queue[1:] = [EngineError(self.failure)]

    def poll(self) -> list[AnyEvent]:
        item = self.queue.pop(0) if self.queue else []
        if isinstance(item, EngineError):
            raise item
        return item

    def stop(self) -> None:
        self.calls.append("stop")

    def close(self) -> None:
        self.calls.append("close")


Make = Callable[..., LivePage]


@pytest.fixture(scope="module")
def theme() -> Theme:
    return load_theme("light")


@pytest.fixture
def make(qtbot: QtBot, theme: Theme) -> Iterator[Make]:
    """Build a shown page over a recorded client; its timer is left to the page, frames can be asked for by hand."""
    pages: list[LivePage] = []

    def build(client: EngineClient | None = None) -> LivePage:
        page = LivePage(bundled_scenarios(), theme, lambda: client or RecordedClient())
        qtbot.addWidget(page)
        page.resize(1280, 800)
        with qtbot.waitExposed(page):
            page.show()
        page.activate()
        pages.append(page)
        return page

    yield build
    for page in pages:
        page.shutdown()


def with_run(page: LivePage, position: int = 20) -> LivePage:
    page.run()
    page.frame()
    page.player.pause()
    page.seek(position)
    return page


def client_of(page: LivePage) -> RecordedClient:
    assert isinstance(page._client, RecordedClient)
    return page._client
