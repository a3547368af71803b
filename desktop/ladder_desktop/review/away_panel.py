"""Days away: choose them, see what moves and what it costs, move it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QDate, Qt, Signal
from PySide6.QtWidgets import QDateEdit, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ladder_desktop.review.announce import announce
from ladder_desktop.review.desk_work import DeskWork
from ladder_desktop.review.shift_view import ShiftView
from ladder_desktop.stats.figures import plural
from ladder_desktop.study import Desk
from ladder_desktop.study.away import AwayPlan
from ladder_desktop.study.studyday import date_of_day
from ladder_desktop.theme import Theme


class AwayPanel(QWidget):
    """Emits `changed` when something was moved."""

    changed = Signal()

    def __init__(self, desk: Desk, theme: Theme) -> None:
        super().__init__()
        self._plan: AwayPlan | None = None
        self.first = _date("First day away")
        self.last = _date("Last day away")
        today = date_of_day(desk.planner.today())
        self.first.setDate(QDate(today.year, today.month, today.day).addDays(1))
        self.last.setDate(self.first.date().addDays(6))
        self.look = QPushButton("See what would move")
        self.look.clicked.connect(self.show_plan)
        self.apply = QPushButton("Move them")
        self.apply.setProperty("role", "primary")
        self.apply.clicked.connect(self.move_them)
        self.looking, self.moving = DeskWork(desk, self), DeskWork(desk, self)
        self.looking.done.connect(self._show_plan)
        self.moving.done.connect(self._moved)
        for work in (self.looking, self.moving):
            work.failed.connect(self._refused)
        self.view = ShiftView(theme, "Reviews a day, before and after the move")
        self.said = QLabel()
        self.said.setTextFormat(Qt.TextFormat.PlainText)
        self.said.setWordWrap(True)
        for edit in (self.first, self.last):
            edit.dateChanged.connect(self._forget)
        self._build()
        self._forget()

    def _build(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(10)
        for text, edit in (("Away from", self.first), ("to", self.last)):
            label = QLabel(text)
            label.setBuddy(edit)
            row.addWidget(label)
            row.addWidget(edit)
        row.addStretch(1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addLayout(row)
        rows.addWidget(self.look, alignment=Qt.AlignmentFlag.AlignLeft)
        rows.addWidget(self.view)
        rows.addWidget(self.said)
        rows.addWidget(self.apply, alignment=Qt.AlignmentFlag.AlignLeft)

    def show_plan(self) -> None:
        """Work out what would move, and move nothing."""
        self._forget()
        work = partial(_plan, _study_day(self.first), _study_day(self.last))
        if self.looking.start(work):
            self.look.setEnabled(False)
            self._say("Reckoning what would move…")

    def _show_plan(self, plan: AwayPlan) -> None:
        self.look.setEnabled(True)
        self.said.setText("")
        if not plan.moves:
            self._say("Nothing falls due on these days; there is nothing to move.")
            return
        self._plan = plan
        self.view.show_load(plan.load_from, plan.load_before, plan.load_after, plan_sentence(plan))
        self.view.show()
        self.apply.show()
        announce(self, plan_sentence(plan))

    def move_them(self) -> None:
        """Move what the plan says, as one step of undo."""
        if self._plan is None:
            return
        if self.moving.start(partial(_move, self._plan)):
            self.setEnabled(False)
            self._say("Moving them…")

    def _moved(self, moved: int) -> None:
        self.setEnabled(True)
        self._forget()
        self._say(f"{plural(moved, 'card')} moved. Undo takes it back.")
        self.changed.emit()

    def shutdown(self) -> None:
        """Leave no thread behind."""
        self.looking.stop()
        self.moving.stop()

    def _refused(self, error: BaseException) -> None:
        self.setEnabled(True)
        self.look.setEnabled(True)
        self._say(str(error))

    def _forget(self) -> None:
        """A plan for other days is no plan for these."""
        self._plan = None
        self.said.setText("")
        self.view.hide()
        self.apply.hide()

    def _say(self, sentence: str) -> None:
        self.said.setText(sentence)
        announce(self, sentence)


def _plan(first: int, last: int, desk: Desk) -> AwayPlan:
    return desk.planner.plan_away(first, last)


def _move(plan: AwayPlan, desk: Desk) -> int:
    return desk.planner.apply_away(plan)


def plan_sentence(plan: AwayPlan) -> str:
    """Say what moves and what it costs."""
    parts = []
    if plan.advanced:
        days = [move.to_day for move in plan.advanced]
        parts.append(f"{plural(len(days), 'card')} would come earlier, {_span(days)}")
    if plan.postponed:
        days = [move.to_day for move in plan.postponed]
        parts.append(f"{plural(len(days), 'card')} would come later, {_span(days)}")
    return (
        f"{'; '.join(parts)}. Expect to forget {plan.forgotten:.1f} of them; {plan.forgotten_at_home:.1f} were you "
        f"not away, {plan.forgotten_without_plan:.1f} if all wait until you are back."
    )


def _span(days: list[int]) -> str:
    first, last = date_of_day(min(days)), date_of_day(max(days))
    if first == last:
        return f"on {first.day} {first:%b}"
    return f"from {first.day} {first:%b} to {last.day} {last:%b}"


def _date(name: str) -> QDateEdit:
    edit = QDateEdit()
    edit.setCalendarPopup(True)
    edit.setDisplayFormat("d MMM yyyy")
    edit.setAccessibleName(name)
    return edit


def _study_day(edit: QDateEdit) -> int:
    return edit.date().toJulianDay() - QDate(1970, 1, 1).toJulianDay()
