"""The settings: one tab for each panel, built when it is first seen. Every choice counts at once; nothing is to be saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from ladder_desktop.actions import make_action
from ladder_desktop.pages import Running

WIDEST = 820


@dataclass(frozen=True)
class Panel:
    """One tab of the settings. `key` names it in targets: `settings:<key>`."""

    key: str
    title: str
    build: Callable[[], QWidget]


class SettingsPage(QWidget):
    """Shows panels that others make."""

    title = "Settings"

    def __init__(self, panels: Sequence[Panel]) -> None:
        super().__init__()
        self._panels = list(panels)
        self._focus: QWidget | None = None
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName("Settings")
        self.tabs.tabBar().setAccessibleName("Parts of the settings")
        self._built: dict[str, QWidget] = {}
        self._rooms: list[QVBoxLayout] = []
        for panel in self._panels:
            holder = QWidget()
            room = QVBoxLayout(holder)
            room.setContentsMargins(0, 0, 0, 0)
            self._rooms.append(room)
            self.tabs.addTab(holder, panel.title.replace("&", "&&"))
        self.tabs.currentChanged.connect(self._build)
        heading = QLabel(self.title)
        heading.setProperty("role", "title")
        heading.setContentsMargins(28, 20, 28, 6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(heading)
        layout.addWidget(self.tabs, 1)
        self._actions = [
            make_action(self, "settings.next", "Next part of the settings", self._next, ["Ctrl+PgDown"]),
            make_action(self, "settings.previous", "Previous part", self._previous, ["Ctrl+PgUp"]),
        ]
        self._build(0)

    def activate(self) -> None:
        """Give the keyboard to the tabs."""
        (self._focus or self.tabs.tabBar()).setFocus(Qt.FocusReason.OtherFocusReason)
        self._focus = None

    def deactivate(self) -> None:
        """Nothing runs here."""

    def shutdown(self) -> None:
        """End what a panel runs."""
        for panel in self._built.values():
            if isinstance(panel, Running):
                panel.shutdown()

    def page_actions(self) -> list[QAction]:
        """Return the two that turn the tabs."""
        return list(self._actions)

    def show_panel(self, key: str) -> None:
        """Show one panel; LookupError if there is none of this key."""
        keys = [panel.key for panel in self._panels]
        if key not in keys:
            raise LookupError(key)
        self.tabs.setCurrentIndex(keys.index(key))

    @property
    def place(self) -> str:
        """The target of what is on screen."""
        return f"settings:{self._panels[self.tabs.currentIndex()].key}"

    def panel(self, key: str) -> QWidget:
        """Return a panel, built if it was not yet."""
        self.show_panel(key)
        return self._built[key]

    def hand_over(self) -> object:
        """Return which panel is on screen, and which of its widgets has the keyboard."""
        focus = self.focusWidget()
        return self.place.partition(":")[2], focus.accessibleName() if focus else ""

    def take_over(self, kept: object) -> None:
        """Show the same panel, with the keyboard in the same widget."""
        if not isinstance(kept, tuple):
            return
        key, name = kept
        self.show_panel(key)
        for widget in self.panel(key).findChildren(QWidget):
            if name and widget.accessibleName() == name:
                self._focus = widget

    def _build(self, place: int) -> None:
        panel = self._panels[place]
        if panel.key not in self._built:
            self._built[panel.key] = panel.build()
            self._rooms[place].addWidget(_scrolling(self._built[panel.key]))

    def _next(self) -> None:
        self._turn(1)

    def _previous(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + by) % self.tabs.count())


def _scrolling(panel: QWidget) -> QScrollArea:
    panel.setMaximumWidth(WIDEST)
    middle = QWidget()
    across = QHBoxLayout(middle)  # a column would ask for the height of a panel as wide as the page
    across.setContentsMargins(28, 14, 28, 20)
    across.addWidget(panel, 1000)
    across.addStretch(1)
    scroll = QScrollArea()
    scroll.setObjectName("plain")
    scroll.setWidget(middle)
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return scroll
