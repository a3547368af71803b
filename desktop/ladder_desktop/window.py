"""The main window: a rail on the left, one page at a time on the right, and the menus.

Pages are built when they are first shown. What a page is made of is decided in app.py; the window knows only the
protocols of pages.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidgetItem, QMainWindow, QStackedWidget, QStyle, QWidget

from ladder_desktop.actions import ActionRegistry, is_in_sight, make_action
from ladder_desktop.pages import Entry, LastingPage, Page, PlacedPage, Running
from ladder_desktop.preferences import Preferences
from ladder_desktop.rail import Rail

SAID_MS = 8000
FOLD_BELOW = 1120  # a narrower window folds the rail
SMALLEST = QSize(640, 480)  # as small as it stays usable
MENUS = ("&File", "&Go", "&View", "&Page", "&Help")


class MainWindow(QMainWindow):
    """Navigation, menus and window state; it holds no rule of any page."""

    page_shown = Signal(str)
    closing = Signal()
    painted = Signal()
    """The window is on screen for the first time."""

    def __init__(
        self,
        entries: Sequence[Entry],
        actions: Mapping[str, Sequence[QAction]],
        preferences: Preferences,
        registry: ActionRegistry,
    ) -> None:
        """`actions` are those of the application, by the menu they stand in."""
        super().__init__()
        self.setWindowTitle("Runtime Ladder")
        self.setMinimumSize(SMALLEST)
        self._preferences = preferences
        self.registry = registry
        self._pages: dict[str, QWidget] = {}
        self._kept: dict[str, object] = {}
        self._entries: dict[str, Entry] = {}
        self._current: str | None = None
        self._was_painted = False
        self.rail = Rail()
        self.rail.currentRowChanged.connect(self._rail_moved)
        self.rail.itemClicked.connect(self._rail_entered)
        self.rail.itemActivated.connect(self._rail_entered)
        self._stack = QStackedWidget()
        self._stack.setMinimumWidth(1)
        centre = QWidget()
        layout = QHBoxLayout(centre)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.rail)
        layout.addWidget(self._stack, 1)
        self.setCentralWidget(centre)
        self._build_menus(actions)
        self.set_entries(entries)
        self._restore_size()

    # Pages ------------------------------------------------------------------------------------------------------

    def set_entries(self, entries: Sequence[Entry]) -> None:
        """Take down every page and offer these instead; none is shown yet."""
        self.take_down()
        self._entries = {entry.key: entry for entry in entries}
        self.rail.fill([(entry.key, entry.mark) for entry in entries])
        self._fill_go_menu()

    def renew(self, entries: Sequence[Entry]) -> None:
        """Make pages anew, on the same place, for what they show has changed: theme, size of text, cards.

        What a page has to last, such as a run, it hands over to the next.
        """
        current = self._current
        fresh = {key: page.hand_over() for key, page in self._pages.items() if isinstance(page, LastingPage)}
        kept, self._kept = self._kept | fresh, {}
        self._leave_current()
        self.set_entries(entries)
        self._kept = kept
        if current is not None:
            self.show_page(current)

    def take_down(self) -> None:
        """Part with every page that was built, and with what it runs."""
        self._leave_current()
        for running in (*self._pages.values(), *self._kept.values()):
            if isinstance(running, Running):
                running.shutdown()
        for page in self._pages.values():
            self._stack.removeWidget(page)
            page.deleteLater()
        self._pages.clear()
        self._kept.clear()

    def kept(self, key: str) -> object:
        """Return what the page before handed over and no page has taken over yet; None if there is nothing."""
        return self._kept.get(key)

    def page(self, key: str) -> QWidget:
        """Return the page with this key, built if it was not yet; KeyError if there is none."""
        if key not in self._pages:
            page = self._pages[key] = self._entries[key].build()
            self._stack.addWidget(page)
            if key in self._kept and isinstance(page, LastingPage):
                page.take_over(self._kept.pop(key))
            self.registry.take(cast(Page, page).page_actions())
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
            _first_focus(widget).setFocus(Qt.FocusReason.OtherFocusReason)
        self.rail.choose(key)
        self._fill_page_menu()
        self.page_shown.emit(key)

    def has_page(self, key: str) -> bool:
        """Whether the rail leads to a page with this key."""
        return key in self._entries

    def build_all(self) -> None:
        """Build a page of each kind, so that the registry knows all actions."""
        kinds: dict[str, str] = {}
        for key in self._entries:
            kinds.setdefault(key.partition(":")[0], key)
        focus = self.focusWidget()
        for key in kinds.values():
            self.page(key)
        if focus is not None:  # a page that is made may have asked for the keyboard
            focus.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def current(self) -> str | None:
        """The key of the page on screen."""
        return self._current

    @property
    def place(self) -> str:
        """The target of what is on screen."""
        page = self._pages.get(self._current or "")
        return page.place if isinstance(page, PlacedPage) else self._current or ""

    def all_actions(self) -> list[QAction]:
        """Every action that concerns a person now: the menus' own and those of the page on screen."""
        own = [action for menu in self._menus.values() for action in menu.actions() if action.objectName()]
        page = self._pages.get(self._current or "")
        return list(dict.fromkeys([*own, *(cast(Page, page).page_actions() if page else ())]))

    # What is said -----------------------------------------------------------------------------------------------

    def say(self, sentence: str) -> None:
        """Say something in the status line for a few seconds, and to a screen reader."""
        from ladder_desktop.review.announce import announce

        bar = self.statusBar()
        bar.messageChanged.connect(self._status_changed, Qt.ConnectionType.UniqueConnection)
        bar.showMessage(sentence, SAID_MS)
        announce(self, sentence)

    def show_shortcuts(self) -> None:
        """Open the sheet of all keys that concern a person now."""
        from ladder_desktop.shortcut_sheet import ShortcutSheet

        ShortcutSheet(self, self.all_actions()).open()

    def come_to_front(self) -> None:
        """Raise the window, out of the task bar if it is there."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def _status_changed(self, sentence: str) -> None:
        self.statusBar().setVisible(bool(sentence))

    # Inside -----------------------------------------------------------------------------------------------------

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
        self.show_page(self.rail.key_of(item))

    def _build_menus(self, actions: Mapping[str, Sequence[QAction]]) -> None:
        bar = self.menuBar()
        self._menus = {name.strip("&"): bar.addMenu(name) for name in MENUS}
        own = {
            "File": [make_action(self, "window.quit", "&Quit", self.close, ["Ctrl+Q"])],
            "Help": [
                make_action(self, "window.shortcuts", "&Keyboard shortcuts", self.show_shortcuts, ["F1", "?"])
            ],
        }
        for name, menu in self._menus.items():
            for group in (actions.get(name, ()), own.get(name, ())):
                if group and not menu.isEmpty():
                    menu.addSeparator()
                menu.addActions(list(group))
                self.registry.take(group)
        self._pages_begin = self._menus["Go"].addSeparator()
        self._menus["Page"].aboutToShow.connect(self._fill_page_menu)

    def _fill_go_menu(self) -> None:
        """Let the menu end with one action for each page."""
        menu = self._menus["Go"]
        for action in menu.actions()[menu.actions().index(self._pages_begin) + 1 :]:
            menu.removeAction(action)
            action.deleteLater()
        for entry in self._entries.values():
            action = make_action(
                self, f"go.{entry.key}", entry.label.replace("&", "&&"), self._go, entry.keys
            )
            action.setData(entry.key)
            menu.addAction(action)
            self.registry.take([action])

    def _go(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.show_page(str(action.data()))

    def _fill_page_menu(self) -> None:
        """Offer what can be done on the part of the page that is on screen."""
        menu = self._menus["Page"]
        menu.clear()
        if self._current is not None:
            actions = cast(Page, self._pages[self._current]).page_actions()
            self.registry.take(actions)
            menu.addActions([action for action in actions if is_in_sight(action)])
        menu.menuAction().setVisible(not menu.isEmpty())

    def _restore_size(self) -> None:
        size = self._preferences.size
        frame = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
        room = QGuiApplication.primaryScreen().availableSize() - QSize(0, frame)
        self.resize((size if size.isValid() else QSize(1280, 820)).boundedTo(room))
        position = self._preferences.position
        if position is not None and _on_a_screen(QRect(position, self.size())):
            self.move(position)
        if self._preferences.maximized:
            self.setWindowState(self.windowState() | Qt.WindowState.WindowMaximized)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the rail where there is little room."""
        super().resizeEvent(event)
        if (folded := event.size().width() < FOLD_BELOW) != self.rail.folded:
            self.rail.fold(folded)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Say when the window is there to be seen."""
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            self.painted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember size and place, and stop what the pages run."""
        self._preferences.maximized = self.isMaximized()
        if not self.isMaximized():
            self._preferences.size = self.size()
            self._preferences.position = self.pos()
        if self._current is not None:
            self._preferences.place = self.place
        self._leave_current()
        super().closeEvent(event)
        self.closing.emit()


def _on_a_screen(place: QRect) -> bool:
    """Whether the middle of the title can be reached: the screen on which a window was may be gone."""
    title = QPoint(place.center().x(), place.top() + 1)
    return any(screen.availableGeometry().contains(title) for screen in QGuiApplication.screens())


def _first_focus(page: QWidget) -> QWidget:
    """Return the first widget of a page that Tab would reach, or the page."""
    widget = page.nextInFocusChain()
    while widget is not None and widget is not page:
        reached = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and page.isAncestorOf(widget)
        if reached and widget.isVisibleTo(page) and widget.isEnabled():
            return widget
        widget = widget.nextInFocusChain()
    return page
