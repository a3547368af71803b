"""Classify what you saw: the measured shape of a run, each rule of the hub study's classifier with it, and the one that fires."""

from __future__ import annotations

from collections.abc import Mapping

from ladder_content.model import Snippet
from ladder_engine.lab.measures import number
from ladder_engine.lab.shape import Shape, shape_of
from ladder_engine.tracing.state import RunState
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.chooser import Chooser
from ladder_desktop.flow import Flow
from ladder_desktop.lessons.sandbox import Ending, Outcome
from ladder_desktop.lessons.sandbox_runner import SandboxRunner
from ladder_desktop.live.classifying import TARGETS, Rule, Verdict, program, read_verdict, why_not
from ladder_desktop.live.text_table import LEFT, Column, Rows, TextTable
from ladder_desktop.theme import Theme

READINGS = (
    Column("Reading", "The classifier's name for it", 130, LEFT),
    Column("Measured", "In this run", 90),
    Column("Unit", "The unit", 92, LEFT),
    Column("How", "How it was measured", 0, LEFT),
)
RULES = (
    Column("#", "The order in which the rules are asked", 40),
    Column("Rule", "The bound that it names", 170, LEFT),
    Column("Explains", "The largest share of a missed target's gap that it accounts for", 76),
    Column("Of what", "Milliseconds that it accounts for, and the gap", 0, LEFT),
    Column("", "Whether it fires: the first that explains enough", 70, LEFT),
)


