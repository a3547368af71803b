"""The live panel: runs a scenario on the real engine, in its own process, and shows what the trace says.

The page draws the player's state and sends intents; a timer paints at most once a frame, however fast the engine is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ladder_engine.client import EngineClient
from ladder_engine.errors import EngineError
from ladder_engine.fold import TraceError
from ladder_engine.scenario import Scenario
from PySide6.QtCore import QElapsedTimer, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.actions import make_action
from ladder_desktop.live.answer_pane import AnswerPane
from ladder_desktop.live.block_grid import BlockGrid
from ladder_desktop.live.block_list import BlockList
from ladder_desktop.live.figures import pace_figures, pool_figures, queue_figures
from ladder_desktop.live.legend import BATCH, BLOCKS, Legend
from ladder_desktop.live.panel import panel
from ladder_desktop.live.player import Player
from ladder_desktop.live.request_list import RequestList
from ladder_desktop.live.scenario_head import ScenarioHead
from ladder_desktop.live.timeline import Timeline
from ladder_desktop.live.transport import Transport
from ladder_desktop.theme import Theme

FRAME_MS = 16


class LivePage(QWidget):
    """Scenario picker, transport, block grid, requests and batch timeline over one player and one engine client."""

    failed = Signal(str)
    title = "Live panel"

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        theme: Theme,
        client_factory: Callable[[], EngineClient] = EngineClient,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.theme = theme
        self.player = Player()
        self.selection: int | None = None
        self._ran: Scenario | None = None
        self._client = client_factory()
        self._active = False
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self.frame)
        self.head = ScenarioHead(scenarios, theme)
        self.transport = Transport(self.player)
        self.grid = BlockGrid(theme)
        self.block_list = BlockList(theme)
        self.blocks = QStackedWidget()
        self.blocks.addWidget(self.grid)
        self.blocks.addWidget(self.block_list)
        self.requests = RequestList(theme)
        self.answer = AnswerPane(theme)
        self.timeline = Timeline(theme, self.player)
        self.pool, self.queue, self.pace = QLabel(), QLabel(), QLabel()
        self.readout = QLabel()
        self.source = QLabel()
        self._lay_out()
        self._connect()
        self._actions = self._make_actions()
        self._show()

    def activate(self) -> None:
        """The page is shown: go on where it was."""
        self._active = True
        self.timeline.setFocus(Qt.FocusReason.OtherFocusReason)
        self._wake()

    def deactivate(self) -> None:
        """The page is hidden: paint nothing; a run goes on in its process."""
        self._active = False
        self._timer.stop()

    def shutdown(self) -> None:
        """End the engine's process; nothing is left behind."""
        self._timer.stop()
        self._client.close()

    def page_actions(self) -> list[QAction]:
        """Return the actions for the menu and the shortcut sheet."""
        return list(self._actions)

    def run(self) -> None:
        """Run the picked scenario from its beginning."""
        scenario = self.head.scenario
        if scenario is None:
            return
        self.player.clear()
        self.timeline.clear()
        self.select(None)
        try:
            self._client.run(scenario.path)
        except EngineError as error:
            self._fail(str(error))
            self._show()
            return
        self._ran = scenario
        self.player.play()
        self.head.say("Starting the engine…")
        self._show()
        self._wake()

    def choose(self, scenario_id: str) -> None:
        """Pick a scenario by its id, ready to run; say so where there is none of this name."""
        if not self.head.choose(scenario_id):
            self.head.say(f"There is no scenario {scenario_id}.", "bad")

    def tell_what_is_shown(self) -> None:
        """Say so while the panels show another scenario than the one that is picked."""
        ran = self._ran if self._ran != self.head.scenario else None
        self.head.say(f"The panels show {ran.title} until this one is run." if ran else "")

    def stop(self) -> None:
        """Break the run off; what it did until then stays."""
        self._client.stop()

    def frame(self) -> None:
        """Take what the engine said, move the playhead, and paint if anything changed."""
        elapsed = self._since.restart() / 1000
        began = self.player.edge.config is not None
        last = self.player.last, self.player.edge.ended
        try:
            self.player.feed(self._client.poll())
            if not began and self.player.edge.config is not None:
                self.tell_what_is_shown()
        except (EngineError, TraceError) as error:
            self._client.stop()
            self.player.pause()
            self._fail(str(error))
        ended = self.player.edge.ended
        if ended is not None and ended.error and ended is not last[1]:
            self._fail(ended.error)
        if self.player.tick(elapsed) or last != (self.player.last, self.player.edge.ended):
            self._show()
        if not (self.player.playing or self._client.running):
            self._timer.stop()
            self._show()

    def _fail(self, sentence: str) -> None:
        """Leave on the page what went wrong, and tell the window."""
        self.head.say(sentence, "bad")
        self.failed.emit(sentence)

    def toggle(self) -> None:
        """Play or pause."""
        if self.player.playing:
            self.player.pause()
        elif self.player.edge.config is not None:
            self.player.play()
            self.timeline.follow()
        self._show()
        self._wake()

    def step_by(self, steps: int) -> None:
        """Pause and step."""
        self.player.step_by(steps)
        self.timeline.follow()
        self._show()

    def seek(self, step: int) -> None:
        """Move the playhead; it goes on playing if it did."""
        self.player.seek(step)
        self.timeline.follow()
        self._show()

    def change_speed(self, notches: int) -> None:
        """Faster or slower."""
        self.player.change_speed(notches)
        self.transport.refresh()

    def select(self, seq_id: int | None) -> None:
        """Light one request in every view; None lights all."""
        self.selection = seq_id
        for view in (self.grid, self.timeline, self.requests):
            view.select(seq_id)
        if seq_id is None:
            self.block_list.light(None)
        self.answer.show_state(self.player.state, seq_id)

    def clear_selection(self) -> None:
        """Light all requests."""
        self.select(None)

    def turn_blocks(self) -> None:
        """Show the blocks as a table instead of a grid, or the other way round."""
        self.blocks.setCurrentIndex(1 - self.blocks.currentIndex())
        self._show()
        (self.block_list if self.block_list.isVisible() else self.grid).setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: a button or a picker that has the keyboard keeps its Space; elsewhere Space plays."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _wake(self) -> None:
        busy = self.player.playing or self._client.running
        if self._active and busy and not self._timer.isActive():
            self._since.start()
            self._timer.start()

    def _show(self) -> None:
        state = self.player.state
        self.transport.refresh()
        self.pool.setText(pool_figures(state))
        self.queue.setText(queue_figures(state))
        self.pace.setText(pace_figures(state))
        self.grid.show_state(state)
        if self.block_list.isVisible():
            self.block_list.show_state(state)
        self.requests.show_state(state)
        self.answer.show_state(state, self.selection)
        self.timeline.refresh()
        self.head.show_running(self._client.running)
        config = self.player.edge.config
        if config is not None:
            self.source.setText(
                f"Measured on this machine: {config.model}, {config.kernels} kernels, {config.device}"
            )

    def _lay_out(self) -> None:
        self.source.setProperty("role", "muted")
        self.readout.setTextFormat(Qt.TextFormat.PlainText)
        self.readout.setMinimumWidth(1)
        self.upper = QSplitter(Qt.Orientation.Horizontal)
        self.upper.addWidget(
            panel("KV blocks", self.pool, self.blocks, Legend(self.theme, BLOCKS), narrow=True)
        )
        self.upper.addWidget(panel("Requests", self.queue, self.requests))
        self.upper.addWidget(panel("Answer", QLabel(), self.answer))
        for column, stretch in enumerate((3, 0, 2)):
            self.upper.setStretchFactor(column, stretch)
        self.panels = QSplitter(Qt.Orientation.Vertical)
        self.panels.addWidget(self.upper)
        batch = panel("Batch, one column a step", self.pace, self.timeline, Legend(self.theme, BATCH))
        self.panels.addWidget(batch)
        for splitter, sizes in ((self.upper, (460, 440, 300)), (self.panels, (250, 330))):
            splitter.setSizes(sizes)
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        foot = QHBoxLayout()
        foot.addWidget(self.readout, 1)
        foot.addWidget(self.source)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 12, 18, 8)
        layout.setSpacing(8)
        layout.addWidget(self.head)
        layout.addWidget(self.transport)
        layout.addWidget(self.panels, 1)
        layout.addLayout(foot)

    def _connect(self) -> None:
        self.head.chosen.connect(self.tell_what_is_shown)
        self.head.run_wanted.connect(self.run)
        self.head.stop_wanted.connect(self.stop)
        self.transport.toggled.connect(self.toggle)
        self.transport.stepped.connect(self.step_by)
        self.transport.sped.connect(self.change_speed)
        self.transport.sought.connect(self.seek)
        self.timeline.sought.connect(self.seek)
        for view in (self.grid, self.block_list, self.timeline, self.requests):
            view.selected.connect(self.select)
        for view in (self.grid, self.timeline):
            view.described.connect(self.readout.setText)
        for widget in (*self.findChildren(QAbstractButton), *self.findChildren(QComboBox)):
            widget.installEventFilter(self)

    def _make_actions(self) -> list[QAction]:
        return [
            self._action("run", "Run or stop the scenario", "Ctrl+R", self.head.press),
            self._action("play", "Play or pause", "Space", self.toggle),
            self._action("back", "One step back", ",", self.transport.back.click),
            self._action("forward", "One step on", ".", self.transport.forward.click),
            self._action("slower", "Slower", "[", self.transport.slower.click),
            self._action("faster", "Faster", "]", self.transport.faster.click),
            self._action("follow", "Follow the playhead", "F", self.timeline.follow),
            self._action("blocks-as-table", "Blocks as a table or as a grid", "T", self.turn_blocks),
            self._action("story", "Show or hide the story", "S", self.head.story_button.toggle),
            self._action("clear", "Clear the selection", "Esc", self.clear_selection),
        ]

    def _action(self, verb: str, name: str, key: str, slot: Callable[[], None]) -> QAction:
        return make_action(self, f"live.{verb}", name, slot, [key])
