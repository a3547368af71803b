"""The head of the live panel: which scenario, its story and what to look at, and the button that runs it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ladder_engine.lab.scenario import Scenario
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from ladder_desktop.chooser import Chooser
from ladder_desktop.flow import Flow
from ladder_desktop.theme import Theme

LOW = 720  # pixels of a window, at 100 %


class ScenarioHead(QWidget):
    """Emits `chosen` when another scenario is picked, `varied` when another variant is, and the rest from its buttons.

    `ticket_wanted` carries a target: the one ticket that the scenario shows, or the tickets if it shows several.
    """

    chosen = Signal()
    varied = Signal()
    run_wanted = Signal()
    compare_wanted = Signal()
    explain_wanted = Signal()
    engine_wanted = Signal()
    stop_wanted = Signal()
    ticket_wanted = Signal(str)

    def __init__(self, scenarios: Sequence[Scenario], theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._scenarios = tuple(scenarios)
        self._running = False
        self.picker = Chooser()
        self.picker.setAccessibleName("Scenario")
        self.picker.view().setAccessibleName("Scenarios")
        self.picker.addItems([scenario.title for scenario in self._scenarios])
        self.picker.setMinimumWidth(120)
        self.picker.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.picker.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button = QPushButton("Run")
        self.button.setProperty("role", "primary")
        self.button.setAccessibleName("Run or stop the scenario")
        self.button.setToolTip("Run the scenario on the real engine, or stop it (Ctrl+R)")
        self.button.setFixedWidth(self.button.sizeHint().width() + 12)  # Stop is no wider
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.setEnabled(bool(self._scenarios))
        self.variants = Chooser()
        self.variants.setAccessibleName("Variant")
        self.variants.view().setAccessibleName("Variants")
        self.variants.setToolTip("Which settings to run the scenario with")
        self.variants.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.compare_button = QPushButton("Compare")
        self.compare_button.setAccessibleName("Compare two variants")
        self.compare_button.setToolTip("Run the first two variants and show them side by side (Ctrl+Shift+R)")
        self.compare_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.engine_button = QPushButton("Engine…")
        self.engine_button.setAccessibleName("Choose model and kernels")
        self.engine_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.show_engine("")
        self.explain_button = QPushButton("Lesson")
        self.explain_button.setAccessibleName("Open the lesson that explains it")
        self.explain_button.setToolTip("Open the lesson that explains it (E)")
        self.explain_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.ticket_button = QPushButton("Ticket")
        self.ticket_button.setAccessibleName("Back to the ticket that it shows")
        self.ticket_button.setToolTip("Go to the ticket that it shows, as it was left (B)")
        self.ticket_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.story_button = QPushButton("Hide story")
        self.story_button.setCheckable(True)
        self.story_button.setChecked(True)
        self.story_button.setAccessibleName("Show the story and what to look at")
        self.story_button.setToolTip("Show or hide the story and what to look at (S)")
        self.story_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.said = "", "muted"  # the sentence under the buttons and its role
        self.message = QLabel()
        self.message.setAccessibleName("Message")
        self.message.setWordWrap(True)
        self.message.setMinimumHeight(self.message.fontMetrics().height())  # nothing jumps when it speaks
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.story, self.look_at = QLabel(), QLabel()
        for label in (self.story, self.look_at):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            small = label.font()
            small.setPointSizeF(small.pointSizeF() * 0.9)
            label.setFont(small)
        self.story.setProperty("role", "muted")
        top = Flow()
        top.grow(self.picker)
        for widget in (
            self.variants,
            self.button,
            self.compare_button,
            self.engine_button,
            self.explain_button,
            self.ticket_button,
            self.story_button,
        ):
            top.addWidget(widget)
        self.words = QWidget()
        words = QHBoxLayout(self.words)
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(28)
        words.addWidget(self.story, 5)
        words.addWidget(self.look_at, 6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(self.message)
        layout.addWidget(self.words)
        self.picker.currentIndexChanged.connect(self._tell)
        self.variants.currentIndexChanged.connect(self._vary)
        self.button.clicked.connect(self.press)
        self.compare_button.clicked.connect(self.press_compare)
        self.engine_button.clicked.connect(self.engine_wanted)
        self.explain_button.clicked.connect(self.explain_wanted)
        self.ticket_button.clicked.connect(self.press_ticket)
        self.story_button.toggled.connect(self._show_words)
        self._tell()

    @property
    def scenario(self) -> Scenario | None:
        """The scenario that is picked."""
        return self._scenarios[self.picker.currentIndex()] if self._scenarios else None

    @property
    def variant(self) -> str:
        """The name of the variant that is picked, "" where the scenario has none."""
        return self.variants.currentText()

    def choose_variant(self, name: str) -> None:
        """Pick a variant by its name."""
        self.variants.setCurrentIndex(max(0, self.variants.findText(name)))

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """What can be picked, in order."""
        return self._scenarios

    def add(self, scenario: Scenario) -> None:
        """Offer one more scenario, and pick it; one from the same file is replaced."""
        paths = [one.path for one in self._scenarios]
        if scenario.path in paths:
            place = paths.index(scenario.path)
            self._scenarios = (*self._scenarios[:place], scenario, *self._scenarios[place + 1 :])
        else:
            place = len(paths)
            self._scenarios = (*self._scenarios, scenario)
            self.picker.addItem(scenario.title)
        self.button.setEnabled(True)
        self.picker.setCurrentIndex(place)

    def choose(self, scenario_id: str) -> bool:
        """Pick a scenario by its id; return whether there is one."""
        places = [place for place, one in enumerate(self._scenarios) if one.id == scenario_id]
        if places:
            self.picker.setCurrentIndex(places[0])
        return bool(places)

    def show_running(self, running: bool) -> None:
        """Turn the button into Stop while a run goes on. In a low window the story makes room for what it tells of."""
        if running and not self._running and self.window().height() < LOW * self.theme.scale:
            self.story_button.setChecked(False)
        self._running = running
        self.button.setText("Stop" if running else "Run")
        self.compare_button.setEnabled(not running)

    def show_engine(self, words: str) -> None:
        """Say what the next run computes with, where it is not what the scenario asks for."""
        self.engine_button.setText("Engine: yours…" if words else "Engine…")
        self.engine_button.setToolTip(words or "Choose model and kernels of the next run (M)")
        if words:
            self.say(words)

    def say(self, text: str, role: str = "muted") -> None:
        """Show one sentence under the buttons, in the colour of a palette role."""
        self.said = text, role
        self.message.setStyleSheet(f"color: {self.theme.hex(role)}")
        self.message.setText(text)
        self.message.setAccessibleName(text or "Message")

    def press(self) -> None:
        """Do what the button says."""
        (self.stop_wanted if self._running else self.run_wanted).emit()

    def press_compare(self) -> None:
        """Compare, unless a run goes on or there is nothing to compare."""
        if self.compare_button.isEnabled() and self.compare_button.isVisibleTo(self):
            self.compare_wanted.emit()

    def press_ticket(self) -> None:
        """Go to the ticket; among several nobody but the page of tickets knows which was left."""
        tickets = self.scenario.tickets if self.scenario else ()
        if tickets:
            self.ticket_wanted.emit(f"ticket:{tickets[0]}" if len(tickets) == 1 else "tickets")

    def _show_words(self, shown: bool) -> None:
        self.words.setVisible(shown)
        self.story_button.setText("Hide story" if shown else "Show story")

    def _vary(self) -> None:
        self.varied.emit()

    def _tell(self) -> None:
        scenario = self.scenario
        names = scenario.variant_names if scenario else ("",)
        with QSignalBlocker(self.variants):
            self.variants.clear()
            self.variants.addItems(names)
        for widget in (self.variants, self.compare_button):
            widget.setVisible(len(names) > 1)
        self.explain_button.setVisible(bool(scenario and scenario.explained_by))
        self.ticket_button.setVisible(bool(scenario and scenario.tickets))
        if scenario is None:
            self.say("There are no scenarios.", "bad")
            return
        self.story.setText(" ".join(scenario.story.split()))
        lines = "".join(f"<tr><td>•&nbsp;</td><td>{escape(line)}</td></tr>" for line in scenario.look_at)
        self.look_at.setText(f"<table cellspacing='0'>{lines}</table>")
        self.chosen.emit()
