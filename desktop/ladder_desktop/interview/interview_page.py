"""The page of mock interviews: setting one up, sitting it, and its debrief."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from ladder_content.model import Pack
from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from ladder_desktop.actions import Key, make_action
from ladder_desktop.interview.debrief_view import DebriefView
from ladder_desktop.interview.interviewer import Interviewer
from ladder_desktop.interview.question_view import Answering
from ladder_desktop.interview.session import Asked, Session
from ladder_desktop.interview.setup_view import SetupView
from ladder_desktop.interview.sitting import Sitting
from ladder_desktop.review.announce import announce
from ladder_desktop.review.notice import Notice
from ladder_desktop.review.prose import PackText
from ladder_desktop.review.step_view import LETTERS
from ladder_desktop.review.style import style_sheet
from ladder_desktop.study import Clock, Desk, StudyError, SystemClock, draw, study_day
from ladder_desktop.theme import Theme
from ladder_desktop.voice.reading import VoiceChoice


@dataclass(frozen=True)
class Unfinished:
    """An interview that is being sat, or the debrief on show, and what is chosen for the next one."""

    session: Session | None
    answer: Answering
    debrief: int | None
    minutes: int
    study_ids: tuple[str, ...]
    aloud: bool


class InterviewPage(QWidget):
    """The page behind the key `interview`.

    `voice` says who reads the questions aloud, and how fast. `random` draws and shuffles; a test may give one with a
    seed. Call `shutdown` before the page goes: somebody may be speaking.
    """

    title = "Interview"
    go = Signal(str)
    answered = Signal()

    def __init__(
        self,
        desk: Desk,
        pack: Pack,
        theme: Theme,
        clock: Clock | None = None,
        random: Random | None = None,
        voice: VoiceChoice | None = None,
    ) -> None:
        super().__init__()
        self._desk = desk
        self._clock = clock or SystemClock()
        self._random = random or Random()
        self._asked: dict[str, Asked] = {}
        for study in pack.studies:
            for card in study.cards:
                if card.kind == "qa":
                    self._asked[f"{pack.id}/{card.id}"] = (study, card)
            for ticket in study.tickets:
                self._asked[f"{pack.id}/{ticket.id}"] = (study, ticket)
        self.setup = SetupView(pack.studies)
        self._interviewer = Interviewer(self, self.setup, voice)
        self.sitting = Sitting(PackText(pack, theme), theme, self._interviewer.read)
        self.debrief = DebriefView(pack, self._asked)
        self._notice = Notice()
        self._stack = QStackedWidget()
        for view in (self.setup, self.sitting, self.debrief):
            self._stack.addWidget(view)
        self.setStyleSheet(style_sheet(theme))
        self.setAccessibleName(self.title)
        self._lay_out()
        self.setup.begun.connect(self.begin)
        self.setup.opened.connect(self.open_debrief)
        self.sitting.go_on.connect(self.go_on)
        self.sitting.end.connect(self.end)
        self.sitting.board.picked.connect(self.pick)
        self.sitting.board.watched.connect(self._watch)
        self.debrief.go.connect(self.go)
        self.debrief.closed.connect(self.show_setup)
        self._second = QTimer(self)
        self._second.setInterval(500)
        self._second.timeout.connect(self._tick)
        self._make_actions()
        self._show_view(self.setup)

    @property
    def session(self) -> Session | None:
        """The interview that is being sat."""
        return self.sitting.session

    # What the window calls

    def activate(self) -> None:
        """Go on where it stands."""
        if self.session is not None:
            self.session.resume()
            self._second.start()
        elif self._stack.currentWidget() is self.setup:
            self.show_setup()
        self._focus()

    def deactivate(self) -> None:
        """Stop the clock and the voice."""
        self._second.stop()
        self._interviewer.read("")
        if self.session is not None:
            self.session.pause()

    def shutdown(self) -> None:
        """Fall silent and leave no process behind."""
        self._interviewer.close()

    def hand_over(self) -> object:
        """Return the interview as it stands."""
        setting = self.setup.setting
        debrief = self.debrief.place if self._stack.currentWidget() is self.debrief else None
        return Unfinished(
            self.session,
            self.sitting.question.answering(),
            debrief,
            setting.minutes,
            setting.study_ids,
            self.setup.aloud.isChecked(),
        )

    def take_over(self, kept: object) -> None:
        """Go on with the interview of the page before."""
        if not isinstance(kept, Unfinished):
            return
        self.setup.choose(kept.minutes, kept.study_ids, kept.aloud)
        if kept.session is not None:
            self.sitting.go_on_with(kept.session, kept.answer)
            self._show_view(self.sitting)
        if kept.debrief is not None:
            self.open_debrief(kept.debrief)

    def page_actions(self) -> list[QAction]:
        """Return what can be done here."""
        return self.actions()

    # What a person does

    def show_setup(self) -> None:
        """Show what can be chosen, and the interviews so far."""
        with self._reporting():
            self.setup.show_past(self._desk.history.interviews())
        self._show_view(self.setup)

    def begin(self) -> None:
        """Draw an interview as it is set, and ask its first item."""
        if self.session is not None or not self.setup.can_begin:
            return
        with self._reporting():
            setting = self.setup.setting
            states = [
                state
                for state in self._desk.states()
                if state.item.item_id in self._asked and not state.mark.suspended
            ]
            today = study_day(self._clock.now(), self._clock.zone())
            items = [state.item.item_id for state in draw(states, setting, today, self._random)]
            if not items:
                self._notice.say("Everything in these studies is suspended; choose another study.")
                return
            self.sitting.begin(Session(self._desk, setting, items, self._asked, self._random))
            self._second.start()
            self._show_view(self.sitting)

    def go_on(self) -> None:
        """Begin; then to the next part of a question, or log the item and ask the next one."""
        if self.session is None:
            self.begin()
            return
        with self._reporting():
            if self.sitting.advance():
                self.answered.emit()
            if self.session.over:
                self.end()
            else:
                self._refresh()

    def pick(self, place: int) -> None:
        """Answer the current step of a ticket with the option shown at this place."""
        self.sitting.pick(place)
        self._refresh()

    def end(self) -> None:
        """End the interview: its debrief if anything was answered, else back to the setting up."""
        session = self.sitting.leave()
        self._second.stop()
        if session is None or not session.replies:
            self.show_setup()
            return
        with self._reporting():
            ids = [one.interview_id for one in self._desk.history.interviews()]
            self.open_debrief(ids.index(session.interview_id))

    def open_debrief(self, place: int) -> None:
        """Show the debrief of one of the interviews so far, newest first."""
        with self._reporting():
            self.debrief.show_interview(self._desk.history.interviews(), place)
            self._show_view(self.debrief)

    # Showing

    def _show_view(self, view: QWidget) -> None:
        self._stack.setCurrentWidget(view)
        self._refresh()
        self._focus()

    def _refresh(self) -> None:
        session = self.session
        self._clock_label.setVisible(session is not None)
        self._tick()
        for place, action in enumerate(self._pick_actions):
            action.setEnabled(place < self.sitting.options)
        on_setup = session is None and self._stack.currentWidget() is self.setup
        self._go_on_action.setEnabled(on_setup or (session is not None and not self.sitting.options))
        self._end_action.setEnabled(session is not None)
        self._back_action.setEnabled(session is None and self._stack.currentWidget() is self.debrief)

    def _tick(self) -> None:
        if self.session is None:
            return
        seconds = int(self.session.left.total_seconds())
        text = f"{seconds // 60}:{seconds % 60:02} left" if seconds else "Time is up: this is the last one"
        self._clock_label.setText(text)

    def _focus(self) -> None:
        view: QWidget | None = self._stack.currentWidget()
        if view is self.sitting:
            self.sitting.take_keyboard()
        elif view is not None:
            view.setFocus()

    def _watch(self, scenario: str) -> None:
        self.go.emit(f"live:{scenario}")

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Turn an error of the desk into one sentence on the page."""
        self._notice.hide()
        try:
            yield
        except StudyError as error:
            self._notice.say(str(error))
            announce(self, str(error))

    # Building

    def _lay_out(self) -> None:
        title = QLabel("Mock interview")
        title.setProperty("role", "title")
        self._clock_label = QLabel()
        self._clock_label.setObjectName("clock")
        self._clock_label.setAccessibleName("Time left")
        head = QHBoxLayout()
        head.setContentsMargins(32, 22, 32, 14)
        head.addWidget(title)
        head.addStretch()
        head.addWidget(self._clock_label)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(head)
        rows.addWidget(self._notice)
        rows.addWidget(self._stack, 1)

    def _make_actions(self) -> None:
        self._go_on_action = self._action("next", "Begin, or go on", self.go_on, "Ctrl+Return", "Ctrl+Enter")
        self._end_action = self._action("end", "End the interview", self.end, "Ctrl+Shift+Return")
        self._back_action = self._action("back", "Back to the interviews", self.show_setup, "Esc")
        self._pick_actions = [
            self._action(f"option-{letter.lower()}", f"Option {letter}", self._pick_by_key, letter)
            for letter in LETTERS
        ]
        self._refresh()

    def _pick_by_key(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and action in self._pick_actions:
            self.pick(self._pick_actions.index(action))

    def _action(self, verb: str, text: str, slot: Callable[[], None], *keys: Key) -> QAction:
        return make_action(self, f"interview.{verb}", text, slot, keys, repeats=False)
