"""The panel of the settings that schedule: retention, limits, steps, weights, days away; and whether answers are typed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.review.announce import announce
from ladder_desktop.review.away_panel import AwayPanel
from ladder_desktop.review.desk_work import DeskWork
from ladder_desktop.review.schedule_fields import ScheduleFields
from ladder_desktop.review.shift_view import ShiftView
from ladder_desktop.review.typing_choice import Aloud, TypingChoice
from ladder_desktop.settings.row import setting_row
from ladder_desktop.stats.figures import plural
from ladder_desktop.study import Desk, Shift, StudyError, StudySettings
from ladder_desktop.theme import Theme

PREVIEW_AFTER_MS = 200
FIRST_DAYS = 7
FIELD_WIDTH = 150


class StudySettingsPanel(QWidget):
    """Emits `changed` when the plan is another one. Everything holds from the next answer once it is saved.

    `typing` counts at once.
    """

    changed = Signal()

    def __init__(self, desk: Desk, theme: Theme, typing: TypingChoice | None = None) -> None:
        super().__init__()
        self._desk = desk
        self._typing = typing or Aloud()
        self.fields = ScheduleFields(desk)
        self.typed = QCheckBox("Type them")
        self.typed.setChecked(self._typing.typed_answers)
        self.move_learned = QCheckBox("Move them")
        self.shift = ShiftView(theme, "Reviews a day, before and after the change")
        self.said = _sentence("")
        self.save = QPushButton("Save")
        self.save.setProperty("role", "primary")
        self.undo = QPushButton("Undo")
        self.away = AwayPanel(desk, theme)
        self.writing = DeskWork(desk, self)
        self._previewing = DeskWork(desk, self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PREVIEW_AFTER_MS)
        self._build()
        self._connect()
        self.show_stored()

    # What is on screen

    def show_stored(self) -> None:
        """Fill the fields from the desk."""
        self.fields.show_settings(self._desk.settings)
        self.preview()

    def preview(self) -> None:
        """Say whether the fields can be saved, and what moving would do to the coming days."""
        self._timer.stop()
        self.shift.hide()
        try:
            wanted = self.fields.wanted()
        except StudyError as error:
            self.said.setText(str(error))
            self.save.setEnabled(False)
            return
        self.said.setText("")
        differs = wanted != self._desk.settings
        self.save.setEnabled(differs or self.move_learned.isChecked())
        if not self.move_learned.isChecked():
            return
        if self._previewing.start(partial(_preview, wanted)):
            self.said.setText("Reckoning what would move…")

    def _show_shift(self, shift: Shift) -> None:
        self.said.setText("")
        first = self._desk.planner.today()
        self.shift.show_load(first, shift.before, shift.after, shift_sentence(shift))
        self.shift.show()

    def _preview_failed(self, error: BaseException) -> None:
        self.said.setText(f"What would move could not be reckoned ({error}).")

    # What a person does

    def store(self) -> None:
        """Save the fields, as one step of undo."""
        try:
            wanted = self.fields.wanted()
        except StudyError as error:
            self._say(str(error))
            return
        moving = self.move_learned.isChecked()
        meanwhile = "Moving what you have learned…" if moving else "Saving…"
        self._write(partial(_change, wanted, moving), self._stored, meanwhile)

    def take_back(self) -> None:
        """Undo what was done last."""
        self._write(_undo, self._taken_back, "Taking it back…")

    def _stored(self, moved: object) -> None:
        assert isinstance(moved, int)
        self.move_learned.setChecked(False)
        self.preview()
        what = f"Saved, and {plural(moved, 'card')} moved." if moved else "Saved."
        self._say(f"{what} It holds from your next answer.")
        self.undo.show()
        self.changed.emit()

    def _taken_back(self, said: object) -> None:
        self.undo.hide()
        self.show_stored()
        if said is not None:
            self._say(f"{said}.")
            self.changed.emit()

    def _write(self, work: Callable[[Desk], object], then: Callable[[object], None], meanwhile: str) -> None:
        """Do something to the plan; the panel rests while that goes on beside the window."""
        self._then = then
        if self.writing.start(work):
            self._rest(True)
            self._say(meanwhile)

    def _written(self, done: object) -> None:
        self._rest(False)
        self._then(done)

    def _not_written(self, error: BaseException) -> None:
        self._rest(False)
        self._say(str(error))

    def _rest(self, resting: bool) -> None:
        """Take nothing while the plan is being changed."""
        for widget in (self.fields, self.move_learned, self.save, self.undo, self.away):
            widget.setDisabled(resting)

    def shutdown(self) -> None:
        """The panel is not shown again: what is being stored is stored, and no thread is left behind."""
        self._timer.stop()
        self.writing.stop()
        self.fields.weights.shutdown()
        self._previewing.stop()
        self.away.shutdown()

    def _edited(self) -> None:
        self.undo.hide()
        self._timer.start()

    def _choose_typing(self, typed: bool) -> None:
        self._typing.typed_answers = typed

    def _say(self, sentence: str) -> None:
        self.said.setText(sentence)
        announce(self, sentence)

    # Building

    def _connect(self) -> None:
        self.fields.edited.connect(self._edited)
        self.typed.toggled.connect(self._choose_typing)
        self.move_learned.toggled.connect(self.preview)
        self._timer.timeout.connect(self.preview)
        self.save.clicked.connect(self.store)
        self.undo.clicked.connect(self.take_back)
        self._previewing.done.connect(self._show_shift)
        self._previewing.failed.connect(self._preview_failed)
        self.writing.done.connect(self._written)
        self.writing.failed.connect(self._not_written)
        self.away.changed.connect(self._moved)

    def _moved(self) -> None:
        self.undo.show()
        self.preview()
        self.changed.emit()

    def _build(self) -> None:
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 28)
        rows.setSpacing(4)
        rows.addWidget(
            setting_row(
                "Answers in words",
                "Typed into a box before you look, or spoken. T in the drill changes it, too.",
                self.typed,
            )
        )
        rows.addWidget(self.fields)
        rows.addSpacing(14)
        rows.addWidget(
            setting_row(
                "Cards you have learned",
                "They keep their dates, or move as if these settings had always held.",
                self.move_learned,
            )
        )
        rows.addWidget(self.shift)
        rows.addWidget(self.said)
        rows.addLayout(_beside(self.save, self.undo))
        rows.addSpacing(22)
        rows.addWidget(
            setting_row(
                "Days away",
                "What falls due meanwhile comes a little earlier or later, where that costs least.",
            )
        )
        rows.addWidget(self.away)
        rows.addStretch(1)
        self.undo.hide()
        for button in (self.save, self.undo, self.away.look, self.away.apply):
            button.setAccessibleName(button.text())


def _preview(wanted: StudySettings, desk: Desk) -> Shift:
    return desk.planner.preview(wanted)


def _change(wanted: StudySettings, moving: bool, desk: Desk) -> int:
    return desk.planner.change(wanted, moving)


def _undo(desk: Desk) -> str | None:
    return desk.undo()


def shift_sentence(shift: Shift) -> str:
    """Say what a reschedule does: how many cards move which way, and the load of today and of the first week."""
    if not shift.sooner + shift.later:
        return "No card would move."
    return (
        f"{plural(shift.sooner, 'card')} would come sooner and {shift.later} later. Today {shift.after[0]} reviews "
        f"instead of {shift.before[0]}, in {FIRST_DAYS} days {sum(shift.after[:FIRST_DAYS])} instead of "
        f"{sum(shift.before[:FIRST_DAYS])}."
    )


def _beside(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    return row


def _sentence(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label
