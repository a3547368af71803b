"""One ticket on the table: the scenario and its readings at the left, the four steps at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ladder_content.model import Step, Study
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.review.column import Column, tab_through
from ladder_desktop.review.diagnosis import Diagnosis
from ladder_desktop.review.hint_bar import written_score
from ladder_desktop.review.lab_link import LabLink
from ladder_desktop.review.prose import PackText, Prose, Sources
from ladder_desktop.review.readings import Readings
from ladder_desktop.review.step_view import StepView
from ladder_desktop.theme import Theme

SCENARIO_WIDTH = 520


class TicketBoard(QWidget):
    """Draws a Diagnosis. With `hints` each step offers them; `variants` names those of a lab's scenario.

    `picked` carries the place of an option that was clicked in the current step, `watched` a scenario to see run;
    `strike_wanted` and `reading_wanted` ask for a hint.
    """

    picked = Signal(int)
    strike_wanted = Signal()
    reading_wanted = Signal()
    watched = Signal(str)

    def __init__(
        self,
        text: PackText,
        theme: Theme,
        hints: bool = False,
        variants: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        super().__init__()
        self._hints = hints
        self._variants = variants
        self._text = text
        self._theme = theme
        self._steps: list[StepView] = []
        self._end: QWidget | None = None
        self._overline = QLabel()
        self._overline.setObjectName("overline")
        self._overline.setTextFormat(Qt.TextFormat.PlainText)
        self._title = Prose(text, "question")
        self._scenario = Prose(text)
        self._readings = Readings(theme)
        self.left = Column("Scenario", SCENARIO_WIDTH)
        for widget in (self._overline, self._title, self._scenario, self._readings):
            self.left.rows.addWidget(widget)
        self.left.rows.addStretch()
        self.right = Column("Diagnosis")
        self.right.rows.setSpacing(26)
        self.right.rows.addStretch()
        across = QHBoxLayout(self)
        across.setContentsMargins(8, 0, 0, 0)
        across.setSpacing(0)
        rule = QFrame()
        rule.setObjectName("upright")
        across.addWidget(self.left, 9)
        across.addWidget(rule)
        across.addWidget(self.right, 11)

    @property
    def current(self) -> StepView | None:
        """The step whose options are on show."""
        return self._steps[-1] if self._steps and self._end is None else None

    def show_diagnosis(self, study: Study, diagnosis: Diagnosis) -> None:
        """Show a ticket with the answers it has so far."""
        self._diagnosis = diagnosis
        self._overline.setText(study.title)
        self._title.set_line(diagnosis.ticket.title)
        self._scenario.set_blocks(diagnosis.ticket.scenario)
        self._readings.show_metrics(diagnosis.ticket.metrics)
        self._readings.mark(diagnosis.reading)
        self._clear()
        for step in diagnosis.answered:
            self._add_step(step).show_result()
        self._go_on()
        self.left.show_top()

    def show_answer(self) -> None:
        """Show the verdict of the step just answered, and the next step or the end below it."""
        self._steps[-1].show_result()
        self._go_on()

    def show_hint(self) -> None:
        """Show the hint just taken."""
        self._readings.mark(self._diagnosis.reading)
        if self.current is not None:
            self.current.show_hints()

    def _go_on(self) -> None:
        step = self._diagnosis.current
        if step is not None:
            self.right.bring_into_view(self._add_step(step))
        else:
            self._end = self._build_end()
            self.right.rows.insertWidget(self.right.rows.count() - 1, self._end)
            self.right.bring_into_view(self._end)

    def _add_step(self, step: Step) -> StepView:
        view = StepView(step, self._diagnosis, self._text, self._theme, self._hints)
        view.picked.connect(self.picked)
        view.hints.strike_wanted.connect(self.strike_wanted)
        view.hints.reading_wanted.connect(self.reading_wanted)
        self._steps.append(view)
        self.right.rows.insertWidget(self.right.rows.count() - 1, view)
        tab_through(self.right, *view.buttons, view.hints.strike, view.hints.reading)
        return view

    def _build_end(self) -> QWidget:
        end = QFrame()
        rows = QVBoxLayout(end)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(8)
        score = QLabel(written_score(self._diagnosis))
        score.setObjectName("score")
        score.setWordWrap(True)
        caption = QLabel("WHAT DECIDES")
        caption.setObjectName("overline")
        evidence = Prose(self._text)
        evidence.set_blocks(self._diagnosis.ticket.evidence)
        link = LabLink()
        link.watched.connect(self.watched)
        sources = Sources(self._text)
        for widget in (score, caption, evidence):
            rows.addWidget(widget)
        rows.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addWidget(sources)
        lab = self._diagnosis.ticket.lab
        link.show_lab(lab, self._variants(lab) if lab and self._variants else ())
        sources.show_facts(
            self._diagnosis.ticket.facts
        )  # only now: shown without a parent it would be a window
        return end

    def _clear(self) -> None:
        self.right.show_top()
        for widget in (*self._steps, *([self._end] if self._end else [])):
            self.right.rows.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._steps.clear()
        self._end = None
