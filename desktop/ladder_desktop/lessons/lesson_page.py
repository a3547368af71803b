"""The page of one study: its number and summary, and under them the tabs Gist, Maps, Q&A and Sandbox.

The page is where links end: a fact opens its card, a map its tab, and a web address the browser, each only when a
person follows it. Text is rendered, maps are laid out and programs are opened when their tab is first seen; opening
the window waits for none of it.
"""

from __future__ import annotations

from collections.abc import Callable

from ladder_content.model import Pack, Study
from PySide6.QtCore import QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTabWidget, QVBoxLayout, QWidget

from ladder_desktop.actions import make_action
from ladder_desktop.lessons.fact_card import FactCard
from ladder_desktop.lessons.find_bar import FindBar
from ladder_desktop.lessons.gist import Gist
from ladder_desktop.lessons.maps import MapsView
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.memory import Memory, ShortMemory
from ladder_desktop.lessons.questions import QuestionsView
from ladder_desktop.lessons.read_aloud import ReadAloud
from ladder_desktop.lessons.reader import Reader
from ladder_desktop.lessons.sandbox_view import SandboxView
from ladder_desktop.lessons.style import widget_sheet
from ladder_desktop.theme import Theme
from ladder_desktop.voice.reading import Reading, VoiceChoice


