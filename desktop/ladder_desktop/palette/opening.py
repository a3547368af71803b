"""Opens the palette over a window, and does what was chosen: an action, or a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from ladder_desktop.actions import keys_text, make_action, name_of, why_not
from ladder_desktop.preferences import RECENT, Preferences
from ladder_desktop.window import MainWindow

if TYPE_CHECKING:
    from ladder_desktop.palette.lines import Line
    from ladder_desktop.search import Hit


class PaletteOpener(QObject):
    """Owns the action of Ctrl+K and `/`."""

    def __init__(
        self,
        preferences: Preferences,
        find: Callable[[str, int], Iterable[Hit]],
        go: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._preferences, self._find, self._go = preferences, find, go
        self._window: MainWindow | None = None
        self.action = make_action(self, "window.palette", "&Find or do anything…", self.open, ["Ctrl+K", "/"])

    def serve(self, window: MainWindow) -> None:
        """Open over this window from now on."""
        self._window = window

    def open(self) -> None:
        """Open the palette with what can be done and where one can go at this moment."""
        if self._window is None:
            return
        from ladder_desktop.palette.lines import recalled
        from ladder_desktop.palette.palette import Palette

        actions = [action for action in self._window.all_actions() if action is not self.action]
        recent = [recalled(one) for one in self._preferences.recent]
        palette = Palette(self._window, lines_of(actions), recent, self._find)
        palette.chosen.connect(self._do)
        palette.finished.connect(self._window.activateWindow)
        palette.open()
        palette.line.setFocus()

    def _do(self, line: Line) -> None:
        from ladder_desktop.palette.lines import remembered

        self._preferences.recent = remembered(line, self._preferences.recent, RECENT)
        if self._window is None:
            return
        try:
            action = self._window.registry.find(line.choice)
        except KeyError:
            self._go(line.choice)
            return
        if reason := why_not(action):
            self._window.say(f"{name_of(action)}: {reason}")
        action.trigger()


def lines_of(actions: Sequence[QAction]) -> list[Line]:
    """Return pages and actions as lines; those of the page on screen come first."""
    local = [action for action in actions if not action.objectName().startswith(("window.", "go."))]
    pages = [action for action in actions if action.objectName().startswith("go.")]
    rest = [action for action in actions if action.objectName().startswith("window.")]
    return [_line(action) for action in (*local, *pages, *rest)]


def _line(action: QAction) -> Line:
    from ladder_desktop.palette.lines import Line

    is_page = action.objectName().startswith("go.")
    return Line(
        "page" if is_page else "action",
        name_of(action),
        action.objectName(),
        keys=keys_text(action),
        why_not=why_not(action),
    )
