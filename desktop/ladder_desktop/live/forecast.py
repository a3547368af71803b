"""A prediction on its way: made, run, measured, scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ladder_engine.errors import ScenarioError
from ladder_engine.state import RunState
from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from ladder_desktop.live.live_page import LivePage


class Forecast(QObject):
    """Runs what a guess needs, and scores it when the runs are over. A run that was touched scores nothing.

    `guess` waits for runs that are going on.
    """

    def __init__(self, page: LivePage) -> None:
        super().__init__(page)
        self._page = page
        self.guess: float | None = None
        page.prediction.predicted.connect(self.make)

    def make(self, guess: float) -> None:
        """Somebody has said what will come out: run it."""
        page, scenario = self._page, self._page.head.scenario
        if scenario is None or scenario.prediction is None:
            return
        needed = scenario.prediction.variants(scenario.variant_names[0])
        if len(needed) > 1:
            page.compare((needed[1], needed[0]))
        else:
            page.head.choose_variant(needed[0])
            page.run()
        self.guess = guess if page.busy else None

    def give_up(self) -> None:
        """The runs will not come to what was asked."""
        self.guess = None

    def settle(self, runs: Mapping[str, RunState], touched: bool = False) -> None:
        """The runs are over: score the guess, if there is one."""
        page, guess = self._page, self.guess
        scenario = page.head.scenario
        if guess is None or scenario is None or scenario.prediction is None:
            return
        self.guess = None
        if touched:
            page.prediction.say("You touched the run, so the prediction is not scored.")
            return
        try:
            value = scenario.prediction.measured(runs, scenario.variant_names[0])
        except (ScenarioError, KeyError):
            page.prediction.say("The run came to no value that the prediction could be scored by.")
            return
        score = scenario.prediction.score(guess, value)
        page.prediction.show_score(score)
        page.predicted.emit(scenario.id, score.right, {"guess": guess, "measured": value})
