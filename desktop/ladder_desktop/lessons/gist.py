"""The Gist: the study's text in one column, its sections listed beside it, and where to go deeper at its end."""

from __future__ import annotations

from html import escape

from ladder_content.model import Reference, Section, Study
from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent, QTextBlock
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem

from ladder_desktop.focus import PassesFocus
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.reader import Reader
from ladder_desktop.lessons.wrapped import wrap_items
from ladder_desktop.theme import Theme

CONTENTS_WIDTH = 216
ROOM_FOR_CONTENTS = 720  # narrower than this, the text needs the whole width
DEEPER = "go-deeper"


class Gist(PassesFocus):
    """Shows the sections and references of a study; reports links, follows none."""

    link_activated = Signal(str, QPoint)

    def __init__(self, study: Study, markdown: Markdown, theme: Theme) -> None:
        super().__init__()
        sections = [(section.id, section.title) for section in study.sections]
        if study.references:
            sections.append((DEEPER, "Go deeper"))
        self.contents = _Contents(sections)
        self.reader = Reader(theme, f"Gist of {study.title}")
        self.reader.link_activated.connect(self.link_activated)
        self._study, self._markdown = study, markdown
        self._anchors: dict[str, QTextBlock] = {}
        self.start = ""  # the place to begin at when the text is first seen
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.contents)
        layout.addWidget(self.reader, 1)
        self.first_focus = self.reader
        self.contents.chosen.connect(self.show_section)
        self.contents.left.connect(self.reader.setFocus)
        self.reader.verticalScrollBar().valueChanged.connect(self._mark_current)

    def show_section(self, section_id: str) -> bool:
        """Scroll a section to the top, or a reference; one that the study does not have leaves the text where it is."""
        self._render()
        block = self._anchors.get(section_id)
        if block is None:
            return False
        bar = self.reader.verticalScrollBar()
        bar.setValue(round(self._top(block)) - 12)
        self.contents.mark(section_id)
        return True

    def show_place(self, element: str) -> bool:
        """Show a section or a reference; False if there is no such thing."""
        return self.show_section(element)

    def point_of(self, section_id: str, address: str) -> QPoint | None:
        """Bring the first link to an address in a section into view, and return the point below it."""
        block = self._anchors.get(section_id)
        return None if block is None else self.reader.link_point(address, block.position())

    @property
    def place(self) -> str:
        """Where the reading stands: the section, and how many characters into it."""
        position = self.reader.reading_position
        above = [(name, b.position()) for name, b in self._anchors.items() if b.position() <= position]
        return f"{above[-1][0]}:{position - above[-1][1]}" if above else ""

    def return_to(self, place: str) -> None:
        """Go on where the reading stood; a section that is no longer there, and anything senseless, changes nothing."""
        self._render()
        section_id, _, further = place.partition(":")
        block = self._anchors.get(section_id)
        if block is not None and further.isdecimal():
            self.reader.go_to(block.position() + min(int(further), 1_000_000))

    def to_read(self) -> tuple[Reader, int, int | None]:
        """Return the text and where the present section begins and ends in it."""
        self._render()
        ids = [*(section.id for section in self._study.sections), DEEPER]
        places = [self._anchors[name].position() for name in ids if name in self._anchors]
        here = self._anchors.get(self.current_section() or "")
        start = here.position() if here is not None else 0
        return self.reader, start, next((place for place in places if place > start), None)

    def find_all(self, text: str) -> int:
        """Mark every match in the text."""
        self._render()
        return self.reader.matches.find(text)

    def first_match(self) -> int:
        """Return the first match from where the reading stands."""
        return self.reader.matches.first()

    def show_match(self, index: int) -> None:
        """Bring a match into view."""
        self.reader.matches.show(index)

    def current_section(self) -> str | None:
        """Return the section whose text stands at the top of the view."""
        return self.contents.current()

    def showEvent(self, event: QShowEvent) -> None:
        """Render the text when it is first seen."""
        super().showEvent(event)
        if not self._anchors:
            self.return_to(self.start)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Give the text the room of the contents where there is little."""
        self.contents.setVisible(self.width() >= ROOM_FOR_CONTENTS)

    def _render(self) -> None:
        if self._anchors:
            return
        sections = (_section(section, self._markdown) for section in self._study.sections)
        self.reader.show_html("".join(sections) + _references(self._study.references, self._markdown))
        self._anchors = self.reader.anchors()

    def _mark_current(self, scrolled: int) -> None:
        bar = self.reader.verticalScrollBar()
        reading_line = scrolled + self.reader.viewport().height() * 0.25
        if scrolled >= bar.maximum() and bar.maximum() > 0:
            reading_line = scrolled + self.reader.viewport().height()
        above = [name for name, block in self._anchors.items() if self._top(block) <= reading_line]
        if above:
            self.contents.mark(above[-1])

    def _top(self, block: QTextBlock) -> float:
        return self.reader.document().documentLayout().blockBoundingRect(block).top()


class _Contents(QListWidget):
    """The list of sections: click, or arrows; Enter goes to the text."""

    chosen = Signal(str)
    left = Signal()

    def __init__(self, sections: list[tuple[str, str]]) -> None:
        super().__init__()
        self.setAccessibleName("Contents")
        self.setFixedWidth(CONTENTS_WIDTH)
        wrap_items(self)
        self._rows: dict[str, int] = {}
        for section_id, title in sections:
            item = QListWidgetItem(title, self)
            item.setData(Qt.ItemDataRole.UserRole, section_id)
            self._rows.setdefault(section_id, self.count() - 1)
        self.setCurrentRow(0)
        self.currentItemChanged.connect(self._choose)
        self.itemClicked.connect(self._choose)

    def mark(self, section_id: str) -> None:
        """Show which section is being read, without going there."""
        with QSignalBlocker(self):
            self.setCurrentRow(
                self._rows.get(section_id, self.count() - 1)
            )  # a reference stands in the last one

    def current(self) -> str | None:
        """Return the marked section."""
        item = self.currentItem()
        return None if item is None else str(item.data(Qt.ItemDataRole.UserRole))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes on reading in the text."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(item.data(Qt.ItemDataRole.UserRole))


def _section(section: Section, markdown: Markdown) -> str:
    return _heading(section.id, section.title) + markdown.html(section.body)


def _heading(anchor: str, title: str) -> str:
    return f'<h2><a name="{escape(anchor)}"></a>{escape(title)}</h2>'


def _references(references: tuple[Reference, ...], markdown: Markdown) -> str:
    if not references:
        return ""
    return _heading(DEEPER, "Go deeper") + "".join(
        f'<p><a name="{DEEPER}/{escape(ref.id)}"></a><b>{markdown.link(ref.title, ref.url)}</b><br>'
        f'<span class="muted">{markdown.inline(ref.reason)}</span></p>'
        for ref in references
    )
