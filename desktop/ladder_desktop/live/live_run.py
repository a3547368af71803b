"""What of the live panel outlives the page: the engine, what it said, and where a person stands in it."""

from __future__ import annotations

from dataclasses import dataclass

from ladder_engine.lab.scenario import Scenario
from ladder_engine.serving.client import EngineClient
from ladder_engine.tracing.trace_file import TraceReader

from ladder_desktop.live.choice import Choice
from ladder_desktop.live.comparer import Comparer
from ladder_desktop.live.duet import Duet
from ladder_desktop.live.kept_prediction import Outcome
from ladder_desktop.live.player import Player


class LiveRun:
    """An engine with the one run or the two that it has done, and their playheads. No Qt."""

    def __init__(self, client: EngineClient) -> None:
        self.client = client
        self.player = Player()
        self.duet = Duet()
        self.comparer = Comparer(client, self.duet)
        self.ran: tuple[Scenario, str] | None = None  # scenario and variant, "" of two that are compared
        self._bound: int | None = None  # what the engine was told last

    def start(self, scenario: Scenario, variant: str, choice: Choice) -> None:
        """Begin a run, as far as the playhead lets it go; EngineError if that cannot be."""
        self._bound = self.player.bound
        self.client.run(
            scenario.path,
            variant=variant,
            until=self._bound,
            watch_kernels=self.comparer.watch_kernels,
            kernels=choice.kernels,
            model=choice.model,
        )
        self.ran = (scenario, variant)

    def start_two(self, scenario: Scenario, names: tuple[str, str], choice: Choice) -> None:
        """Begin with the first of two runs; EngineError if that cannot be."""
        self.comparer.start(scenario, names, choice)
        self.ran = (scenario, "")

    def watch_kernels(self, on: bool) -> None:
        """Have launches recorded, or no longer, in this run and in those to come."""
        if on != self.comparer.watch_kernels:
            self.comparer.watch_kernels = on
            self.client.watch_kernels(on)

    def pace(self) -> None:
        """Tell the engine how far it may go, where that is news."""
        if not self.client.running:
            return
        bound = self.player.bound
        ahead = (
            bound is not None
            and self._bound is not None
            and 0 <= bound - self._bound < self.player.speed // 8
        )
        if bound != self._bound and not (self.player.playing and ahead):
            self.client.advance(bound)
            self._bound = bound

    def close(self) -> None:
        """End the engine's process, and give back what the recordings hold on the disk."""
        self.client.close()
        self.player.close()
        self.duet.close()


@dataclass(frozen=True)
class Sights:
    """What a page shows of a run: which tab at the side, tables or pictures, and what is open."""

    side: str
    blocks: int
    batch: int
    plotting: bool
    slots: bool
    lens: bool


@dataclass(frozen=True)
class TwoSights:
    """The same of two runs; `looked` is the one that the lens looks at."""

    plotting: bool = False
    lens: bool = False
    looked: int = 0
    blocks: bool = False
    batch: bool = False


@dataclass(frozen=True)
class Watched:
    """A run as a page hands it to the next: what is picked, and what is lit and shown of it."""

    run: LiveRun
    comparing: bool
    selection: int | None
    scenarios: tuple[Scenario, ...]
    picked: tuple[str, str]
    said: tuple[str, str]
    reader: TraceReader | None
    touched: tuple[bool, int]
    choice: Choice
    guess: float | None
    outcome: Outcome | None
    sights: Sights
    two_sights: TwoSights

    def shutdown(self) -> None:
        """No page has taken it over: end it."""
        if self.reader is not None:
            self.reader.close()
        self.run.close()
