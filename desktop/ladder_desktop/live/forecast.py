"""A prediction on its way: made, run, measured, scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ladder_content.model import Card
from ladder_engine.errors import ScenarioError
from ladder_engine.tracing.state import RunState
from PySide6.QtCore import QObject

from ladder_desktop.lessons.memory import Memory
from ladder_desktop.live.kept_prediction import Outcome, card_of, study_of

if TYPE_CHECKING:
    from ladder_desktop.live.live_page import LivePage


KEEP_WRONG = "live/keep-wrong"


class Forecast(QObject):
    """Runs what a guess needs, and scores it when the runs are over. A run that was touched scores nothing.

    `guess` waits for runs that are going on. `keep` takes the card of a prediction that was scored, with its study; without
    it nothing can be kept.
    """

    def __init__(self, page: LivePage, keep: Callable[[str, Card], str] | None, memory: Memory) -> None:
        super().__init__(page)
        self._page, self._keep, self._memory = page, keep, memory
        self.guess: float | None = None
        self.outcome: Outcome | None = None  # of the prediction that was scored last
        page.prediction.keep_wrong.setChecked(memory.remembered(KEEP_WRONG) == "yes")
        page.prediction.keep_wrong.toggled.connect(self._remember)
        page.prediction.keep_wanted.connect(self.keep)
        page.prediction.predicted.connect(self.make)

    def make(self, guess: float) -> None:
        """Somebody has said what will come out: run it."""
        page, scenario = self._page, self._page.head.scenario
        if scenario is None or scenario.prediction is None:
            return
        needed = scenario.prediction.variants(scenario.variant_names[0])
        if len(needed) > 1:
            page.starter.compare((needed[1], needed[0]))
        else:
            page.head.choose_variant(needed[0])
            page.run()
        self.guess = guess if page.busy else None
        self.outcome = None

    def give_up(self) -> None:
        """The runs will not come to what was asked."""
        self.guess = self.outcome = None

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
        default = scenario.variant_names[0]
        configs = tuple(runs[name].config for name in scenario.prediction.variants(default))
        score = scenario.prediction.score(guess, value)
        self.show(Outcome(scenario, guess, value, score.right, configs, datetime.now()))
        page.predicted.emit(scenario.id, score.right, {"guess": guess, "measured": value})

    def show(self, outcome: Outcome) -> None:
        """Say how a prediction came out, and offer to keep it where it is not."""
        prediction = outcome.scenario.prediction
        if prediction is None:
            return
        self.outcome = outcome
        self._page.prediction.show_score(prediction.score(outcome.guess, outcome.value))
        if self._keep is not None and not outcome.kept:
            self._page.prediction.offer_card(not outcome.right)

    def keep(self) -> None:
        """Keep the prediction that was scored last as a card."""
        if self.outcome is not None and self._keep is not None:
            said = self._keep(study_of(self.outcome.scenario), card_of(self.outcome))
            self.outcome = replace(self.outcome, kept=True)
            self._page.prediction.keep_button.hide()
            self._page.head.say(said)

    def _remember(self, wrong_ones: bool) -> None:
        self._memory.remember(KEEP_WRONG, "yes" if wrong_ones else "")
