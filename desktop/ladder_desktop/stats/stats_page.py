"""Statistics: what the log says about a person's study, of one study or of all, over a period."""

from __future__ import annotations

from pathlib import Path

from ladder_content.model import Pack
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.actions import explain, make_action
from ladder_desktop.chooser import Chooser
from ladder_desktop.dialogs import show_fault
from ladder_desktop.exporting.files import ExportError, replacing, write_zip
from ladder_desktop.study import Desk
from ladder_desktop.study.statistics import Scope
from ladder_desktop.theme import Theme

from .figures import Figures
from .gallery import Gallery
from .names import names_of
from .today_tiles import TodayTiles
from .wall import Wall

PERIODS = (("30 days", 30), ("90 days", 90), ("A year", 365), ("Ever", None))
WIDTH = 1060


class StatsPage(QWidget):
    """The page behind the key `stats`. It reads the desk each time it comes on screen."""

    title = "Statistics"
    go = Signal(str)

    def __init__(self, desk: Desk, pack: Pack, theme: Theme) -> None:
        super().__init__()
        self._desk = desk
        self._names = names_of(pack)
        self.study = _chooser("Study", [("All studies", None), *((s.title, s.id) for s in pack.studies)])
        self.period = _chooser("Period", PERIODS)
        for chooser in (self.study, self.period):
            chooser.currentIndexChanged.connect(self.refresh)
        self.today = TodayTiles()
        self.gallery = Gallery(theme, self._names)
        for exhibit in self.gallery.exhibits:
            exhibit.go.connect(self.go)
            exhibit.csv_wanted.connect(self.ask_csv)
        self._scroll = QScrollArea()
        self._stack = QStackedWidget()
        self._stack.addWidget(self._numbers())
        self._stack.addWidget(self._nothing_yet())
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self._stack)
        self._tables = make_action(
            self, "stats.tables", "Show &tables instead of charts", self.show_tables, ["Ctrl+T"]
        )
        self._tables.setCheckable(True)
        self._export = make_action(
            self, "stats.export", "&Export all tables as CSV…", self.ask_all, ["Ctrl+Shift+E"]
        )

    # What the window asks of a page

    def activate(self) -> None:
        """Read the desk again."""
        self.refresh()

    def deactivate(self) -> None:
        """Nothing runs here."""

    def page_actions(self) -> list[QAction]:
        """Tables for charts, and all tables as files."""
        return [self._tables, self._export]

    # Showing

    def refresh(self) -> None:
        """Show the numbers of the chosen study and period."""
        scope = Scope(self.study.currentData(), self.period.currentData())
        statistics = self._desk.statistics(scope, self._names.tags)
        empty = not statistics.days and scope.study_id is None
        self._stack.setCurrentIndex(1 if empty else 0)
        for action in (self._export, self._tables):
            explain(action, "Nothing has been answered yet." if empty else "")
        self.today.show_today(statistics)
        self.gallery.show(statistics)

    def show_tables(self, on: bool) -> None:
        """Turn every chart into its table, or back."""
        self.gallery.show_tables(on)

    # Saving

    def ask_csv(self, figures: Figures) -> None:
        """Ask for a file and write one table there."""
        name, _ = QFileDialog.getSaveFileName(
            self, "Save as CSV", str(Path.home() / f"{figures.name}.csv"), "CSV table (*.csv)"
        )
        if not name:
            return
        path = Path(name)
        try:
            with replacing(path if path.suffix else path.with_suffix(".csv")) as file:
                file.write(figures.csv())
        except ExportError as error:
            show_fault(self, str(error))

    def ask_all(self) -> None:
        """Ask for a file and write every table of the page there, in one zip."""
        name, _ = QFileDialog.getSaveFileName(
            self, "Export all tables", str(Path.home() / "statistics.zip"), "CSV tables (*.zip)"
        )
        if not name:
            return
        path = Path(name)
        tables = (exhibit.figures for exhibit in self.gallery.exhibits)
        try:
            write_zip(
                path if path.suffix else path.with_suffix(".zip"),
                {f"{table.name}.csv": table.csv() for table in tables},
            )
        except ExportError as error:
            show_fault(self, str(error))

    # Building

    def _numbers(self) -> QWidget:
        title = QLabel(self.title)
        title.setProperty("role", "title")
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self.study)
        head.addWidget(self.period)
        column = QWidget()
        column.setMaximumWidth(WIDTH)
        rows = QVBoxLayout(column)
        rows.setContentsMargins(40, 30, 40, 28)
        rows.setSpacing(16)
        rows.addLayout(head)
        rows.addWidget(self.today)
        rows.addWidget(Wall(self.gallery.places()))
        rows.addStretch(1)
        middle = QWidget()
        across = QHBoxLayout(middle)
        across.setContentsMargins(0, 0, 0, 0)
        across.addStretch(1)
        across.addWidget(column, 1000)
        across.addStretch(1)
        self._scroll.setObjectName("plain")
        self._scroll.setWidget(middle)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusProxy(self.study)
        return self._scroll

    def _nothing_yet(self) -> QWidget:
        column = QWidget()
        column.setMaximumWidth(620)
        title = QLabel("Nothing to count yet")
        title.setProperty("role", "title")
        text = QLabel(
            "Answer a few cards and come back: this page then shows how well you remember, what falls due and where "
            "the gaps are. Retention needs cards that come back for review, so give it a day or two."
        )
        text.setProperty("role", "muted")
        text.setWordWrap(True)
        self.start = QPushButton("Start drilling")
        self.start.setProperty("role", "primary")
        self.start.setAccessibleName("Start drilling")
        self.start.clicked.connect(self._drill)
        rows = QVBoxLayout(column)
        rows.setContentsMargins(40, 30, 40, 28)
        rows.setSpacing(12)
        rows.addStretch(1)
        rows.addWidget(title)
        rows.addWidget(text)
        rows.addWidget(self.start, alignment=Qt.AlignmentFlag.AlignLeft)
        rows.addStretch(2)
        page = QWidget()
        across = QHBoxLayout(page)
        across.addStretch(1)
        across.addWidget(column, 1000)
        across.addStretch(1)
        return page

    def _drill(self) -> None:
        self.go.emit("drill")


def _chooser(name: str, choices: object) -> Chooser:
    chooser = Chooser()
    chooser.setAccessibleName(name)
    chooser.setSizeAdjustPolicy(Chooser.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    chooser.setMinimumContentsLength(9)
    for text, value in choices:  # type: ignore[attr-defined]
        chooser.addItem(text, value)
    return chooser
