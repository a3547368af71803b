"""What the window and a page ask of each other. A page is a QWidget that keeps to `Page`, and to the rest if it wants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import msgspec
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from ladder_desktop.actions import Key
from ladder_desktop.rail import Mark


class Page(Protocol):
    """What the window asks of every page."""

    def activate(self) -> None:
        """The page is on screen now."""

    def deactivate(self) -> None:
        """The page left the screen: stop timers."""

    def page_actions(self) -> list[QAction]:
        """The page's own actions, for the menu, the palette and the shortcut sheet."""


@runtime_checkable
class Running(Protocol):
    """A page that runs something beside the window, or what such a page has handed over."""

    def shutdown(self) -> None:
        """It is not shown again: leave no thread and no process behind."""


@runtime_checkable
class PlacedPage(Protocol):
    """A page on which a person can be at different places."""

    @property
    def place(self) -> str:
        """The target of what is on screen, for the next start."""


@runtime_checkable
class LastingPage(Protocol):
    """A page that is made anew when the theme, the size of text or the cards change, and goes on where it was."""

    def hand_over(self) -> object:
        """Return what the next page of this kind needs to go on; what runs is handed over, too, not stopped."""

    def take_over(self, kept: object) -> None:
        """Go on with what the page before this one handed over."""


class Entry(msgspec.Struct, frozen=True):
    """One page of the window. `key` names it for `MainWindow.show_page`; `keys` lead there from anywhere."""

    key: str
    label: str
    build: Callable[[], QWidget]
    mark: Mark
    keys: tuple[Key, ...] = ()