class ClassifyDialog(QDialog):
    """Emits `go` with the lesson section or with the program. The targets are the person's own; changing one asks again."""

    go = Signal(str)

    def __init__(
        self,
        snippet: Snippet,
        links: tuple[str, str],
        theme: Theme,
        runner: SandboxRunner | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._snippet, self._links = snippet, links
        self._runs: dict[str, RunState] = {}
        self._state = RunState()
        self._shape = Shape([], [], 0, 0)
        self._again = False  # something changed while the program ran
        self.runner = runner or SandboxRunner()
        self.runner.ended.connect(self._take)
        self.verdict: Verdict | None = None
        self.sentence, self.note = QLabel(), QLabel()
        self.runs, self._whose = Chooser(), QLabel("The run:")
        self.readings = TextTable(theme, "The shape of the run", READINGS)
        self.rules = TextTable(theme, "The rules of the classifier, in order", RULES)
        self.targets = {name: self._target(name) for name in TARGETS}
        self.lesson = QPushButton("Lesson: reading the signatures")
        self.program = QPushButton("The classifier in the sandbox")
        self.setWindowTitle("Classify what you saw")
        self.resize(860, 720)
        self._lay_out()
        self.lesson.clicked.connect(self._open_lesson)
        self.program.clicked.connect(self._open_program)

    def classify(self, runs: Mapping[str, RunState], looked: int = 0) -> None:
        """Measure a run as it is in this state, and put it to the classifier; of two, whichever a person looks at."""
        self._runs = dict(runs)
        with QSignalBlocker(self.runs):
            self.runs.clear()
            self.runs.addItems(list(runs))
            self.runs.setCurrentIndex(looked)
        for widget in (self.runs, self._whose):
            widget.setVisible(len(runs) > 1)
        self._look()

    def _look(self) -> None:
        """Measure the run that is chosen."""
        state = self._runs[self.runs.currentText()]
        self._state, self._shape = state, shape_of(state)
        rows = [*self._shape.asked, *self._shape.beside]
        self.readings.show_rows(
            [(one.name, _value(one.value), one.unit, one.how) for one in rows],
            [None] * len(rows),
            {3: [one.how for one in rows]},
        )
        self._ask()

    def shutdown(self) -> None:
        """End the sealed interpreter."""
        self.runner.shutdown()

    def _ask(self) -> None:
        config = self._state.config
        sentence = why_not(config, self._shape.asked)
        if sentence or config is None:
            self._say(sentence, "")
            self.rules.show_rows([], [], {})
            return
        if self.runner.running:
            self._again = True
            return
        targets = {name: box.value() for name, box in self.targets.items() if box.value() > 0}
        self.runner.run(program(self._snippet.code, config, self._shape.asked, targets))

    def _take(self, outcome: Outcome) -> None:
        if self._again:
            self._again = False
            self._ask()
            return
        verdict = read_verdict(outcome.output) if outcome.ending is Ending.FINISHED else None
        if verdict is None:
            self._say(f"The classifier of this pack could not be asked. {outcome.sentence}", "")
            return
        self.verdict = verdict
        for name, box in self.targets.items():
            if not box.value() and name in verdict.healthy:
                box.blockSignals(True)
                box.setValue(verdict.healthy[name])
                box.blockSignals(False)
        self._show(verdict)

    def _show(self, verdict: Verdict) -> None:
        config = self._state.config
        missed = [f"{target} by {number(gap)} ms" for target, gap in verdict.gaps.items() if gap > 0]
        if not missed:
            said = "All targets are met, so nothing binds. Set a target below what was measured to see what would."
        elif verdict.fires:
            said = f"The binding mechanism: {verdict.bound}. Runner-up: {verdict.runner_up}."
        else:
            said = (
                f"No single bound explains {verdict.enough:.0%} of a gap. The nearest: {verdict.runner_up}."
            )
        floor = f"A decode step of this shape needs {number(verdict.floor_ms)} ms at the least"
        rate = f"{config.bytes_per_second / 1e9:.1f} GB/s" if config else ""
        shape = self._shape
        part = (
            f" Measured over the last {shape.num_steps:,} of {shape.of_steps:,} steps."
            if shape.num_steps < shape.of_steps
            else ""
        )
        misses = f"Missed: {', '.join(missed)}. " if missed else ""
        self._say(said, f"{misses}{floor}, at the {rate} that its machine moved in a large copy.{part}")
        rows: Rows = [
            (
                str(place),
                rule.bound,
                f"{rule.share:.0%}",
                _parts(rule, verdict),
                "◀ fires" if rule is verdict.fires else "",
            )
            for place, rule in enumerate(verdict.rules, 1)
        ]
        self.rules.show_rows(rows, [None] * len(rows), {3: [row[3] for row in rows]})
        fires = verdict.fires
        self.rules.light(verdict.rules.index(fires) if fires else None)

    def _say(self, sentence: str, note: str) -> None:
        self.sentence.setText(sentence)
        self.sentence.setAccessibleName(sentence)
        self.note.setText(note)

    def _target(self, name: str) -> QDoubleSpinBox:
        box = QDoubleSpinBox()
        box.setRange(0, 1_000_000)
        box.setDecimals(1)
        box.setSuffix(" ms")
        box.setKeyboardTracking(False)
        box.setAccessibleName(f"Target for {TARGETS[name]}")
        box.lineEdit().setAccessibleName(f"Target for {TARGETS[name]}")
        box.valueChanged.connect(self._ask)
        return box

    def _open_lesson(self) -> None:
        self.accept()
        self.go.emit(self._links[0])

    def _open_program(self) -> None:
        self.accept()
        self.go.emit(self._links[1])

    def _lay_out(self) -> None:
        self.sentence.setProperty("role", "heading")
        self.note.setProperty("role", "muted")
        for label in (self.sentence, self.note):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.runs.setAccessibleName("Run that is classified")
        self.runs.view().setAccessibleName("The two runs")
        self.runs.currentIndexChanged.connect(self._look)
        row = Flow()
        row.addWidget(self._whose)
        row.addWidget(self.runs)
        row.addWidget(QLabel("Your targets:"))
        for name, box in self.targets.items():
            row.keep_together(QLabel(TARGETS[name]), box)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        foot = QHBoxLayout()
        foot.addWidget(self.lesson)
        foot.addWidget(self.program)
        foot.addStretch(1)
        foot.addWidget(buttons)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(self.sentence)
        layout.addWidget(self.note)
        layout.addLayout(row)
        layout.addWidget(self.rules, 4)
        layout.addWidget(self.readings, 7)
        layout.addLayout(foot)


def _value(value: float | None) -> str:
    return "–" if value is None else number(value)


def _parts(rule: Rule, verdict: Verdict) -> str:
    """ "TTFT: 120 of 340 ms"; a target that is met asks for nothing."""
    parts = [
        f"{target}: {number(ms)} ms of a gap of {number(verdict.gaps[target])} ms"
        for target, ms in rule.parts.items()
        if verdict.gaps.get(target, 0) > 0
    ]
    return "; ".join(parts) or "counts against no missed target"
