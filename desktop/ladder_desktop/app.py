"""Builds everything once; the one place where the parts meet."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ladder_content.faults import PackError
from ladder_content.model import Card, Pack
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from ladder_desktop.actions import ActionRegistry, make_action
from ladder_desktop.dialogs import show_fault
from ladder_desktop.garbage import GarbageCollector
from ladder_desktop.pack_cache import load_pack_quickly
from ladder_desktop.page_maker import PageMaker
from ladder_desktop.palette.opening import PaletteOpener
from ladder_desktop.preferences import ZOOMS, Preferences
from ladder_desktop.progress_files import ProgressFiles
from ladder_desktop.study import Desk, Edit, OwnCard, StudyError, items_of, kin_of, with_own_cards
from ladder_desktop.study.backups import Backups
from ladder_desktop.study.overlay import reworded_pack
from ladder_desktop.targets import parse
from ladder_desktop.theme import Theme, ThemeError, apply
from ladder_desktop.theme_file import Themes, wanted_theme
from ladder_desktop.window import MainWindow

if TYPE_CHECKING:
    from ladder_desktop import exporting
    from ladder_desktop.search import Hit, SearchIndex

# How each kind of page is told what to show; it raises LookupError if it has no such thing.
SHOWS = {
    "study": "show_place",
    "ticket": "show_ticket",
    "card": "show_card",
    "drill": "cram",
    "live": "choose",
    "settings": "show_panel",
}
FIRST = "home"
LOOKS = ("theme", "zoom", "motion")
SETTLED_MS = 200  # from the first picture on; what nobody sees waits so long for what they do see


class Application(QObject):
    """The window with everything behind it. Owns the desk and the pack; closes the desk when the window closes."""

    settled = Signal()
    """The window has stood for a moment where the person was."""

    def __init__(self, data_dir: Path, pack: Pack, desk: Desk, theme: Theme) -> None:
        super().__init__()
        self.data_dir = data_dir
        self.desk = desk
        self.theme = theme
        self.themes = Themes(data_dir)
        self._garbage = GarbageCollector(self)
        self._closed = False
        self._search: SearchIndex | None = None
        self._searched: list[Edit] = []  # the own wording that the search knows
        self._take(pack)
        self.preferences = Preferences.open(data_dir)
        self.registry = ActionRegistry(self.preferences, self)
        self.files = ProgressFiles(self, self)
        self.palette = PaletteOpener(self.preferences, self.find, self.go, self)
        self._pages = PageMaker(self)
        self._redress = _once(self, self.dress)
        self._renewal = _once(self, self._bring_own_cards)
        self._settling = _once(self, self._settle)
        self._idling = _once(self, self._make_search_ready)
        actions = {"File": self.files.actions, "Go": [self.palette.action], "View": self._view_actions()}
        self.window = MainWindow(self._pages.entries(), actions, self.preferences, self.registry)
        self.palette.serve(self.window)
        self.window.page_shown.connect(self._page_shown)
        self.preferences.changed.connect(self._preference_changed)
        QApplication.styleHints().colorSchemeChanged.connect(self._platform_changed)

    # The beginning ----------------------------------------------------------------------------------------------

    def begin(self, place: str) -> None:
        """Show the window; what takes longer than the first page comes once it is on screen."""
        self._begin_at = place
        self.window.painted.connect(self._go_on, Qt.ConnectionType.QueuedConnection)
        page = parse(place).page
        if page == FIRST or not self.window.has_page(page):
            self.window.show_page(FIRST)
        else:
            self.window.rail.choose(page)
        self.window.show()

    def _go_on(self) -> None:
        """Go where the person was, unless they have gone somewhere already or away."""
        if self._closed:
            return
        if self.window.current in (None, FIRST):
            self.go(self._begin_at)
        self._settling.start(SETTLED_MS)

    def _settle(self) -> None:
        self._idling.start(SETTLED_MS)  # not both at once: neither shall be felt
        self.settled.emit()

    def _make_search_ready(self) -> None:
        self.search.prepare_in_background()

    @property
    def search(self) -> SearchIndex:
        """What finds places in the pack, its cards in the person's own words."""
        edits = self.desk.words.all_edits()
        if self._search is None or edits != self._searched:
            from ladder_desktop.search import SearchIndex

            self._stop_search()
            self._search, self._searched = SearchIndex.open(self.data_dir, self.pack_in_own_words()), edits
        return self._search

    def pack_in_own_words(self) -> Pack:
        """Return the pack with every card as the person has reworded it."""
        return reworded_pack(self.pack, self.desk.words.all_edits())

    def _stop_search(self) -> None:
        if self._search is not None:
            self._search.close()
            self._search = None

    # Places -----------------------------------------------------------------------------------------------------

    def go(self, target: str) -> None:
        """Lead to a target (see targets.py). One that there is not changes nothing and is told in the status line."""
        place = parse(target)
        if not self.window.has_page(place.page):
            self.window.say(f"There is no page {target} in this pack.")
            return
        self.window.show_page(place.page)
        if not place.rest:
            return
        show = getattr(self.window.page(place.page), SHOWS[place.kind], None)
        try:
            if show is None:
                raise LookupError(target)
            show(*place.arguments)
        except LookupError:
            nothing = "No card fits" if place.kind == "drill" else "There is nothing here called"
            self.window.say(f"{nothing} {place.rest}.")

    def open_asked(self, target: str, pack: str) -> None:
        """Do what a second start was asked to do, with the window in front."""
        self.window.come_to_front()
        try:
            if pack:
                self.open_pack(Path(pack))
        except (PackError, StudyError) as error:
            self.say_fault(str(error))
            return
        if target:
            self.go(target)

    def find(self, text: str, limit: int) -> list[Hit]:
        """Search the whole pack."""
        return self.search.find(text, limit)

    def open_pack(self, path: Path) -> None:
        """Read a pack somebody made and show it instead of the present one; PackError leaves all as it was."""
        pack = load_pack_quickly(path, self.data_dir)
        self._take(pack)
        self.window.set_entries(self._pages.entries())
        self.window.show_page(FIRST)

    def _take(self, pack: Pack) -> None:
        """Study this pack, with the person's own cards in it."""
        self._bare_pack, self._own_cards = pack, self.desk.own_cards.all()
        self.pack = with_own_cards(pack, self._own_cards)
        self.desk.register(items_of(self.pack), kin_of(self.pack))
        self._stop_search()

    def keep_card(self, study_id: str, card: Card) -> None:
        """Keep a card that was made in the lab, to be drilled; undone as everything else is. StudyError if it cannot be.

        A card of no study of this pack stands in the first.
        """
        if study_id not in {study.id for study in self.pack.studies}:
            study_id = self.pack.studies[0].id
        self.desk.own_cards.keep(OwnCard(f"{self._bare_pack.id}/{card.id}", study_id, card))
        self.refresh_counts()

    def _bring_own_cards(self) -> None:
        """Make the pages anew, for cards stand on many; the lab goes on with what it runs."""
        if not self._closed and self.desk.own_cards.all() != self._own_cards:
            self._take(self._bare_pack)
            self.window.renew(self._pages.entries())
            self.refresh_counts()

    # Progress ---------------------------------------------------------------------------------------------------

    def export(self, path: Path) -> exporting.Exported:
        """Write the progress to a file; its suffix says in which form. ExportError says why not."""
        from ladder_desktop import exporting

        return exporting.export(path, self.desk, self.pack)

    def show_progress(self) -> None:
        """Show what has changed for the whole of the progress."""
        self.window.show_page(FIRST)
        self.refresh_counts()

    def refresh_counts(self) -> None:
        """Say in the rail how much waits, and how much of each study is learned."""
        rail = self.window.rail
        for key, kind in (("drill", "card"), ("tickets", "ticket")):
            counts = self.desk.counts(kind)
            rail.show_due(key, counts.due + counts.learning + counts.new)
        for study in self.pack.studies:
            progress = self.desk.progress(study.id)
            rail.show_progress(f"study:{study.id}", progress.learned, progress.total, progress.due)
        if self.desk.own_cards.all() != self._own_cards:
            self._renewal.start(0)  # one was kept, or undone; not from within the signal of a page

    def _page_shown(self, _key: str) -> None:
        """Bring the rail up to date, and remember the place now: a window that is killed comes back to it."""
        self.refresh_counts()
        if self._search is not None:
            self.search.prepare_in_background()
        if self.window.place != self.preferences.place:
            self.preferences.place = self.window.place
            self.preferences.file.sync()

    def restore(self, path: Path) -> str:
        """Make the progress what a copy is, and show it. Returns a sentence; StudyError leaves all as it was."""
        backups = Backups(self.data_dir)
        aside = backups.restore(path, datetime.now())
        self.desk.close()
        self.desk = Desk.open(self.data_dir)
        self._take(self._bare_pack)
        self.window.set_entries(self._pages.entries())
        self.show_progress()
        sentence = f"Your progress is that of {path.name} again. What was there before is in {aside}."
        self.window.say(sentence)
        return sentence

    def note_introduced(self) -> None:
        """The first-run view was left; it does not come again."""
        self.preferences.introduced = True

    # Looks ------------------------------------------------------------------------------------------------------

    def dress(self) -> None:
        """Dress everything as the preferences say now, each page staying where it was."""
        qt = QApplication.instance()
        try:
            theme = wanted_theme(self.themes, self.preferences)
        except ThemeError as error:
            self.window.say(str(error))
            return
        if theme == self.theme or not isinstance(qt, QApplication):
            return
        self.theme = theme
        apply(qt, theme)
        self.window.renew(self._pages.entries())
        self.refresh_counts()

    def _preference_changed(self, name: str) -> None:
        if name in LOOKS:
            self._redress.start(
                0
            )  # the chooser that was used is made anew, too: not from within its own signal

    def _platform_changed(self, _scheme: Qt.ColorScheme) -> None:
        if self.preferences.theme == "system":
            self._redress.start(0)

    def _view_actions(self) -> list[QAction]:
        return [
            make_action(self, "window.zoom-in", "&Larger text", self._zoom_in, ["Ctrl++", "Ctrl+="]),
            make_action(self, "window.zoom-out", "&Smaller text", self._zoom_out, ["Ctrl+-"]),
            make_action(self, "window.zoom-reset", "&Usual size of text", self._zoom_reset, ["Ctrl+0"]),
        ]

    def _zoom_in(self) -> None:
        self.preferences.zoom = min((z for z in ZOOMS if z > self.preferences.zoom), default=ZOOMS[-1])

    def _zoom_out(self) -> None:
        self.preferences.zoom = max((z for z in ZOOMS if z < self.preferences.zoom), default=ZOOMS[0])

    def _zoom_reset(self) -> None:
        self.preferences.zoom = 100

    # The end ----------------------------------------------------------------------------------------------------

    def say_fault(self, sentence: str) -> None:
        """Open a dialog with one sentence."""
        show_fault(self.window, sentence)

    def close(self) -> None:
        """Close the window, stop what the pages run, and close the database."""
        if self._closed:
            return
        self._closed = True
        for timer in (self._redress, self._renewal, self._settling, self._idling):
            timer.stop()
        self.window.close()
        self.window.take_down()
        self.window.deleteLater()
        self._stop_search()
        self.desk.close()
        self._garbage.stop()


def _once(parent: QObject, slot: Callable[[], None]) -> QTimer:
    """Return a timer that runs out once when it is started."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.timeout.connect(slot)
    return timer
