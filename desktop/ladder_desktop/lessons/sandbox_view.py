"""The Sandbox tab: the study's programs, to read, run, change and check against known results."""

from __future__ import annotations

from ladder_content.model import Snippet, Study
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.actions import make_action
from ladder_desktop.focus import PassesFocus
from ladder_desktop.lessons.code_edit import CodeEdit, code_document
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.reader import Reader
from ladder_desktop.lessons.sandbox import Outcome
from ladder_desktop.lessons.sandbox_result import SandboxResult
from ladder_desktop.lessons.sandbox_runner import SandboxRunner
from ladder_desktop.lessons.wrapped import wrap_items
from ladder_desktop.theme import Theme

LIST_HEIGHT = 240


class SandboxView(PassesFocus):
    """Programs and their explanation on the left; the editor and what came of the last run on the right.

    What a person writes is kept for as long as the view lives, each program with its own undo history.
    """

    link_activated = Signal(str, QPoint)

    def __init__(
        self, study: Study, markdown: Markdown, theme: Theme, runner: SandboxRunner | None = None
    ) -> None:
        super().__init__()
        self._snippets = study.snippets
        self._markdown = markdown
        self._theme = theme
        self._documents: dict[str, QTextDocument] = {}
        self._written: dict[str, str] = {}  # in the view before this one
        self._outcomes: dict[str, Outcome] = {}
        self.start = ""  # the program to begin with when the tab is first seen
        self._sought = ""
        self._found: list[int] = []
        self._at_work: Snippet | None = None
        self.runner = runner or SandboxRunner()
        self.runner.ended.connect(self._take)
        self.programs = _Programs(self._snippets)
        self.explanation = Reader(theme, "What the program shows", points=10.5, margin=18)
        self.explanation.link_activated.connect(self.link_activated)
        self.run_button = self._button("Run", "Ctrl+Enter", self.run)
        self.run_button.setProperty("role", "primary")
        self.check_button = self._button("Check", "Ctrl+Shift+Enter", self.check)
        self.stop_button = self._button("Stop", "Ctrl+.", self.stop)
        self.reset_button = self._button("Reset", "Ctrl+Shift+Backspace", self.reset)
        self.editor = CodeEdit("Program", self.run_button, theme)
        self.result = SandboxResult(theme)
        self._actions = self._make_actions()
        self._lay_out()
        self.first_focus = self.programs
        self.programs.currentRowChanged.connect(self._show)

    @property
    def current(self) -> Snippet:
        """The program on show."""
        return self._snippets[self.programs.currentRow()]

    def page_actions(self) -> list[QAction]:
        """Return what can be done here, with names and keys."""
        return self._actions

    @property
    def work(self) -> tuple[dict[str, str], dict[str, Outcome]]:
        """Every program that was opened, as it stands, and what came of the last runs; by the programs' ids."""
        opened = {name: document.toPlainText() for name, document in self._documents.items()}
        return self._written | opened, self._outcomes

    @work.setter
    def work(self, work: tuple[dict[str, str], dict[str, Outcome]]) -> None:
        self._written, self._outcomes = work
        if self._documents:
            self._documents.clear()
            self._show()

    def run(self) -> None:
        """Run the program as it stands in the editor."""
        self._start(check=False)

    def check(self) -> None:
        """Run it, and compare what its functions return with the known results."""
        self._start(check=True)

    def stop(self) -> None:
        """Break the run off."""
        if self.runner.running:
            self.runner.stop()

    def reset(self) -> None:
        """Bring the original back; undo in the editor brings back what was written."""
        cursor = self.editor.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(self.current.code)
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_place(self, element: str) -> bool:
        """Show a program by its id; False if there is none."""
        for row, snippet in enumerate(self._snippets):
            if snippet.id == element:
                self.programs.setCurrentRow(row)
                if not self._documents:
                    self._show()
                return True
        return False

    @property
    def place(self) -> str:
        """The id of the program on show; empty before the tab was seen."""
        return self.current.id if self._documents else ""

    def point_of(self, _snippet_id: str, address: str) -> QPoint | None:
        """Bring the first link to an address into view, in the explanation."""
        return self.explanation.link_point(address)

    def to_read(self) -> tuple[Reader, int, int | None]:
        """Return the text that can be read aloud: all of it."""
        return self.explanation, 0, None

    def find_all(self, text: str) -> int:
        """Mark the text in the explanation, and return how many programs hold it."""
        self._sought = text
        wanted = text.casefold()
        self._found = [row for row, words in enumerate(self._words()) if wanted and wanted in words]
        self.explanation.matches.find(text)
        return len(self._found)

    def first_match(self) -> int:
        """Return the first match from the present program on."""
        here = self.programs.currentRow()
        return next((i for i, row in enumerate(self._found) if row >= here), 0)

    def show_match(self, index: int) -> None:
        """Show a program that holds the text, and select it in the program if it is there."""
        self.programs.setCurrentRow(self._found[index])
        self.explanation.matches.find(self._sought)
        self.editor.moveCursor(QTextCursor.MoveOperation.Start)
        self.editor.find(self._sought)

    def _words(self) -> list[str]:
        """The words of each program as it stands, without capitals."""
        return [
            "\n".join(
                (snippet.title, self._markdown.plain(snippet.explanation), self._text(snippet))
            ).casefold()
            for snippet in self._snippets
        ]

    def _text(self, snippet: Snippet) -> str:
        document = self._documents.get(snippet.id)
        if document is None:
            return self._written.get(snippet.id, snippet.code)
        return document.toPlainText()

    def shutdown(self) -> None:
        """End what runs, and the process it runs in."""
        self.runner.shutdown()

    def showEvent(self, event: QShowEvent) -> None:
        """Open the first program when the tab is first seen."""
        super().showEvent(event)
        if not self._documents and not self.show_place(self.start):
            self._show()

    def _start(self, check: bool) -> None:
        if not self.runner.running and self.isVisible():
            self._at_work = self.current
            self.editor.mark_line(None)
            self.runner.run(self.editor.toPlainText(), self.current.vectors if check else ())
            self._refresh()

    def _take(self, outcome: Outcome) -> None:
        snippet, self._at_work = self._at_work, None
        if snippet is not None:
            self._outcomes[snippet.id] = outcome
        if self.stop_button.hasFocus():  # it is disabled in a moment, and the next in line is Reset
            self.run_button.setFocus(Qt.FocusReason.OtherFocusReason)
        self._refresh()
        if snippet is self.current:
            self.result.announce()
            self.editor.mark_line(outcome.line)

    def _show(self, _row: int = 0) -> None:
        snippet = self.current
        if snippet.id not in self._documents:
            document = code_document(self._written.get(snippet.id, snippet.code), self._theme, self)
            document.contentsChanged.connect(self._mark_changed)
            self._documents[snippet.id] = document
        self.editor.setDocument(self._documents[snippet.id])
        self.editor.setAccessibleName(f"Program: {snippet.title}")
        self.explanation.show_html(self._markdown.html(snippet.explanation))
        self._mark_changed()
        self.editor.mark_line(None)
        self._refresh()

    def _refresh(self) -> None:
        running = self.runner.running
        self.stop_button.setEnabled(running)
        self.check_button.setEnabled(bool(self.current.vectors))
        if self._at_work is self.current:
            self.result.show_running()
        else:
            self.result.show_outcome(self._outcomes.get(self.current.id))

    def _mark_changed(self) -> None:
        changed = self.editor.toPlainText() != self.current.code
        self.programs.mark(self.programs.currentRow(), changed)
        if not changed and self.reset_button.hasFocus():
            self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self.reset_button.setEnabled(changed)

    def _button(self, text: str, keys: str, slot: object) -> QPushButton:
        button = QPushButton(text)
        button.setAccessibleName(f"{text} the program")
        button.setToolTip(keys)
        button.clicked.connect(slot)
        return button

    def _make_actions(self) -> list[QAction]:
        return [
            make_action(self, f"sandbox.{verb}", f"{verb.capitalize()} the program", slot, keys)
            for verb, slot, keys in (
                ("run", self.run, ("Ctrl+Return", "Ctrl+Enter")),
                ("check", self.check, ("Ctrl+Shift+Return", "Ctrl+Shift+Enter")),
                ("stop", self.stop, ("Ctrl+.",)),
                ("reset", self.reset, ("Ctrl+Shift+Backspace",)),
            )
        ]

    def _lay_out(self) -> None:
        left = QWidget()
        reading = QVBoxLayout(left)
        reading.setContentsMargins(0, 8, 0, 0)
        reading.setSpacing(4)
        reading.addWidget(self.programs)
        reading.addWidget(self.explanation, 1)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(14, 10, 14, 10)
        buttons.setSpacing(8)
        for button in (self.run_button, self.check_button, self.stop_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.reset_button)
        upper = QWidget()
        writing = QVBoxLayout(upper)
        writing.setContentsMargins(0, 0, 0, 0)
        writing.setSpacing(0)
        writing.addWidget(self.editor, 1)
        writing.addLayout(buttons)
        right = QSplitter(Qt.Orientation.Vertical)
        right.addWidget(upper)
        right.addWidget(self.result)
        right.setSizes([420, 240])
        across = QSplitter(Qt.Orientation.Horizontal)
        across.addWidget(left)
        across.addWidget(right)
        across.setSizes([330, 720])
        for splitter in (right, across):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        across.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(across)


class _Programs(QListWidget):
    """The list of programs, as high as they need and no higher; a changed one says so."""

    def __init__(self, snippets: tuple[Snippet, ...]) -> None:
        super().__init__()
        self.setAccessibleName("Programs")
        wrap_items(self)
        self.setMinimumWidth(220)
        self._titles = [snippet.title for snippet in snippets]
        for title in self._titles:
            QListWidgetItem(title, self)
        self.setCurrentRow(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take the height of the titles, which depends on the width."""
        super().resizeEvent(event)
        rows = sum(self.sizeHintForRow(row) for row in range(self.count()))
        self.setFixedHeight(min(rows, LIST_HEIGHT) + 12)

    def mark(self, row: int, changed: bool) -> None:
        """Say whether a program differs from the original."""
        self.item(row).setText(self._titles[row] + ("  · changed" if changed else ""))
