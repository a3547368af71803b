"""What the drill and the tickets share: rating, undo, the toast, the notice, the watch and the timer that looks again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from ladder_content.model import Pack
from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFocusEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ladder_desktop.actions import Key, explain, make_action
from ladder_desktop.lessons.fact_card import FactCard
from ladder_desktop.review.announce import announce
from ladder_desktop.review.counts_bar import CountsBar
from ladder_desktop.review.notice import Notice
from ladder_desktop.review.prose import PackText
from ladder_desktop.review.rating_bar import RatingBar
from ladder_desktop.review.stopwatch import Stopwatch
from ladder_desktop.review.style import style_sheet
from ladder_desktop.review.toast import Toast
from ladder_desktop.study import Clock, Desk, Item, Kind, Rating, StudyError, SystemClock
from ladder_desktop.theme import Theme

LOOK_AGAIN_MS = 5000
GO_ON = ("Space", "Return", "Enter")


class ReviewPage(QWidget):
    """The frame of a page on which items are rated. A subclass says how an item is shown.

    The page looks at the desk again every few seconds while it is shown, so that a learning step that ends, a new study
    day and a computer that has slept are all noticed in the same way.
    """

    answered = Signal()
    failed = Signal(str)
    title: ClassVar[str]
    key: ClassVar[str]
    kind: ClassVar[Kind]

    def __init__(
        self,
        desk: Desk,
        pack: Pack,
        theme: Theme,
        clock: Clock | None = None,
        stopwatch: Stopwatch | None = None,
    ) -> None:
        super().__init__()
        self.desk = desk
        self.clock = clock or SystemClock()
        self.pack = pack
        self.item: Item | None = None
        self.stopwatch = stopwatch or Stopwatch()
        self.text = PackText(pack, theme)
        self.counts = CountsBar(theme)
        self.rating_bar = RatingBar(theme)
        self.rating_bar.rated.connect(self.rate)
        self.notice = Notice()
        self.setObjectName("review")
        self.setStyleSheet(style_sheet(theme))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # not with Tab: the focus is passed on
        self.setAccessibleName(self.title)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        self._rows.addWidget(self._header())
        self._rows.addWidget(self.notice)
        self.toast = Toast(self)
        self.toast.undo.connect(self.undo)
        self.ticker = QTimer(self)
        self.ticker.setInterval(LOOK_AGAIN_MS)
        self.ticker.timeout.connect(self.look_again)
        self.fact_card = FactCard(pack, self.text.markdown, theme, self)
        self.text.links.followed.connect(self._follow)
        self.undo_action = self.make_action("undo", "Undo", self.undo, "Ctrl+Z")
        self.redo_action = self.make_action("redo", "Redo", self.redo, "Ctrl+Shift+Z")
        self.rating_actions = {
            rating: self.make_action(
                rating.name.lower(), rating.name.capitalize(), self._rate_by_key, str(rating.value)
            )
            for rating in Rating
        }

    # What a subclass says ---------------------------------------------------------------------------------------

    def show_next(self) -> None:
        """Show what the desk says comes next."""
        raise NotImplementedError

    def after_rating(self, item_id: str) -> None:
        """Leave an item that has just been rated."""
        raise NotImplementedError

    def bring_back(self, item_id: str) -> None:
        """Show an item whose rating was undone."""
        raise NotImplementedError

    def detail(self) -> dict[str, object]:
        """Return what the review log keeps beside the rating."""
        raise NotImplementedError

    def look_again(self) -> None:
        """Notice what has become due since the page was last drawn."""
        raise NotImplementedError

    def focus_target(self) -> QWidget:
        """Return the widget that shall have the keyboard when the page gets it."""
        raise NotImplementedError

    # What the window calls --------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Begin to watch the clock and the desk; called when the page is shown."""
        self.stopwatch.resume()
        self.look_again()
        self.ticker.start()
        self.focus_target().setFocus()

    def deactivate(self) -> None:
        """Stop all timers; called when another page is shown."""
        self.ticker.stop()
        self.stopwatch.pause()
        self.toast.dismiss()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the focus on."""
        super().focusInEvent(event)
        if (target := self.focus_target()) is not self:
            target.setFocus(event.reason())

    def page_actions(self) -> list[QAction]:
        """Return the actions of the page for menus and the shortcut sheet."""
        return self.actions()

    # What a person does -----------------------------------------------------------------------------------------

    def rate(self, rating: Rating) -> None:
        """Answer the item on show; on an error everything stays as it is and the notice says why."""
        if self.item is None or not self.can_rate():
            return
        self.notice.hide()
        item_id = self.item.item_id
        said = ""
        with self.reporting():
            said = self.answer(item_id, rating)
            self.item = None  # whatever happens from here on, this answer is not given twice
        if self.item is None:
            self.fact_card.dismiss()
            self.after_rating(item_id)
            self.focus_target().setFocus()
            self.say(said, undoable=True)
            self.answered.emit()

    def answer(self, item_id: str, rating: Rating) -> str:
        """Give an answer to the desk, and return what is said of it."""
        label = self.desk.previews(item_id)[rating].label
        answered = self.desk.answer(item_id, rating, self.stopwatch.elapsed(), self.detail())
        if answered.leech:
            return f"{rating.name.capitalize()}: forgotten so often that it is a leech now, and suspended"
        return f"{rating.name.capitalize()}: back in {label}"

    def can_rate(self) -> bool:
        """Whether the item on show may be rated now."""
        raise NotImplementedError

    def undo(self) -> None:
        """Take back the last thing done, say what it was, and show its item again."""
        self._turn(self.desk.undo_item_id, self.desk.undo)

    def redo(self) -> None:
        """Do again what was undone last, say what it is, and go on."""
        self._turn(lambda: None, self.desk.redo)

    def _turn(self, about: Callable[[], str | None], turn: Callable[[], str | None]) -> None:
        said = item_id = None
        self.notice.hide()
        with self.reporting():
            item_id = about()
            said = turn()
        if said is None:
            return
        if item_id is None:
            self.show_next()
        else:
            self.bring_back(item_id)
        self.focus_target().setFocus()
        self.say(said, undoable=False)
        self.answered.emit()

    # Helpers of the subclasses ----------------------------------------------------------------------------------

    def say(self, sentence: str, undoable: bool) -> None:
        """Show a toast, and read it aloud."""
        self.toast.say(sentence, undoable)
        announce(self, sentence)

    @contextmanager
    def reporting(self) -> Iterator[None]:
        """Turn an error of the desk into one sentence on the page."""
        try:
            yield
        except StudyError as error:
            sentence = str(error)
            self.toast.dismiss()
            known = self.notice.text == sentence
            self.notice.say(sentence)
            if not known:
                announce(self, sentence)
                self.failed.emit(sentence)

    def make_action(self, verb: str, text: str, slot: Callable[[], None], *keys: Key) -> QAction:
        """Add an action to the page: its keys work wherever the focus is inside, and a key held down counts once."""
        return make_action(self, f"{self.key}.{verb}", text, slot, keys, repeats=False)

    def refresh(self) -> None:
        """Bring counts, previews and actions up to date; the item on show stays."""
        with self.reporting():
            self.counts.show_counts(self.desk.counts(self.kind), self._queue())
            if self.can_rate() and self.item is not None:
                self.rating_bar.show_previews(self.desk.previews(self.item.item_id))
            self._name(self.undo_action, "Undo", self.desk.undo_label())
            self._name(self.redo_action, "Redo", self.desk.redo_label())
        for action in self.rating_actions.values():
            action.setEnabled(self.can_rate())
        self.rating_bar.setEnabled(self.can_rate())

    def _name(self, action: QAction, verb: str, label: str | None) -> None:
        """Have an action say what it would undo or redo."""
        action.setText(f"{verb} {label}" if label else verb)
        explain(action, "" if label else f"There is nothing to {verb.lower()}.")

    def _follow(self, link: str, below: QPoint) -> None:
        """Show the fact that a link names; other links are not followed while somebody is asked."""
        kind, _, fact_id = link.partition(":")
        if kind == "fact":
            self.fact_card.show_fact(fact_id, below)

    def _queue(self) -> str | None:
        if self.item is None:
            return None
        memory = self.desk.memory(self.item.item_id)
        if memory is None:
            return "new"
        return "due" if memory.phase == "review" else "learning"

    def _rate_by_key(self) -> None:
        action = self.sender()
        for rating, own in self.rating_actions.items():
            if own is action:
                self.rate(rating)
                return

    def _header(self) -> QWidget:
        header = QWidget()
        row = QHBoxLayout(header)
        row.setContentsMargins(32, 22, 32, 14)
        title = QLabel(self.title)
        title.setProperty("role", "title")
        row.addWidget(title)
        row.addStretch()
        row.addWidget(self.counts)
        self._header_row = row
        return header
