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
from PySide6.QtWidgets import QLabel, QTabWidget, QVBoxLayout, QWidget

from ladder_desktop.actions import make_action
from ladder_desktop.lessons.fact_card import FactCard
from ladder_desktop.lessons.gist import Gist
from ladder_desktop.lessons.maps import MapsView
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.questions import QuestionsView
from ladder_desktop.lessons.sandbox_view import SandboxView
from ladder_desktop.lessons.style import widget_sheet
from ladder_desktop.theme import Theme


class LessonPage(QWidget):
    """Shows a study of a pack. `go` asks the window for another page: "live:<scenario id>".

    Call `shutdown` before the page goes: a program of its sandbox may be running.
    """

    title = "Lesson"
    go = Signal(str)

    def __init__(self, pack: Pack, study: Study, theme: Theme) -> None:
        super().__init__()
        markdown = Markdown(theme, {fact.id for fact in pack.facts})
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
        self._lay_out()
        self.fact_card = FactCard(pack, markdown, theme, self)
        self.fact_card.link_activated.connect(self.follow)
        self.tabs.currentChanged.connect(self.fact_card.dismiss)
        self.setStyleSheet(widget_sheet(theme))  # last, so that each widget is dressed once

    @property
    def study(self) -> Study:
        """The study on this page."""
        return self._study

    def activate(self) -> None:
        """Give the keyboard to what is shown."""
        self.tabs.currentWidget().setFocus(Qt.FocusReason.OtherFocusReason)

    def deactivate(self) -> None:
        """Put away what lies over the page."""
        self.fact_card.dismiss()

    def shutdown(self) -> None:
        """End what runs, and the process it runs in; the page may be shown no more."""
        if self.sandbox is not None:
            self.sandbox.shutdown()

    def page_actions(self) -> list[QAction]:
        """Return what can be done here, with names and keys."""
        programs = self.sandbox.page_actions() if self.sandbox else []
        return [*self._actions, *self.maps.actions(), *self.questions.actions(), *programs]

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
        head.addWidget(title)
        head.addWidget(summary)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.tabs, 1)
