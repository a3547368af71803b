"""The main window: a rail on the left, one page at a time on the right, and the menus.

Pages are built when they are first shown. What a page is made of is decided in app.py; the window knows only the
protocol below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QStyle,
    QWidget,
)

from ladder_desktop.actions import ActionRegistry, Key, is_in_sight, make_action
from ladder_desktop.dialogs import ShortcutSheet
from ladder_desktop.preferences import Preferences
from ladder_desktop.review.announce import announce

SAID_MS = 8000
RAIL_WIDTH = 236
ROW_HEIGHT = 38


class Page(Protocol):
    """What the window asks of a page, which is also a QWidget."""

    def activate(self) -> None:
        """The page is on screen now."""

    def deactivate(self) -> None:
        """The page left the screen: stop timers."""

    def page_actions(self) -> list[QAction]:
        """The page's own actions, for the menu and the shortcut sheet."""


@runtime_checkable
class RunningPage(Protocol):
    """A page that runs something beside the window."""

    def shutdown(self) -> None:
        """The page is not shown again: leave no thread and no process behind."""


@dataclass(frozen=True)
class Entry:
    """One line of the rail. `key` names the page for `MainWindow.show_page`; `keys` lead there from anywhere."""

    key: str
    label: str
    build: Callable[[], QWidget]
    keys: tuple[Key, ...] = ()


