"""After an interview: the score, by study and by step, what was missed, and how it compares with another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ladder_content.model import Card, Pack
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel

from ladder_desktop.chooser import Chooser
from ladder_desktop.interview.line_table import LineTable
from ladder_desktop.interview.report import Score, by_step, by_study, change, percent, weakest
from ladder_desktop.interview.session import Asked
from ladder_desktop.review.column import Column
from ladder_desktop.review.key_button import KeyButton
from ladder_desktop.study import Interview

COLUMNS = ("", "Asked", "Points hit", "Before", "Change")


class DebriefView(Column):
    """`go` carries the target of an item or a study; `closed` goes back to the setting up."""

    go = Signal(str)
    closed = Signal()

    def __init__(self, pack: Pack, asked: Mapping[str, Asked]) -> None:
        super().__init__("Debrief")
        self._asked = asked
        self._titles = {study.id: f"{study.number}. {study.title}" for study in pack.studies}
        self._interviews: Sequence[Interview] = ()
        self.place = 0
        self._targets: list[str] = []
        self._score = QLabel()
        self._score.setProperty("role", "big")
        self._line = QLabel()
        self._line.setProperty("role", "muted")
        self._line.setWordWrap(True)
        self.other = Chooser()
        self.other.setAccessibleName("Compare with")
        self.other.currentIndexChanged.connect(self._compare)
        self._with = QLabel("Compare with")
        across = QHBoxLayout()
        across.addWidget(self._with)
        across.addWidget(self.other)
        across.addStretch()
        self._by_study = _Part("By study", COLUMNS)
        self._by_step = _Part("By step of the order of operations", COLUMNS)
        self._items = _Part("What was asked", ("", "Study", "Points hit"), opens=True)
        self._items.table.chosen.connect(self._open)
        self.close_button = KeyButton("Back to the interviews")
        self.close_button.clicked.connect(self.closed)
        self.open_button = KeyButton("Open what is selected")
        self.open_button.clicked.connect(self._open_selected)
        self.rows.addWidget(self._score)
        self.rows.addWidget(self._line)
        self.rows.addLayout(across)
        for part in (self._by_study, self._by_step, self._items):
            self.rows.addSpacing(8)
            self.rows.addWidget(part.heading)
            self.rows.addWidget(part.table)
        buttons = QHBoxLayout()
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.close_button)
        buttons.addStretch()
        self.rows.addLayout(buttons)
        self.rows.addStretch()

    def show_interview(self, interviews: Sequence[Interview], place: int) -> None:
        """Show one of the interviews, newest first in the list, beside the one before it."""
        self._interviews, self.place = interviews, place
        self.other.blockSignals(True)
        self.other.clear()
        for number, one in enumerate(interviews):
            if number != place:
                self.other.addItem(f"{one.local_date}, {percent(one.share)}", number)
        self.other.setCurrentIndex(min(place, self.other.count() - 1))
        self.other.blockSignals(False)
        for widget in (self.other, self._with):
            widget.setVisible(len(interviews) > 1)
        self._compare()
        self.show_top()

    def _compare(self) -> None:
        interview = self._interviews[self.place]
        number = self.other.currentData()
        before = None if number is None else self._interviews[number]
        self._score.setText(f"{percent(interview.share)} of the points")
        self._line.setText(self._sentence(interview))
        studies = by_study(
            interview,
            before,
            self._titles,
            lambda item_id: self._asked[item_id][0].id if item_id in self._asked else "",
        )
        self._by_study.show([_line(score) for score in studies])
        self._by_step.show([_line(score) for score in by_step(interview, before)])
        self._targets = []
        lines = []
        for reply in interview.replies:
            study, item = self._asked.get(reply.item_id, (None, None))
            if study is None or item is None:
                lines.append((reply.item_id, "no longer in the pack", f"{reply.hit} of {reply.asked}"))
                self._targets.append("")
                continue
            card = isinstance(item, Card)
            name = item.question if isinstance(item, Card) else f"Ticket: {item.title}"
            lines.append((name, str(study.number), f"{reply.hit} of {reply.asked}"))
            self._targets.append(f"study:{study.id}/qa/{item.id}" if card else f"ticket:{item.id}")
        self._items.show(lines)

    def _sentence(self, interview: Interview) -> str:
        count = len(interview.replies)
        asked = f"{count} item{'' if count == 1 else 's'} on {interview.local_date}, {interview.setting.minutes} minutes."
        missed = [reply for reply in weakest(interview.replies, 1) if reply.item_id in self._asked]
        if not missed:
            return f"{asked} Nothing was missed."
        study, item = self._asked[missed[0].item_id]
        name = item.question if isinstance(item, Card) else item.title
        return f"{asked} Most was missed in study {study.number}: {name}"

    def _open_selected(self) -> None:
        self._open(self._items.table.currentRow())

    def _open(self, row: int) -> None:
        if 0 <= row < len(self._targets) and self._targets[row]:
            self.go.emit(self._targets[row])


class _Part:
    """A heading and its table, hidden together when there is nothing to show."""

    def __init__(self, name: str, columns: Sequence[str], *, opens: bool = False) -> None:
        self.heading = QLabel(name)
        self.heading.setProperty("role", "heading")
        self.table = LineTable(name, columns, opens=opens)

    def show(self, lines: Sequence[Sequence[str]]) -> None:
        self.table.show_lines(lines)
        for widget in (self.heading, self.table):
            widget.setVisible(bool(lines))


def _line(score: Score) -> tuple[str, ...]:
    return score.name, str(score.asked), percent(score.share), percent(score.before), change(score)
