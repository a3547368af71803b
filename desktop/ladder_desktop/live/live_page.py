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
from PySide6.QtWidgets import QLabel, QWidget

from ladder_desktop.lessons.memory import Memory, ShortMemory
from ladder_desktop.live.diagnosis import Diagnosis
from ladder_desktop.live.duet import Duet
from ladder_desktop.live.engine_choice import Choosing
from ladder_desktop.live.faces import Faces
from ladder_desktop.live.forecast import Forecast
from ladder_desktop.live.keeping import Keeping
from ladder_desktop.live.labels import Elided
from ladder_desktop.live.laying_out import lay_out
from ladder_desktop.live.live_actions import live_actions
from ladder_desktop.live.live_run import LiveRun, Watched
from ladder_desktop.live.player import Player
from ladder_desktop.live.prediction_bar import PredictionBar
from ladder_desktop.live.scenario_head import ScenarioHead
from ladder_desktop.live.starter import Starter
from ladder_desktop.live.succession import go_on, watched
from ladder_desktop.live.touching import Touching
from ladder_desktop.live.transport import Transport
from ladder_desktop.live.wiring import wire
from ladder_desktop.theme import Theme

FRAME_MS = 16
CROWD = 64  # requests; to fold a step of more takes a frame of its own, and it is painted in the next


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
        self._unshown = False  # the frame before folded what this one is to paint
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.frame)
        self.head = ScenarioHead(scenarios, theme)
        self.prediction = PredictionBar(theme)
        self.transport = Transport(self.player)
        self.faces = Faces(theme, self.player, self.duet)
        self.watch, self.compare_panels = self.faces.watch, self.faces.two
        self.starter = Starter(self)
        self.forecast = Forecast(self, keep, memory or ShortMemory())
        self.keeping = Keeping(self)
        self.diagnosis = Diagnosis(self, pack)
        self.choosing = Choosing(self, models_dir)
        self.touching = Touching(self._client, self.watch.touch, self.player)
        self.readout = Elided()
        self.source = QLabel()
        self._area = lay_out(self)  # it scrolls up and down, where a window is too low
        wire(self)
        self._actions = live_actions(self)
        self.starter.tell_scenario()
        self.refresh()

    @property
    def comparing(self) -> bool:
        """Whether two runs are side by side."""
        return self.faces.comparing

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
        self.wake()

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
        """Run the picked scenario."""
        self.starter.run()

    def choose(self, place: str) -> None:
        """Go to a scenario, by what stands behind the colon of a target."""
        self.starter.choose(place)

    def frame(self) -> None:
        """Take what the engine said, move the playhead, and paint if anything changed; of many requests, in the next frame."""
        if self._unshown:
            self.refresh()
            return
        elapsed = self._since.restart() / 1000
        crowded = self._crowded
        news = self._take()
        moved = self.deck.tick(elapsed)
        self._pace()
        if moved or news:
            self._unshown = crowded or self._crowded
            if not self._unshown:
                self.refresh()
        if not (self.deck.playing or self.busy or self._unshown):
            self._timer.stop()
            self.refresh()

    def toggle(self) -> None:
        """Play or pause; a pause holds the engine too."""
        if self.deck.playing:
            self.deck.pause()
        elif self.deck.edge.config is not None:
            self.deck.play()
            self.faces.keep_up()
        self._pace()
        self.refresh()
        self.wake()

    def step_by(self, steps: int) -> None:
        """Pause and step; at the edge of a run that goes on, the engine does one more."""
        self.deck.step_by(steps)
        self._pace()
        self.faces.keep_up()
        self.refresh()
        self.wake()

    def seek(self, position: int) -> None:
        """Move the playhead; it goes on playing if it did."""
        self.deck.seek(position)
        self.faces.keep_up()
        self.refresh()

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
        self.faces.select(seq_id)
        self.touching.show(self.player.edge, self.busy and not self.comparing, seq_id)

    def clear_selection(self) -> None:
        """Light all requests."""
        self.select(None)

    @property
    def _crowded(self) -> bool:
        """Whether many requests are played; a single step is shown at once."""
        edge = self.deck.edge
        return self.deck.playing and len(edge.running) + len(edge.waiting) > CROWD

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
            self.deck.break_off()
            self.fail(str(error))
        edge = self.deck.edge
        if before[1].config is None and edge.config is not None and self.live.ran is not None:
            self.starter.tell_what_is_shown()
        if edge.ended is not before[1].ended and edge.ended is not None:
            self._ended(edge.ended.error)
        return edge is not before[1] or self.deck.last != before[0]

    def _ended(self, error: str | None) -> None:
        if error:
            self.forecast.give_up()
            self.fail(error)
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

    def fail(self, sentence: str) -> None:
        """Leave on the page what went wrong, and tell the window."""
        known = self.head.message.text() == sentence  # what was under way when it happened says so once more
        self.head.say(sentence, "bad")
        if not known:
            self.failed.emit(sentence)
        self.refresh()

    def starting(self) -> None:
        """A run has been asked for."""
        self.head.say("Starting the engine…")
        self.refresh()
        self._area.ensureWidgetVisible(self.faces)  # in a low window what is written above makes room
        self.wake()

    def face(self, *, comparing: bool) -> None:
        """Put the views of one run in sight, or those of two."""
        self.faces.show_face(comparing=comparing)
        self.transport.player = self.deck
        self.transport.refresh()

    def wake(self) -> None:
        """Paint from now on, while there is anything that moves."""
        if self._active and (self.deck.playing or self.busy) and not self._timer.isActive():
            self._since.start()
            self._timer.start()

    def refresh(self) -> None:
        """Show everything as it is now."""
        self._unshown = False
        self.transport.refresh()
        self.faces.face.refresh()
        self.touching.show(self.player.edge, self.busy and not self.comparing, self.selection)
        self.head.show_running(self.busy)
        self.prediction.show_running(self.busy)
        config = self.deck.edge.config
        where = "Measured on this machine" if self.live.ran else "As it was recorded"
        words = f"{where}: {config.model}, {config.kernels} kernels, {config.device}" if config else ""
        self.source.setText(words)
