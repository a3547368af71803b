"""Runs two variants, one after the other, so that neither disturbs the other's clock. No Qt."""

from __future__ import annotations

from ladder_engine.config import EngineConfig
from ladder_engine.lab.comparison import Difference, differences, explain
from ladder_engine.lab.comparison import Side as Compared
from ladder_engine.lab.scenario import Scenario, engine_of
from ladder_engine.serving.client import EngineClient
from ladder_engine.tracing.events import AnyEvent, RunStarted

from ladder_desktop.live.choice import Choice
from ladder_desktop.live.duet import Duet


class Comparer:
    """Feeds a duet from one engine process. `which` is the run that is going on, None when both are over."""

    def __init__(self, client: EngineClient, duet: Duet) -> None:
        self._client, self.duet = client, duet
        self.scenario: Scenario | None = None
        self.engines: tuple[EngineConfig, EngineConfig] | None = None
        self._choice = Choice()
        self.names = ("", "")
        self.which: int | None = None
        self.watch_kernels = False  # of the runs to come

    def start(self, scenario: Scenario, names: tuple[str, str], choice: Choice) -> None:
        """Begin with the first. Raises EngineError if there is no engine to be had."""
        self.duet.clear()
        self.scenario, self.names, self._choice, self.which = scenario, names, choice, 0
        self.engines = engine_of(scenario, names[0]), engine_of(scenario, names[1])
        self._run(0)

    def show(self, runs: tuple[list[AnyEvent], list[AnyEvent]]) -> None:
        """Take two recorded runs in place of what an engine would say. Raises TraceError if they do not add up."""
        self.duet.clear()
        self.scenario, self.which = None, None
        for side, events in enumerate(runs):
            self.duet.feed(side, events)
        left, right = (run[0] for run in runs)
        assert isinstance(left, RunStarted)
        assert isinstance(right, RunStarted)
        self.names = left.variant or "left", right.variant or "right"
        if left.variant == right.variant and left.variant:
            self.names = f"{left.variant}, left", f"{left.variant}, right"
        self.engines = left.engine, right.engine

    def stop(self) -> None:
        """Break off; what was recorded stays."""
        self._client.stop()
        self.which = None

    def poll(self) -> bool:
        """Take what the engine said; return whether there was anything.

        Raises EngineError, TraceError; then nothing runs any more.
        """
        if self.which is None or self.scenario is None:
            return False
        try:
            events = self._client.poll()
            if events:
                self.duet.feed(self.which, events)
            if self.duet.sides[self.which].edge.ended is not None:
                self.which = 1 if self.which == 0 else None
                if self.which == 1:
                    self._run(1)
        except Exception:
            self.which = None
            raise
        return bool(events)

    def _run(self, which: int) -> None:
        assert self.scenario is not None
        self._client.run(
            self.scenario.path,
            variant=self.names[which],
            kernels=self._choice.kernels,
            watch_kernels=self.watch_kernels,
            model=self._choice.model,
        )

    @property
    def complete(self) -> bool:
        """Whether both have run to their ends."""
        return all(side.edge.ended is not None for side in self.duet.sides)

    def result(self) -> tuple[list[Difference], str]:
        """What differs, and which mechanism made the difference. Both runs are complete."""
        assert self.engines is not None
        left, right = (
            Compared(name, engine, side.edge)
            for name, engine, side in zip(self.names, self.engines, self.duet.sides, strict=True)
        )
        return differences(left, right), explain(left, right)