class MainWindow(QMainWindow):
    """Navigation, menus and window state; it holds no rule of any page."""

    page_shown = Signal(str)

    def __init__(
        self,
        entries: Sequence[Entry],
        file_actions: Sequence[QAction],
        preferences: Preferences,
        registry: ActionRegistry,
    ) -> None:
        super().__init__()
        self.setWindowTitle("Runtime Ladder")
        self._preferences = preferences
        self.registry = registry
        self._pages: dict[str, QWidget] = {}
        self._entries: dict[str, Entry] = {}
        self._current: str | None = None
        self.rail = QListWidget()
        self.rail.setObjectName("rail")
        self.rail.setAccessibleName("Pages")
        self.rail.setFixedWidth(RAIL_WIDTH)
        self.rail.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.rail.currentRowChanged.connect(self._rail_moved)
        self.rail.itemClicked.connect(self._rail_entered)
        self.rail.itemActivated.connect(self._rail_entered)
        self._stack = QStackedWidget()
        centre = QWidget()
        layout = QHBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.rail)
        layout.addWidget(self._stack, 1)
        self.setCentralWidget(centre)
        self.statusBar().hide()
        self.statusBar().messageChanged.connect(self._status_changed)
        self._build_menus(file_actions)
        self.set_entries(entries)
        self._restore_size()

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Take down every page and offer these instead; shows the first one."""
        self.take_down()
        self._entries = {entry.key: entry for entry in entries}
        self.rail.blockSignals(True)
        self.rail.clear()
        for entry in entries:
            item = QListWidgetItem(entry.label)
            item.setData(Qt.ItemDataRole.UserRole, entry.key)
            item.setToolTip(entry.label)
            item.setSizeHint(QSize(0, ROW_HEIGHT))
            self.rail.addItem(item)
        self.rail.blockSignals(False)
        self._fill_go_menu()
        self.show_page(entries[0].key)

    def take_down(self) -> None:
        """Part with every page that was built, and with what it runs."""
        self._leave_current()
        for page in self._pages.values():
            if isinstance(page, RunningPage):
                page.shutdown()
            self._stack.removeWidget(page)
            page.deleteLater()
        self._pages.clear()

    def page(self, key: str) -> QWidget:
        """Return the page with this key, built if it was not yet; KeyError if there is none."""
        if key not in self._pages:
            self._pages[key] = self._entries[key].build()
            self._stack.addWidget(self._pages[key])
            self.registry.take(cast(Page, self._pages[key]).page_actions())
        return self._pages[key]

    def show_page(self, key: str) -> None:
        """Bring a page to the front."""
        widget = self.page(key)
        if key == self._current:
            cast(Page, widget).activate()
            return
        self._leave_current()
        self._current = key
        self._stack.setCurrentWidget(widget)
        cast(Page, widget).activate()
        if not self._focus_is_in(widget):
            widget.setFocus(Qt.FocusReason.OtherFocusReason)
        self.rail.blockSignals(True)
        self.rail.setCurrentRow(list(self._entries).index(key))
        self.rail.blockSignals(False)
        self._fill_page_menu()
        self.page_shown.emit(key)

    def has_page(self, key: str) -> bool:
        """Whether the rail leads to a page with this key."""
        return key in self._entries

    def build_all(self) -> None:
        """Build every page, so that the registry knows all actions."""
        for key in self._entries:
            self.page(key)

    @property
    def current(self) -> str | None:
        """The key of the page on screen."""
        return self._current

    def say(self, sentence: str) -> None:
        """Say something in the status line for a few seconds, and to a screen reader."""
        self.statusBar().showMessage(sentence, SAID_MS)
        announce(self, sentence)

    def _status_changed(self, sentence: str) -> None:
        self.statusBar().setVisible(bool(sentence))

    def set_label(self, key: str, label: str) -> None:
        """Change the text of a rail entry, for example to say how many cards are due."""
        self.rail.item(list(self._entries).index(key)).setText(label)

    def all_actions(self) -> list[QAction]:
        """Every action that concerns a person now: the menus' own and those of the page on screen."""
        own = [action for menu in self._menus for action in menu.actions() if action.objectName()]
        page = self._pages.get(self._current or "")
        return list(dict.fromkeys([*own, *(cast(Page, page).page_actions() if page else ())]))

    def _leave_current(self) -> None:
        if self._current is not None:
            cast(Page, self._pages[self._current]).deactivate()
            self._current = None

    def _focus_is_in(self, page: QWidget) -> bool:
        focus = self.focusWidget()
        return focus is not None and page.isAncestorOf(focus)

    def _rail_moved(self, row: int) -> None:
        """Show the page beside the rail; the arrow keys go on to move in the rail."""
        if row >= 0:
            in_rail = self.rail.hasFocus()
            self._rail_entered(self.rail.item(row))
            if in_rail:
                self.rail.setFocus(Qt.FocusReason.OtherFocusReason)

    def _rail_entered(self, item: QListWidgetItem) -> None:
        """A click or Enter goes into the page."""
        self.show_page(str(item.data(Qt.ItemDataRole.UserRole)))

    def _build_menus(self, file_actions: Sequence[QAction]) -> None:
        bar = self.menuBar()
        file_menu, self._go_menu, self._page_menu, help_menu = (
            bar.addMenu(name) for name in ("&File", "&Go", "&Page", "&Help")
        )
        self._menus: list[QMenu] = [file_menu, self._go_menu, self._page_menu, help_menu]
        leave = make_action(self, "window.quit", "&Quit", self.close, ["Ctrl+Q"])
        sheet = make_action(self, "window.shortcuts", "&Keyboard shortcuts", self.show_shortcuts, ["F1", "?"])
        file_menu.addActions(list(file_actions))
        file_menu.addSeparator()
        file_menu.addAction(leave)
        help_menu.addAction(sheet)
        self.registry.take([*file_actions, leave, sheet])
        self._page_menu.aboutToShow.connect(self._fill_page_menu)

    def show_shortcuts(self) -> None:
        """Open the sheet of all keys."""
        ShortcutSheet(self, self.all_actions()).open()

    def _fill_go_menu(self) -> None:
        for action in self._go_menu.actions():
            action.deleteLater()
        self._go_menu.clear()
        for entry in self._entries.values():
            action = make_action(
                self, f"go.{entry.key}", entry.label.replace("&", "&&"), self._go, entry.keys
            )
            action.setData(entry.key)
            self._go_menu.addAction(action)
        self.registry.take(self._go_menu.actions())

    def _go(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.show_page(str(action.data()))

    def _fill_page_menu(self) -> None:
        """Offer what can be done on the part of the page that is on screen."""
        self._page_menu.clear()
        if self._current is not None:
            actions = cast(Page, self._pages[self._current]).page_actions()
            self.registry.take(actions)
            self._page_menu.addActions([action for action in actions if is_in_sight(action)])
        self._page_menu.menuAction().setVisible(not self._page_menu.isEmpty())

    def _restore_size(self) -> None:
        size = self._preferences.size
        frame = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
        room = QGuiApplication.primaryScreen().availableSize() - QSize(0, frame)
        self.resize((size if size.isValid() else QSize(1280, 820)).boundedTo(room))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the size and stop what the pages run."""
        self._preferences.size = self.size()
        self._leave_current()
        super().closeEvent(event)
