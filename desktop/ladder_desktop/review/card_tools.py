"""What can be done with the card on show besides rating it: bury, suspend, flag, edit, look at its history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ladder_content.model import Pack
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QMenu, QPushButton

from ladder_desktop.actions import explain
from ladder_desktop.lessons.cloze_html import blanked
from ladder_desktop.review.card_editor import CardEditor
from ladder_desktop.review.card_history import CardHistory
from ladder_desktop.study import FLAGS, Mark

if TYPE_CHECKING:
    from ladder_desktop.review.drill_page import DrillPage

AHEAD = (1, 3, 7)


class CardTools(QObject):
    """The actions of the drill on its card, with Anki's keys, and the menu from which the mouse reaches them."""

    def __init__(self, page: DrillPage, pack: Pack) -> None:
        super().__init__(page)
        self._page = page
        self._desk = page.desk
        make = page.make_action
        self.bury = make("bury", "Bury until tomorrow", self._bury, "-")
        self.suspend = make("suspend", "Suspend", self._suspend, "@", "!")
        self.flags = [
            make(f"flag-{FLAGS[number]}", f"Flag {FLAGS[number]}", self._flag, f"Ctrl+{number}")
            for number in range(1, len(FLAGS))
        ]
        for flag in self.flags:
            flag.setCheckable(True)
        self.forgive = make("not-a-leech", "Not a leech", self._forgive)
        self.edit = make("edit", "Edit or note…", self.edit_card, "E")
        self.info = make("history", "History and memory…", self.show_history, "I")
        self.fact = make("fact", "Show the next fact", self.show_next_fact, "F")
        self.unbury = make("unbury", "Take buried cards back", self._unbury)
        self.more = make("more-new", "Ten more new cards today", self._more)
        self.leave = make("queue", "Back to the queue", page.leave_session, "Esc")
        self.browse = make("browse", "All cards…", self._browse)
        self._ahead = {make(f"ahead-{days}", _ahead_words(days), self._go_ahead): days for days in AHEAD}
        self._crams = {
            make(f"cram-{study.id}", f"Cram: {study.title}".replace("&", "&&"), self._cram): study.id
            for study in pack.studies
            if study.cards
        }
        self._fact_shown = 0
        self.dialog: QDialog
        self.button = self._build_button()

    def refresh(self, mark: Mark | None, buried: int) -> None:
        """Enable and name the actions for the marks of the card on show; None where there is no card."""
        nothing = "" if mark is not None else "No card is on show."
        for action in (self.bury, self.suspend, self.info, *self.flags):
            explain(action, nothing)
        explain(self.edit, nothing or self._why_not_edit())
        explain(self.fact, nothing or ("" if self._facts() else "This card names no fact."))
        explain(self.forgive, nothing or ("" if mark and mark.leech else "This card is no leech."))
        explain(self.unbury, "" if buried else "No card is buried.")
        explain(self.leave, "" if self._page.session else "This is the queue.")
        self.suspend.setText("Unsuspend" if mark and mark.suspended else "Suspend")
        self.unbury.setText(f"Take {buried} buried back" if buried else "Take buried cards back")
        for number, action in enumerate(self.flags, start=1):
            action.setChecked(mark is not None and mark.flag == number)

    def edit_card(self) -> None:
        """Open the card on show for editing."""
        item, card = self._page.item, self._page.shown_card()
        if item is not None and card is not None:
            self._open(CardEditor(self._desk, item.item_id, card, self._page))
            self.dialog.accepted.connect(self._reworded)

    def show_history(self) -> None:
        """Show the reviews and the memory curve of the card on show."""
        page = self._page
        if page.item is None or page.attempt is None:
            return
        title = blanked(page.attempt.card)
        with page.reporting():
            self._open(CardHistory(self._desk, page.item.item_id, title, page.clock, page.theme, page))

    def show_next_fact(self) -> None:
        """Open the first fact that the card names, and with each further press the next one."""
        facts = self._facts()
        if facts:
            card = self._page.fact_card
            self._fact_shown = (self._fact_shown + 1) % len(facts) if card.isVisible() else 0
            view = self._page.card_view
            card.show_fact(facts[self._fact_shown], view.mapToGlobal(view.rect().center()))

    def _open(self, dialog: QDialog) -> None:
        self.dialog = dialog
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _facts(self) -> tuple[str, ...]:
        """Return the facts the card rests on, once its answer is on show: they may give it away."""
        page = self._page
        return page.attempt.card.facts if page.attempt is not None and page.can_rate() else ()

    def _why_not_edit(self) -> str:
        """Return why the card cannot be edited now: its key may stand for an option."""
        options = len(self._page.attempt.options) if self._page.attempt is not None else 0
        return "Answer first: E is an option." if options > 4 and not self._page.can_rate() else ""

    def _reworded(self) -> None:
        self._page.show_again("Saved in your own words")

    def _bury(self) -> None:
        self._set_aside(self._desk.marks.bury, "Buried until tomorrow")

    def _suspend(self) -> None:
        if self._mark().suspended:
            self._do(self._desk.marks.unsuspend, "Unsuspended")
        else:
            self._set_aside(self._desk.marks.suspend, "Suspended")

    def _forgive(self) -> None:
        self._do(self._desk.marks.forgive, "Not a leech any more")

    def _flag(self) -> None:
        """Set the flag of the key that was pressed, or take it away."""
        number = self.flags.index(self.sender()) + 1  # type: ignore[arg-type]
        new = 0 if self._mark().flag == number else number

        def flag(item_ids: Sequence[str]) -> None:
            self._desk.marks.flag(item_ids, new)

        self._do(flag, f"Flag: {FLAGS[new]}")

    def _unbury(self) -> None:
        with self._page.reporting():
            self._desk.marks.unbury(self._desk.marks.buried("card"))
            self._page.say("Buried cards are back", undoable=True)
        self._page.look_again()
        self._page.answered.emit()

    def _more(self) -> None:
        with self._page.reporting():
            self._desk.more_today("card", new=10)
            self._page.say("Ten more new cards today", undoable=True)
        self._page.look_again()
        self._page.answered.emit()

    def _browse(self) -> None:
        self._page.go.emit("cards")

    def _go_ahead(self) -> None:
        self._begin(f"ahead:{self._ahead[self.sender()]}", "Nothing falls due by then.")  # type: ignore[index]

    def _cram(self) -> None:
        self._begin(f"study:{self._crams[self.sender()]}", "All its cards are set aside.")  # type: ignore[index]

    def _begin(self, query: str, nothing: str) -> None:
        """Go through the cards that fit a query, or say that there are none."""
        try:
            self._page.cram(query)
        except LookupError:
            self._page.say(nothing, undoable=False)

    def _mark(self) -> Mark:
        return self._desk.marks.of(self._page.item.item_id) if self._page.item else Mark()

    def _do(self, change: Callable[[Sequence[str]], None], said: str) -> bool:
        """Change the marks of the card on show; it stays. Returns whether it could be done."""
        if self._page.item is None:
            return False
        done = False
        with self._page.reporting():
            change([self._page.item.item_id])
            done = True
        if done:
            self._page.refresh()
            self._page.say(said, undoable=True)
            self._page.answered.emit()
        return done

    def _set_aside(self, change: Callable[[Sequence[str]], None], said: str) -> None:
        """Take the card on show out of the queue, and go on with the next."""
        item = self._page.item
        if item is not None and self._do(change, said):
            self._page.leave(item.item_id)
            self._page.say(said, undoable=True)

    def _build_button(self) -> QPushButton:
        button = QPushButton("Card")
        button.setAccessibleName("What to do with this card")
        menu = QMenu(button)
        for action in (self.bury, self.suspend):
            menu.addAction(action)
        _submenu(menu, "Flag", self.flags)
        menu.addAction(self.forgive)
        menu.addSeparator()
        for action in (self.edit, self.info, self.fact):
            menu.addAction(action)
        menu.addSeparator()
        for action in (self._page.undo_action, self._page.redo_action, self._page.typing_action):
            menu.addAction(action)
        menu.addSeparator()
        _submenu(menu, "Cram a study", self._crams)
        _submenu(menu, "Review ahead", self._ahead)
        for action in (self.more, self.unbury, self.leave, self.browse):
            menu.addAction(action)
        button.setMenu(menu)
        return button


def _submenu(menu: QMenu, title: str, actions: Iterable[QAction]) -> None:
    submenu = menu.addMenu(title)
    for action in actions:
        submenu.addAction(action)


def _ahead_words(days: int) -> str:
    return "Ahead: due tomorrow" if days == 1 else f"Ahead: due within {days} days"
