"""The live panel: runs scenarios on the real engine, in its own process, and shows what the trace says.

It has two faces over one engine: one run to watch and to touch, or two variants side by side. The page draws states and
sends intents; a timer paints at most once a frame, however fast the engine is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ladder_content.model import Card, Pack
from ladder_engine.errors import EngineError
from ladder_engine.lab.scenario import Scenario
from ladder_engine.serving.client import EngineClient
from ladder_engine.tracing.fold import TraceError
from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.lessons.memory import Memory, ShortMemory
from ladder_desktop.live.compare_panels import ComparePanels
from ladder_desktop.live.diagnosis import Diagnosis
from ladder_desktop.live.duet import Duet
from ladder_desktop.live.engine_choice import Choosing
from ladder_desktop.live.faces import Faces, scrolling
from ladder_desktop.live.forecast import Forecast
from ladder_desktop.live.keeping import Keeping
from ladder_desktop.live.labels import Elided
from ladder_desktop.live.live_actions import live_actions
from ladder_desktop.live.live_run import LiveRun, Watched
from ladder_desktop.live.player import Player
from ladder_desktop.live.prediction_bar import PredictionBar
from ladder_desktop.live.scenario_head import ScenarioHead
from ladder_desktop.live.succession import go_on, watched
from ladder_desktop.live.touching import Touching
from ladder_desktop.live.transport import Transport
from ladder_desktop.live.watch_panels import WatchPanels
from ladder_desktop.live.wiring import wire
from ladder_desktop.theme import Theme

FRAME_MS = 16
ONE_RUN, TWO_RUNS = 400, 430  # pixels of height that their views need, at 100 %


class LivePage(QWidget):
    """Scenario picker, prediction, transport, and the views of one run or of two.

    `go` asks the window for another page; `predicted` says that a prediction was scored: the scenario's id, whether it was
    right, and what there is to remember of it. `keep` takes a card that is made of it and the study
    it belongs to, and returns a sentence; `memory` keeps small things from one time to the next.
    """

    failed = Signal(str)
    go = Signal(str)
    predicted = Signal(str, bool, object)
    title = "Live panel"

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        theme: Theme,
        client_factory: Callable[[], EngineClient] = EngineClient,
        pack: Pack | None = None,
        keep: Callable[[str, Card], str] | None = None,
        memory: Memory | None = None,
        models_dir: Path | None = None,
        parent: QWidget | None = None,
        run: LiveRun | None = None,
    ) -> None:
        """`run` is what another page of this kind has handed over; `take_over` has the rest of it."""
        super().__init__(parent)
        self.theme = theme
        self.live = run or LiveRun(client_factory())
        self._handed_over = False
        self.player, self.duet, self.comparer = self.live.player, self.live.duet, self.live.comparer
        self._client = self.live.client
        self.selection: int | None = None
        self._active = False
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.frame)
        self.head = ScenarioHead(scenarios, theme)
        self.prediction = PredictionBar(theme)
        self.transport = Transport(self.player)
        self.watch = WatchPanels(theme, self.player)
        self.compare_panels = ComparePanels(theme, self.duet)
        self.faces = Faces(theme)
        self.faces.add(self.watch, ONE_RUN)
        self.faces.add(self.compare_panels, TWO_RUNS)
        self.forecast = Forecast(self, keep, memory or ShortMemory())
        self.keeping = Keeping(self)
        self.diagnosis = Diagnosis(self, pack)
        self.choosing = Choosing(self, models_dir)
        self.touching = Touching(self._client, self.watch.touch, self.player)
        self.readout = Elided()
        self.source = QLabel()
        self._lay_out()
        wire(self)
        self._actions = live_actions(self)
        self.tell_scenario()
        self.refresh()

    @property
    def comparing(self) -> bool:
        """Whether two runs are side by side."""
        return self.faces.currentWidget() is self.compare_panels

    @property
    def deck(self) -> Player | Duet:
        """What the transport moves: the playhead of the one run, or the common one of two."""
        return self.duet if self.comparing else self.player

    @property
    def busy(self) -> bool:
        """Whether the engine has a run to do, or a recording is still being read."""
        return self._client.running or self.keeping.reader is not None

    def activate(self) -> None:
        """The page is shown: go on where it was."""
        self._active = True
        self.watch.timeline.setFocus(Qt.FocusReason.OtherFocusReason)
        self._wake()

    def deactivate(self) -> None:
        """The page is hidden: paint nothing; a run goes on in its process, as far as it may."""
        self._active = False
        self._timer.stop()

    def shutdown(self) -> None:
        """End the engine's process; nothing is left behind. A run that was handed over goes on."""
        self._timer.stop()
        self.diagnosis.shutdown()
        if not self._handed_over:
            self.keeping.close()
            self.live.close()

    @property
    def place(self) -> str:
        """The target of the scenario that is picked."""
        return f"live:{self.head.scenario.id}" if self.head.scenario is not None else "live"

    def hand_over(self) -> object:
        """Return the run that is watched, with all that is shown of it; the engine goes on."""
        self._handed_over = True
        return watched(self)

    def take_over(self, kept: object) -> None:
        """Go on with the run of the page before, whose `LiveRun` this page was made with."""
        if isinstance(kept, Watched):
            go_on(self, kept)

    def page_actions(self) -> list[QAction]:
        """Return the actions for the menu and the shortcut sheet."""
        return list(self._actions)

    def run(self) -> None:
        """Run the picked scenario, in the picked variant, from its beginning."""
        scenario = self.head.scenario
        if scenario is None:
            return
        self._begin()
        self.player.play()
        try:
            self.live.start(
                scenario,
                self.head.variant,
                self.choosing.choice,
                watch_kernels=not self.watch.lens.isHidden(),
            )
        except EngineError as error:
            self._fail(str(error))
            return
        self._starting()

    def show_recording(self, name: str, compared: bool = False) -> None:
        """Make room for a recording, which is read from the next frame on; or for two, side by side."""
        self._client.stop()
        self._begin()
        self.live.ran = None
        if compared:
            self.face(self.compare_panels)
        self.head.say(f"{'Two recordings' if compared else 'A recording'}: {name}")
        self._wake()
        self.refresh()

    def compare(self, names: tuple[str, str] | None = None) -> None:
        """Run two variants of the picked scenario, the first two when none are named, and show them side by side."""
        scenario = self.head.scenario
        if scenario is None or len(scenario.variant_names) < 2:
            self.head.say("This scenario has no variants to compare.", "bad")
            return
        left, right = names or scenario.variant_names[:2]
        self.face(self.compare_panels)
        self.select(None)
        try:
            self.comparer.start(scenario, (left, right), self.choosing.choice)
        except EngineError as error:
            self._fail(str(error))
            return
        self.compare_panels.show_comparer(self.comparer)
        self.live.ran = (scenario, "")
        self.duet.play()
        self._starting()

    def choose(self, place: str) -> None:
        """Pick a scenario by its id, ready to run; with `?compare` behind it, compare its variants."""
        scenario_id, _, how = place.partition("?")
        if not self.head.choose(scenario_id):
            self.head.say(f"There is no scenario {scenario_id}.", "bad")
        elif how == "compare":
            self.compare()

    def tell_what_is_shown(self) -> None:
        """Say so while the panels show another scenario, or another variant, than the one that is picked."""
        ran = self.live.ran
        shown = (
            None
            if ran is None or ran == (self.head.scenario, "" if self.comparing else self.head.variant)
            else ran
        )
        name = " ".join(filter(None, (shown[0].title, f"({shown[1]})" if shown[1] else ""))) if shown else ""
        self.head.say(f"The panels show {name} until this one is run." if shown else "")

    def stop(self) -> None:
        """Break the run off, or read no further; what there is until then stays."""
        self.keeping.close()
        if self.comparing:
            self.comparer.stop()
        self._client.stop()

    def frame(self) -> None:
        """Take what the engine said, move the playhead, and paint if anything changed."""
        elapsed = self._since.restart() / 1000
        news = self._take()
        moved = self.deck.tick(elapsed)
        self._pace()
        if moved or news:
            self.refresh()
        if not (self.deck.playing or self.busy):
            self._timer.stop()
            self.refresh()

    def toggle(self) -> None:
        """Play or pause; a pause holds the engine too."""
        if self.deck.playing:
            self.deck.pause()
        elif self.deck.edge.config is not None:
            self.deck.play()
            self.follow()
        self._pace()
        self.refresh()
        self._wake()

    def step_by(self, steps: int) -> None:
        """Pause and step; at the edge of a run that goes on, the engine does one more."""
        self.deck.step_by(steps)
        self._pace()
        self.follow()
        self.refresh()
        self._wake()

    def seek(self, position: int) -> None:
        """Move the playhead; it goes on playing if it did."""
        self.deck.seek(position)
        self.follow()
        self.refresh()

    def follow(self) -> None:
        """Keep the playhead in sight."""
        (self.compare_panels if self.comparing else self.watch).follow()

    def change_speed(self, notches: int) -> None:
        """Faster or slower."""
        self.deck.change_speed(notches)
        self.transport.refresh()

    def turn_clock(self) -> None:
        """Put the two runs on the clock of steps, or of seconds."""
        if self.comparing:
            self.duet.turn_clock()
            self.refresh()

    def select(self, seq_id: int | None) -> None:
        """Light one request in every view; None lights all."""
        self.selection = seq_id
        self.watch.select(self.player.state, seq_id)
        self.compare_panels.select(seq_id)
        self.touching.show(self.player.edge, self.busy, seq_id)

    def clear_selection(self) -> None:
        """Light all requests."""
        self.select(None)

    def turn_lens(self) -> None:
        """Open or close the kernel lens; launches are recorded while it is open."""
        if self.comparing:
            self.head.say("The kernel lens looks at one run; run the scenario by itself.")
            return
        self.watch.turn_lens(self.player.state, self.selection)
        self._client.watch_kernels(not self.watch.lens.isHidden())

    def explain(self) -> None:
        """Go to the lesson that explains the scenario."""
        if self.head.scenario is not None and self.head.scenario.explained_by:
            self.go.emit(self.head.scenario.explained_by)

    def abort_selected(self) -> None:
        """Abort the request that is selected, if the run goes on."""
        if self.selection is not None and not self.comparing:
            self.touching.abort(self.selection)

    def write_prompt(self) -> None:
        """Go to where a prompt of one's own is written."""
        self.watch.side.setCurrentWidget(self.watch.touch)
        self.watch.touch.prompt.setFocus()

    def _take(self) -> bool:
        """Take what the engine said; return whether there was anything."""
        before = self.deck.last, self.deck.edge
        try:
            if self.comparing:
                self.comparer.poll()
            elif self.keeping.reader is not None:
                self._client.poll()  # the last words of a run that was broken off
                self.keeping.feed()
            else:
                self.player.feed(self._client.poll())
            self.touching.tell()
        except (EngineError, TraceError) as error:
            self._client.stop()
            self.deck.pause()
            self._fail(str(error))
        edge = self.deck.edge
        if before[1].config is None and edge.config is not None and self.live.ran is not None:
            self.tell_what_is_shown()
        if edge.ended is not before[1].ended and edge.ended is not None:
            self._ended(edge.ended.error)
        return edge is not before[1] or self.deck.last != before[0]

    def _ended(self, error: str | None) -> None:
        if error:
            self.forecast.give_up()
            self._fail(error)
        elif self.comparing:
            if self.comparer.complete:
                self.compare_panels.show_comparer(self.comparer)
                names = self.comparer.names
                self.forecast.settle(dict(zip(names, (side.edge for side in self.duet.sides), strict=True)))
        elif self.live.ran is not None:
            self.forecast.settle({self.live.ran[1]: self.player.edge}, self.touching.touched)

    def _pace(self) -> None:
        if not self.comparing:
            self.live.pace()

    def _fail(self, sentence: str) -> None:
        """Leave on the page what went wrong, and tell the window."""
        self.head.say(sentence, "bad")
        self.failed.emit(sentence)
        self.refresh()

    def _starting(self) -> None:
        self.head.say("Starting the engine…")
        self.refresh()
        self._area.ensureWidgetVisible(self.faces)  # in a low window what is written above makes room
        self._wake()

    def _begin(self) -> None:
        """Forget the run that was watched, for another."""
        self.face(self.watch)
        self.comparer.which = None
        self.keeping.close()
        self.player.clear()
        self.watch.timeline.clear()
        self.touching.clear()
        self.select(None)

    def face(self, face: QWidget) -> None:
        """Put the panels of one run in sight, or those of two."""
        self.faces.setCurrentWidget(face)
        self.transport.player = self.deck
        self.transport.refresh()

    def _wake(self) -> None:
        if self._active and (self.deck.playing or self.busy) and not self._timer.isActive():
            self._since.start()
            self._timer.start()

    def tell_scenario(self) -> None:
        """Another scenario is picked."""
        scenario = self.head.scenario
        self.prediction.show_prediction(scenario.prediction if scenario else None)
        self.forecast.give_up()
        self.tell_what_is_shown()

    def refresh(self) -> None:
        """Show everything as it is now."""
        self.transport.refresh()
        if self.comparing:
            self.compare_panels.show_state()
        else:
            self.watch.show_state(self.player.state, self.selection)
            self.touching.show(self.player.edge, self.busy, self.selection)
        self.head.show_running(self.busy)
        self.prediction.show_running(self.busy)
        config = self.deck.edge.config
        if config is not None:
            where = "Measured on this machine" if self.live.ran else "As it was recorded"
            self.source.setText(f"{where}: {config.model}, {config.kernels} kernels, {config.device}")

    def _lay_out(self) -> None:
        self.source.setProperty("role", "muted")
        foot = QHBoxLayout()
        foot.addWidget(self.readout, 1)
        foot.addWidget(self.source)
        column = QVBoxLayout()
        column.setContentsMargins(18, 12, 18, 8)
        column.setSpacing(8)
        for widget in (self.head, self.prediction, self.transport):
            column.addWidget(widget)
        column.addWidget(self.faces, 1)
        column.addLayout(foot)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self._area = scrolling(column)
        layout.addWidget(self._area)
