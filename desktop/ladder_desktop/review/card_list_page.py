"""All cards of the pack: filter them, and suspend, bury, flag, edit or cram those selected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from ladder_content.model import Pack
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.actions import explain, make_action
from ladder_desktop.chooser import Chooser
from ladder_desktop.lessons.cloze_html import blanked
from ladder_desktop.review.announce import announce
from ladder_desktop.review.card_editor import CardEditor
from ladder_desktop.review.card_history import CardHistory
from ladder_desktop.review.card_table import CardTable
from ladder_desktop.review.notice import Notice
from ladder_desktop.review.style import style_sheet
from ladder_desktop.study import FLAGS, Clock, Desk, StudyError, SystemClock
from ladder_desktop.study.catalogue import STATES, Entry, catalogue, parse_query
from ladder_desktop.theme import Theme

PAUSE_MS = 120  # typing goes on before the list is filtered
HINT = "Words, or tag:decode  is:due  flag:1  ahead:7  -is:new"


class CardListPage(QWidget):
    """The card browser. `go` asks for another page; `answered` says that the queue may have changed.

    `crammed` carries the ids of the cards that shall be gone through, and what they are called.
    """

    title = "Cards"
    key = "cards"
    go = Signal(str)
    answered = Signal()
    crammed = Signal(list, str)

    def __init__(self, desk: Desk, pack: Pack, theme: Theme, clock: Clock | None = None) -> None:
        super().__init__()
        self.desk, self.pack, self.theme = desk, pack, theme
        self.clock = clock or SystemClock()
        self._entries: list[Entry] = []
        self._originals = {f"{pack.id}/{card.id}": card for study in pack.studies for card in study.cards}
        self.setObjectName("review")
        self.setStyleSheet(style_sheet(theme))
        self.setAccessibleName(self.title)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(HINT)
        self.filter.setAccessibleName("Filter the cards")
        self.filter.setClearButtonEnabled(True)
        self.studies = _choice("Study", "All studies", [(study.title, study.id) for study in pack.studies])
        self.tags = _choice("Tag", "All tags", [(tag, tag) for tag in _tags(pack)])
        self.states = _choice("State", "Any state", [(state, state) for state in STATES])
        self.table = CardTable(theme)
        self.count = QLabel()
        self.count.setProperty("role", "muted")
        self.notice = Notice()
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._make_actions()
        self._lay_out()
        self._pause.timeout.connect(self.refilter)
        self.filter.textChanged.connect(self._pause.start)
        for choice in (self.studies, self.tags, self.states):
            choice.currentIndexChanged.connect(self.refilter)
        self.table.opened.connect(self.open_card)
        self.table.selectionModel().selectionChanged.connect(self._select)

    # What the window calls

    def activate(self) -> None:
        """Read the cards anew; called when the page is shown."""
        self.reload()
        self.filter.setFocus()

    def deactivate(self) -> None:
        """Stop the timer; called when another page is shown."""
        self._pause.stop()

    def page_actions(self) -> list[QAction]:
        """Return the actions of the page."""
        return self.actions()

    # What a person does

    @property
    def query(self) -> str:
        """What the fields ask for, in the language of the catalogue."""
        terms = [self.filter.text().strip()]
        for field, choice in (("study", self.studies), ("tag", self.tags), ("is", self.states)):
            if choice.currentData():
                terms.append(f'"{field}:{choice.currentData()}"')
        return " ".join(term for term in terms if term)

    def reload(self) -> None:
        """Read all cards from the desk, and show those that fit."""
        with_fault = self._try(self._read)
        if not with_fault:
            self.refilter()

    def refilter(self) -> None:
        """Show the cards that fit; what was selected stays selected where it is still shown."""
        kept = {entry.item_id for entry in self.table.chosen()}
        try:
            fits = parse_query(self.query)
        except StudyError as error:
            self.count.setText(str(error))
            return
        shown = [entry for entry in self._entries if fits(entry)]
        self.table.cards.show_entries(shown, self.clock.now(), self.clock.zone())
        self._reselect(kept)
        self._select()

    def open_card(self) -> None:
        """Show the first selected card in the drill."""
        if chosen := self.table.chosen():
            self.go.emit(f"card:{chosen[0].card.id}")

    def cram(self) -> None:
        """Go through the selected cards, or through all that are shown."""
        chosen = self.table.chosen() or self.table.cards.entries
        if chosen:
            self.crammed.emit([entry.item_id for entry in chosen], self.query or "all cards")

    def suspend(self) -> None:
        """Suspend the selected cards, or take them back if all of them are suspended."""
        chosen = self.table.chosen()
        back = all(entry.state.mark.suspended for entry in chosen)
        self._change(self.desk.marks.unsuspend if back else self.desk.marks.suspend)

    def bury(self) -> None:
        """Set the selected cards aside until tomorrow, or take them back if all of them are buried."""
        back = all(entry.buried for entry in self.table.chosen())
        self._change(self.desk.marks.unbury if back else self.desk.marks.bury)

    def forgive(self) -> None:
        """Take the name of leech from the selected cards."""
        self._change(self.desk.marks.forgive)

    def drop(self) -> None:
        """Delete the selected cards, all of which the person has made."""
        self._change(self.desk.own_cards.drop)

    def edit_card(self) -> None:
        """Edit the first selected card, or write a note on it."""
        if chosen := self.table.chosen():
            item_id = chosen[0].item_id
            editor = CardEditor(self.desk, item_id, self._originals[item_id], self)
            editor.accepted.connect(self._changed)
            self._open(editor)

    def show_history(self) -> None:
        """Show the reviews and the memory curve of the first selected card."""
        if chosen := self.table.chosen():
            title = blanked(chosen[0].card)
            self._open(CardHistory(self.desk, chosen[0].item_id, title, self.clock, self.theme, self))

    def undo(self) -> None:
        """Take back the last thing done."""
        self._turn(self.desk.undo)

    def redo(self) -> None:
        """Do again what was undone last."""
        self._turn(self.desk.redo)

    # Inside

    def _flag(self) -> None:
        number = self.flags.index(self.sender())  # type: ignore[arg-type]
        chosen = self.table.chosen()
        new = 0 if all(entry.state.mark.flag == number for entry in chosen) else number

        def flag(item_ids: Sequence[str]) -> None:
            self.desk.marks.flag(item_ids, new)

        self._change(flag)

    def _change(self, change: Callable[[Sequence[str]], None]) -> None:
        item_ids = [entry.item_id for entry in self.table.chosen()]
        if item_ids and not self._try(lambda: change(item_ids)):
            self._changed()

    def _changed(self) -> None:
        self.reload()
        self.answered.emit()

    def _turn(self, turn: Callable[[], str | None]) -> None:
        said: list[str | None] = []
        if not self._try(lambda: said.append(turn())) and said[0]:
            self._changed()
            self.count.setText(said[0])
            announce(self, said[0])

    def _try(self, do: Callable[[], object]) -> str:
        """Do something with the desk; return the sentence of its fault, which is shown."""
        self.notice.hide()
        try:
            do()
        except StudyError as error:
            self.notice.say(str(error))
            announce(self, str(error))
            return str(error)
        return ""

    def _read(self) -> None:
        self._entries = catalogue(self.desk, self.pack, self.clock.now(), self.clock.zone())

    def _reselect(self, item_ids: set[str]) -> None:
        model, selection = self.table.cards, QItemSelection()
        for row, entry in enumerate(model.entries):
            if entry.item_id in item_ids:
                selection.select(model.index(row, 0), model.index(row, model.columnCount() - 1))
        self.table.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _select(self) -> None:
        """Say how many cards there are and are selected, and what can be done with them."""
        chosen, shown = self.table.chosen(), len(self.table.cards.entries)
        words = "1 card" if shown == 1 else f"{shown} cards"
        self.count.setText(f"{words}, {len(chosen)} selected" if chosen else words)
        for action in self._on_selection:
            explain(action, "" if chosen else "Select a card first.")
        foreign = (
            "" if all(entry.own for entry in chosen) else "Only cards that you have made can be deleted."
        )
        explain(self.drop_action, foreign if chosen else "Select a card first.")
        explain(self.cram_action, "" if shown else "No card fits the filter.")
        suspended = bool(chosen) and all(entry.state.mark.suspended for entry in chosen)
        buried = bool(chosen) and all(entry.buried for entry in chosen)
        self.suspend_action.setText("Unsuspend" if suspended else "Suspend")
        self.bury_action.setText("Take back" if buried else "Bury")
        self.suspend_button.setText(self.suspend_action.text())
        self.bury_button.setText(self.bury_action.text())
        for button, action in self._buttons.items():
            button.setEnabled(action.isEnabled())
        self.flag_button.setEnabled(bool(chosen))
        for action, label in (
            (self.undo_action, self.desk.undo_label()),
            (self.redo_action, self.desk.redo_label()),
        ):
            verb = action.objectName().rpartition(".")[2].capitalize()
            action.setText(f"{verb} {label}" if label else verb)
            explain(action, "" if label else f"There is nothing to {verb.lower()}.")

    def _open(self, dialog: QDialog) -> None:
        self.dialog = dialog
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _make_actions(self) -> None:
        def make(verb: str, text: str, slot: Callable[[], None], *keys: str) -> QAction:
            return make_action(self, f"{self.key}.{verb}", text, slot, keys, repeats=False)

        self.open_action = make("open", "Open in the drill", self.open_card, "Ctrl+Return")
        self.cram_action = make("cram", "Cram these", self.cram, "Ctrl+Shift+Return")
        self.suspend_action = make("suspend", "Suspend", self.suspend, "@", "!")
        self.bury_action = make("bury", "Bury", self.bury, "-")
        self.flags = [
            make("no-flag", "No flag", self._flag),
            *(
                make(f"flag-{name}", f"Flag {name}", self._flag, f"Ctrl+{number}")
                for number, name in enumerate(FLAGS[1:], start=1)
            ),
        ]
        self.forgive_action = make("not-a-leech", "Not a leech", self.forgive)
        self.edit_action = make("edit", "Edit or note…", self.edit_card, "E")
        self.drop_action = make("delete", "Delete own cards", self.drop, "Del")
        self.history_action = make("history", "History and memory…", self.show_history, "I")
        self.undo_action = make("undo", "Undo", self.undo, "Ctrl+Z")
        self.redo_action = make("redo", "Redo", self.redo, "Ctrl+Shift+Z")
        self._on_selection = [
            *(self.open_action, self.suspend_action, self.bury_action, *self.flags),
            *(self.forgive_action, self.edit_action, self.history_action),
        ]

    def _lay_out(self) -> None:
        title = QLabel(self.title)
        title.setProperty("role", "title")
        head = QHBoxLayout()
        head.addWidget(title)
        head.addStretch()
        head.addWidget(self.count)
        filters = QHBoxLayout()
        filters.setSpacing(8)
        filters.addWidget(self.filter, 1)
        for choice in (self.studies, self.tags, self.states):
            filters.addWidget(choice)
        self._buttons: dict[QPushButton, QAction] = {}
        row = QHBoxLayout()
        row.setSpacing(8)
        actions = (self.open_action, self.cram_action, self.suspend_action, self.bury_action)
        buttons = [self._button(action) for action in actions]
        buttons[0].setText("Open")
        buttons[1].setText("Cram")
        self.suspend_button, self.bury_button = buttons[2:]
        self.flag_button = QPushButton("Flag")
        self.flag_button.setAccessibleName("Flag the selected cards")
        menu = QMenu(self.flag_button)
        for action in (*self.flags[1:], self.flags[0], self.forgive_action):
            menu.addAction(action)
        self.flag_button.setMenu(menu)
        more = [self._button(action) for action in (self.edit_action, self.history_action)]
        more[0].setText("Edit…")
        more[1].setText("History…")
        for widget in (*buttons, self.flag_button, *more):
            row.addWidget(widget)
        row.addStretch()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(32, 22, 32, 18)
        rows.setSpacing(12)
        rows.addLayout(head)
        rows.addWidget(self.notice)
        rows.addLayout(filters)
        rows.addWidget(self.table, 1)
        rows.addLayout(row)

    def _button(self, action: QAction) -> QPushButton:
        button = QPushButton(action.text())
        button.setAccessibleName(action.text())
        button.setToolTip(", ".join(keys.toString() for keys in action.shortcuts()))
        button.clicked.connect(action.trigger)
        self._buttons[button] = action
        return button


def _choice(name: str, everything: str, choices: list[tuple[str, str]]) -> Chooser:
    box = Chooser()
    box.setAccessibleName(name)
    box.setMaximumWidth(190)
    box.addItem(everything, "")
    for text, value in choices:
        box.addItem(text, value)
    return box


def _tags(pack: Pack) -> list[str]:
    return sorted(set(chain.from_iterable(card.tags for study in pack.studies for card in study.cards)))
