"""Before an interview: how long, out of which studies, and the interviews there have been."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ladder_content.model import Study
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.chooser import Chooser
from ladder_desktop.eliding_box import ElidingBox
from ladder_desktop.interview.line_table import LineTable
from ladder_desktop.interview.report import percent
from ladder_desktop.review.column import Column
from ladder_desktop.review.key_button import KeyButton
from ladder_desktop.study import Interview, Setting

LENGTHS = (15, 30, 45, 60)


class SetupView(Column):
    """`begun` asks for an interview as it is set, `opened` for the debrief of an earlier one, by its place in the list."""

    begun = Signal()
    opened = Signal(int)

    def __init__(self, studies: Sequence[Study]) -> None:
        super().__init__("Set up a mock interview")
        self._studies = studies
        intro = QLabel(
            "Answer aloud, as you would to a person. Then the follow-up, and only then the points that a strong answer "
            "holds: tick what you said. Questions and tickets you are weak at come more often, and every answer counts "
            "for your schedule."
        )
        intro.setProperty("role", "muted")
        intro.setWordWrap(True)
        self.length = Chooser()
        self.length.setAccessibleName("Length of the interview")
        for minutes in LENGTHS:
            self.length.addItem(f"{minutes} minutes", minutes)
        self.length.setCurrentIndex(1)
        self.boxes = [ElidingBox(f"{study.number}. {study.title}") for study in studies]
        for box in self.boxes:
            box.setChecked(True)
            box.toggled.connect(self._refresh)
        self.aloud = QCheckBox("Read the questions aloud")
        self.begin = KeyButton("Begin the interview")
        self.begin.setProperty("role", "primary")
        self.begin.clicked.connect(self.begun)
        self._voice_note = QLabel()
        self._voice_note.setObjectName("caption")
        self._voice_note.setWordWrap(True)
        self._voice_note.hide()
        self._none = QLabel("Choose at least one study.")
        self._none.setObjectName("caption")
        self.rows.addWidget(intro)
        self.rows.addWidget(self._form())
        self.rows.addWidget(self._none)
        self._heading = QLabel("Interviews so far")
        self._heading.setProperty("role", "heading")
        self.past = LineTable("Interviews so far", ("Day", "Length", "Asked", "Points hit"), opens=True)
        self.past.chosen.connect(self.opened)
        self.open = KeyButton("Open the debrief")
        self.open.clicked.connect(self._open_selected)
        self.rows.addSpacing(18)
        for widget in (self._heading, self.past):
            self.rows.addWidget(widget)
        self.rows.addWidget(self.open)
        self.rows.addStretch()
        self._refresh()

    @property
    def setting(self) -> Setting:
        """What is chosen."""
        chosen = (study.id for study, box in zip(self._studies, self.boxes, strict=True) if box.isChecked())
        return Setting(self.length.currentData(), tuple(chosen))

    def choose(self, minutes: int, study_ids: Collection[str], aloud: bool) -> None:
        """Set the form."""
        self.length.setCurrentIndex(self.length.findData(minutes))
        for study, box in zip(self._studies, self.boxes, strict=True):
            box.setChecked(study.id in study_ids)
        self.aloud.setChecked(aloud)

    @property
    def can_begin(self) -> bool:
        """Whether there is a study to ask about."""
        return any(box.isChecked() for box in self.boxes)

    def refuse_voice(self, sentence: str) -> None:
        """Say why nothing can be read aloud here."""
        self.aloud.setEnabled(False)
        self._voice_note.setText(sentence)
        self._voice_note.show()

    def show_past(self, interviews: Sequence[Interview]) -> None:
        """List the interviews there have been, newest first."""
        self.past.show_lines(
            [
                (one.local_date, f"{one.setting.minutes} min", str(len(one.replies)), percent(one.share))
                for one in interviews
            ]
        )
        for widget in (self._heading, self.past, self.open):
            widget.setVisible(bool(interviews))

    def _form(self) -> QWidget:
        form = QFrame()
        form.setProperty("role", "card")
        grid = QGridLayout(form)
        grid.setContentsMargins(22, 18, 22, 18)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(10)
        grid.addWidget(QLabel("Length"), 0, 0)
        grid.addWidget(self.length, 0, 1)
        studies = QVBoxLayout()
        studies.setSpacing(6)
        for box in self.boxes:
            studies.addWidget(box)
        top = QLabel("Studies")
        grid.addWidget(top, 1, 0, Qt.AlignmentFlag.AlignTop)
        grid.addLayout(studies, 1, 1)
        grid.addWidget(self.aloud, 2, 1)
        grid.addWidget(self._voice_note, 3, 1)
        grid.addWidget(self.begin, 4, 1)
        grid.setColumnStretch(2, 1)
        return form

    def _refresh(self) -> None:
        self.begin.setEnabled(self.can_begin)
        self._none.setVisible(not self.can_begin)

    def _open_selected(self) -> None:
        if self.past.currentRow() >= 0:
            self.opened.emit(self.past.currentRow())
