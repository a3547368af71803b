"""Begins what the lab shows: a run, two variants side by side, a recording; and breaks it off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder_engine.errors import EngineError
from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from ladder_desktop.live.live_page import LivePage


class Starter(QObject):
    """One action each; what was shown before is forgotten."""

    def __init__(self, page: LivePage) -> None:
        super().__init__(page)
        self._page = page

    def run(self) -> None:
        """Run the picked scenario, in the picked variant, from its beginning."""
        page, scenario = self._page, self._page.head.scenario
        if scenario is None:
            return
        self._clear()
        page.player.play()
        try:
            page.live.start(scenario, page.head.variant, page.choosing.choice)
        except EngineError as error:
            page.fail(str(error))
            return
        page.starting()

    def compare(self, names: tuple[str, str] | None = None) -> None:
        """Run two variants of the picked scenario, the first two when none are named, and show them side by side."""
        page, scenario = self._page, self._page.head.scenario
        if scenario is None or len(scenario.variant_names) < 2:
            page.head.say("This scenario has no variants to compare.", "bad")
            return
        left, right = names or scenario.variant_names[:2]
        page.face(comparing=True)
        page.select(None)
        try:
            page.live.start_two(scenario, (left, right), page.choosing.choice)
        except EngineError as error:
            page.fail(str(error))
            return
        page.compare_panels.show_comparer(page.comparer)
        page.duet.play()
        page.starting()

    def show_recording(self, name: str, compared: bool = False) -> None:
        """Make room for a recording, which is read from the next frame on; or for two, side by side."""
        page = self._page
        page.live.client.stop()
        self._clear()
        page.live.ran = None
        if compared:
            page.face(comparing=True)
        page.head.say(f"{'Two recordings' if compared else 'A recording'}: {name}")
        page.wake()
        page.refresh()

    def choose(self, place: str) -> None:
        """Pick a scenario by its id, ready to run; with `?compare` behind it, compare its variants."""
        scenario_id, _, how = place.partition("?")
        if not self._page.head.choose(scenario_id):
            self._page.head.say(f"There is no scenario {scenario_id}.", "bad")
        elif how == "compare":
            self.compare()

    def explain(self) -> None:
        """Go to the lesson that explains the scenario."""
        scenario = self._page.head.scenario
        if scenario is not None and scenario.explained_by:
            self._page.go.emit(scenario.explained_by)

    def stop(self) -> None:
        """Break the run off, or read no further; what there is until then stays."""
        self._page.keeping.close()
        if self._page.comparing:
            self._page.comparer.stop()
        self._page.live.client.stop()

    def tell_scenario(self) -> None:
        """Another scenario is picked."""
        page, scenario = self._page, self._page.head.scenario
        page.prediction.show_prediction(scenario.prediction if scenario else None)
        page.forecast.give_up()
        self.tell_what_is_shown()

    def tell_what_is_shown(self) -> None:
        """Say so while the panels show another scenario, or another variant, than the one that is picked."""
        page, ran = self._page, self._page.live.ran
        picked = page.head.scenario, "" if page.comparing else page.head.variant
        if ran is None or ran == picked:
            page.head.say("")
            return
        name = f"{ran[0].title} ({ran[1]})" if ran[1] else ran[0].title
        page.head.say(f"The panels show {name} until this one is run.")

    def _clear(self) -> None:
        """Forget the run that was watched, for another."""
        page = self._page
        page.face(comparing=False)
        page.comparer.which = None
        page.keeping.close()
        page.player.clear()
        page.watch.timeline.clear()
        page.touching.clear()
        page.select(None)
