"""Measure how smooth the live panel is: `python -m ladder_desktop.live.bench [scenario id or file] [steps a second] [plots]`.

Without a scenario it takes the widest there may be, 256 requests at once in 4,096 blocks, and then a usual one. With
`plots`, those are in sight. Shows the page (offscreen unless QT_QPA_PLATFORM says otherwise), measures it idle, then runs
the scenario on the real engine in its process and measures again while it works. Two figures a frame: the work (poll,
fold, paint and whatever else the window's thread did, in processor time, so that other programs do not count) with its
parts, and the gap from one frame to the next on the clock.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from ladder_engine.lab.scenario import Scenario, find_scenario, load_scenario
from ladder_engine.serving.client import EngineClient
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from ladder_desktop import theme as themes
from ladder_desktop.garbage import GarbageCollector
from ladder_desktop.live.live_page import FRAME_MS, LivePage
from ladder_desktop.live.meter import Meter
from ladder_desktop.theme import Theme

IDLE_S = 5.0
USUAL = "short-chats"
WIDE = {
    "id": "wide",
    "title": "256 requests in 4,096 blocks",
    "story": "As many requests and blocks as the panel is made for.",
    "look_at": ["Whether it stays smooth."],
    "engine": {"num_blocks": 4096, "max_num_seqs": 256, "max_num_batched_tokens": 1024, "max_model_len": 256},
    "requests": [
        {
            "name": "chat",
            "prompt": "Q: The chatbot is slow. Walk me through how you would debug it, for customer {n}.\nA:",
            "max_tokens": 120,
            "copies": 256,
            "sampling": {"ignore_eos": True},
        }
    ],
}


class MeasuredPage(LivePage):
    """A live page that tells a meter when a frame begins, when it folds or shows something new, and what its parts cost."""

    def __init__(self, scenario: Scenario, theme: Theme) -> None:
        self.meter = Meter()
        super().__init__([scenario], theme, EngineClient)

    def frame(self) -> None:
        """Begin a frame."""
        self.meter.frame()
        super().frame()

    def _take(self) -> bool:
        """Something may be new."""
        news = super()._take()
        if news:
            self.meter.note()
        return news

    def refresh(self) -> None:
        """Something is new."""
        self.meter.note()
        super().refresh()

    def time_parts(self) -> None:
        """Measure the parts from now on, none of which lies within another."""
        watch, player = self.watch, self.player
        for owner, method, part in (
            (player, "feed", "fold what the engine said"),
            (player, "tick", "move the playhead"),
            (watch.grid, "show_state", "block grid, state"),
            (watch.grid, "paintEvent", "block grid, paint"),
            (watch.requests, "show_state", "requests, state"),
            (watch.requests, "paintEvent", "requests, paint"),
            (watch.timeline, "refresh", "timeline, state"),
            (watch.timeline, "paintEvent", "timeline, paint"),
            (watch.plots, "refresh", "plots, state"),
            (watch.answer, "show_state", "answer, state"),
            (self.transport, "refresh", "transport, state"),
            (self.touching, "show", "touch panel, state"),
        ):
            self.meter.time(owner, method, part)


def main(arguments: list[str]) -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        wide = Path(folder) / "wide.yaml"
        wide.write_text(json.dumps(WIDE), encoding="utf-8")
        paths = [find_scenario(arguments[0])] if arguments else [wide, find_scenario(USUAL)]
        app = QApplication(sys.argv[:1])
        themes.apply(app, themes.load_theme("light"))
        garbage = GarbageCollector(app)
        worst = max(run(path, arguments[1:]) for path in paths)
        garbage.stop()
        return worst


def run(path: Path, arguments: list[str]) -> int:
    """Measure one scenario."""
    scenario = load_scenario(path)
    page = MeasuredPage(scenario, themes.load_theme("light"))
    page.time_parts()
    page.player.speed = int(arguments[0]) if arguments else 60
    page.resize(1280, 800)
    page.show()
    page.activate()
    if "plots" in arguments:
        page.watch.turn_plots()
    try:
        measure(page, scenario)
    finally:
        page.shutdown()
        page.close()
    if page.player.edge.ended is None or page.player.edge.ended.error:
        print(page.head.message.text(), file=sys.stderr)
        return 2
    return 0


def measure(page: MeasuredPage, scenario: Scenario) -> None:
    """Measure the page idle, then through a run of the scenario."""
    idle = QTimer()
    idle.setTimerType(page._timer.timerType())
    idle.setInterval(FRAME_MS)
    idle.timeout.connect(page.meter.frame)
    loop, end = QEventLoop(), QTimer()
    end.setSingleShot(True)
    end.timeout.connect(loop.quit)
    idle.start()
    end.start(int(IDLE_S * 1000))
    loop.exec()
    idle.stop()
    idling = page.meter.take()

    page.run()
    while page._client.starting:
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    starting = page.meter.take()
    began = time.perf_counter()
    while page._client.running:
        loop.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    took = time.perf_counter() - began
    working = page.meter.take()
    edge = page.player.edge
    print(
        f"{scenario.title}: {len(edge.sequences)} requests, {len(edge.block_owner)} blocks, {page.player.last} steps "
        f"in {took:.1f} s, shown at up to {page.player.speed} steps/s, {page.width()}x{page.height()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0] if hasattr(os, 'getloadavg') else 0:.1f}"
    )
    print(f"{'milliseconds':46}{'frames':>8}{'p50':>8}{'p99':>8}{'max':>8}")
    report("work a frame, engine at work", working.work())
    report("  of those that fold or show something new", working.work(new=True))
    for name, values in working.parts().items():
        report(f"    {name}", values)
    report("work a frame, engine starting", starting.work())
    report("work a frame, idle", idling.work())
    report("gap between frames, engine at work", working.gaps())
    report("gap between frames, engine starting", starting.gaps())
    report("gap between frames, idle", idling.gaps())
    print()


def report(name: str, values: list[float]) -> None:
    """Print one line of percentiles."""
    if not values:
        print(f"{name:46}{0:8}")
        return
    ordered = sorted(values)
    p50, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.50, 0.99))
    print(f"{name:46}{len(ordered):8}{p50:8.2f}{p99:8.2f}{ordered[-1]:8.2f}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