class LessonPage(QWidget):
    """Shows a study of a pack. `go` asks the window for another page: "live:<scenario id>".

    Call `shutdown` before the page goes: a program of its sandbox may be running. `memory` keeps the tab, and on each
    tab the place where a person was; `voice` says who reads aloud, and how fast.
    """

    title = "Lesson"
    go = Signal(str)

    def __init__(
        self,
        pack: Pack,
        study: Study,
        theme: Theme,
        memory: Memory | None = None,
        voice: VoiceChoice | None = None,
    ) -> None:
        super().__init__()
        self._memory = memory or ShortMemory()
        self._remembered_as = f"lesson/{pack.id}.{study.id}"
        self._fact_ids = {fact.id for fact in pack.facts}
        markdown = Markdown(theme, self._fact_ids)
        self._study = study
        self.gist = Gist(study, markdown, theme)
        self.maps = MapsView(study, markdown, theme)
        self.questions = QuestionsView(study, markdown, theme)
        self.sandbox = SandboxView(study, markdown, theme) if study.snippets else None
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName("Parts of the lesson")
        self.tabs.tabBar().setAccessibleName("Parts of the lesson")
        self._actions = [
            self._add_tab(self.gist, "lesson.gist", "Gist", "Ctrl+1", self.show_gist),
            self._add_tab(self.maps, "lesson.maps", "Maps", "Ctrl+2", self.show_maps),
            self._add_tab(self.questions, "lesson.questions", "Q&&A", "Ctrl+3", self.show_questions),
        ]
        if self.sandbox is not None:
            self._actions.append(
                self._add_tab(self.sandbox, "lesson.sandbox", "Sandbox", "Ctrl+4", self.show_sandbox)
            )
        self._parts: dict[str, Gist | MapsView | QuestionsView | SandboxView] = {
            "gist": self.gist,
            "maps": self.maps,
            "qa": self.questions,
        }
        if self.sandbox is not None:
            self._parts["sandbox"] = self.sandbox
        self.find_bar = FindBar()
        self._find_actions = self._make_find_actions()
        self._reading = Reading(voice, parent=self)
        self.read_aloud = ReadAloud(self, self._reading, self._to_read)
        self._lay_out()
        self._return()
        self.tabs.currentChanged.connect(self._search_here)
        self.fact_card = FactCard(pack, markdown, theme, self)
        self.fact_card.link_activated.connect(self.follow)
        self.tabs.currentChanged.connect(self.fact_card.dismiss)
        self.tabs.currentChanged.connect(self.read_aloud.stop)
        self.setStyleSheet(widget_sheet(theme))  # last, so that each widget is dressed once

    @property
    def study(self) -> Study:
        """The study on this page."""
        return self._study

    def activate(self) -> None:
        """Give the keyboard to what is shown."""
        self.tabs.currentWidget().setFocus(Qt.FocusReason.OtherFocusReason)

    def deactivate(self) -> None:
        """Put away what lies over the page, and remember where the reading stands."""
        self.fact_card.dismiss()
        self.read_aloud.stop()
        for name, part in self._parts.items():
            if part is self.tabs.currentWidget():
                self._memory.remember(f"{self._remembered_as}/tab", name)
            if part.place:
                self._memory.remember(f"{self._remembered_as}/{name}", part.place)

    def shutdown(self) -> None:
        """End what runs, and the process it runs in; the page may be shown no more."""
        self._reading.close()
        if self.sandbox is not None:
            self.sandbox.shutdown()

    def hand_over(self) -> object:
        """Return what memory does not keep from day to day: the answer on show, and the programs as they stand."""
        return self.questions.revealed, self.sandbox.work if self.sandbox is not None else None

    def take_over(self, kept: object) -> None:
        """Show the same answer and the same programs."""
        if not isinstance(kept, tuple):
            return
        revealed, work = kept
        if revealed:
            self.questions.toggle_answer()
        if self.sandbox is not None:
            self.sandbox.work = work

    def page_actions(self) -> list[QAction]:
        """Return what can be done here, with names and keys."""
        programs = self.sandbox.page_actions() if self.sandbox else []
        return [
            *self._actions,
            *self._find_actions,
            *self.read_aloud.page_actions(),
            *self.maps.actions(),
            *self.questions.actions(),
            *programs,
        ]

    def show_place(self, tab: str, element: str | None = None) -> None:
        """Show a tab (`gist`, `maps`, `qa` or `sandbox`) and an element of it; LookupError if there is no such thing.

        The element is a section, a map with or without `/` and a node or `#` and the number of an edge, a card, or a
        program. A reference is `go-deeper/<id>`. A fact opens where it is cited: `<section>/<fact>`, `<card>/<fact>`.
        """
        if tab not in self._parts:
            raise LookupError(tab)
        self._show(self._parts[tab])
        if element and not self._parts[tab].show_place(element):
            whole, _, fact_id = element.rpartition("/")
            if fact_id not in self._fact_ids or not self._parts[tab].show_place(whole):
                raise LookupError(element)
            self._show_fact(tab, whole, fact_id)

    def find_here(self) -> None:
        """Open the bar to look for words on the tab that is shown."""
        self.find_bar.open_on(self._current_part(), self.window().focusWidget())

    def find_next(self) -> None:
        """Go to the next match, or begin to look."""
        self.find_bar.on() if self.find_bar.isVisible() else self.find_here()

    def find_previous(self) -> None:
        """Go to the match before, or begin to look."""
        self.find_bar.back() if self.find_bar.isVisible() else self.find_here()

    def show_gist(self) -> None:
        """Show the text."""
        self._show(self.gist)

    def show_section(self, section_id: str) -> None:
        """Show one section of the text."""
        self.show_gist()
        self.gist.show_section(section_id)

    def show_maps(self) -> None:
        """Show the maps."""
        self._show(self.maps)

    def show_map(self, map_id: str, node_id: str | None = None) -> None:
        """Show one map, and choose a node of it."""
        self.show_maps()
        self.maps.show_map(map_id, node_id)

    def show_questions(self) -> None:
        """Show the questions."""
        self._show(self.questions)

    def show_card(self, card_id: str) -> None:
        """Show one question."""
        self.show_questions()
        self.questions.show_card(card_id)

    def show_sandbox(self) -> None:
        """Show the programs, if the study has any."""
        if self.sandbox is not None:
            self._show(self.sandbox)

    def follow(self, address: str, below: QPoint) -> None:
        """Follow a link that a person activated; an address of an unknown kind leads nowhere."""
        kind, _, rest = address.partition(":")
        if kind == "fact":
            self.fact_card.show_fact(rest, below)
        elif kind == "map":
            map_id, _, node_id = rest.partition("/")
            self.show_map(map_id, node_id or None)
        elif kind == "live":
            self.go.emit(address)
        elif kind in ("http", "https"):
            QDesktopServices.openUrl(QUrl(address))

    def _return(self) -> None:
        """Bring back the tab and the places of the last time."""
        for name, part in self._parts.items():
            part.start = self._memory.remembered(f"{self._remembered_as}/{name}")
        tab = self._parts.get(self._memory.remembered(f"{self._remembered_as}/tab"))
        if tab is not None:
            self.tabs.setCurrentWidget(tab)

    def _current_part(self) -> Gist | MapsView | QuestionsView | SandboxView:
        return next(part for part in self._parts.values() if part is self.tabs.currentWidget())

    def _to_read(self) -> tuple[Reader, int, int | None]:
        return self._current_part().to_read()

    def _search_here(self) -> None:
        self.find_bar.search_in(self._current_part())

    def _show_fact(self, tab: str, whole: str, fact_id: str) -> None:
        point = self._parts[tab].point_of(whole, f"fact:{fact_id}")
        self.fact_card.show_fact(fact_id, point or self.mapToGlobal(self.rect().center()))

    def _make_find_actions(self) -> list[QAction]:
        finds = (
            ("lesson.find", "Find on this page", "Ctrl+F", self.find_here),
            ("lesson.find-next", "Find the next match", "F3", self.find_next),
            ("lesson.find-previous", "Find the previous match", "Shift+F3", self.find_previous),
        )
        return [make_action(self, action_id, text, slot, [key]) for action_id, text, key, slot in finds]

    def _show(self, part: QWidget) -> None:
        self.tabs.setCurrentWidget(part)
        part.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _add_tab(
        self,
        part: Gist | MapsView | QuestionsView | SandboxView,
        action_id: str,
        label: str,
        key: str,
        slot: Callable[[], None],
    ) -> QAction:
        self.tabs.addTab(part, label)
        part.link_activated.connect(self.follow)
        return make_action(self, action_id, f"Show {label}", slot, [key])

    def _lay_out(self) -> None:
        title = QLabel(f"{self._study.number}. {self._study.title}")
        title.setProperty("role", "title")
        summary = QLabel(self._study.summary)
        summary.setProperty("role", "muted")
        for label in (title, summary):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        head = QVBoxLayout()
        head.setContentsMargins(28, 20, 28, 8)
        head.setSpacing(4)
        first = QHBoxLayout()
        first.addWidget(title, 1)
        first.addWidget(self.read_aloud.button, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(first)
        head.addWidget(summary)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.tabs, 1)
        layout.addWidget(self.find_bar)
