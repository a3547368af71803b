"""One exhibit: a heading, a sentence, a chart that turns into its table, and a CSV file of it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from .chart import Chart
from .contents import Content
from .figure_table import EMPTY, FigureTable
from .figures import Figures


class Exhibit(QFrame):
    """A chart and its table twin; without a chart, a table alone. `csv_wanted` carries the figures to be saved."""

    go = Signal(str)
    csv_wanted = Signal(object)

    def __init__(self, title: str, chart: Chart | None) -> None:
        super().__init__()
        self.title = title
        self.chart = chart
        self.figures: Figures = EMPTY
        self.setProperty("role", "card")
        self.sentence = _label("muted")
        self.sentence.setWordWrap(True)
        self.reading = _label("muted")
        self.reading.setMinimumWidth(1)
        self.table = FigureTable(title)
        self.table.opened.connect(self.go)
        self.stack = QStackedWidget()
        self._pages: list[QWidget] = [self.table] if chart is None else [chart, self.table]
        for page in self._pages:
            self.stack.addWidget(page)
        if chart is not None:
            chart.read.connect(self.reading.setText)
        self.toggle = _button("Table", f"Show {title} as a table")
        self.toggle.setCheckable(True)
        if chart is None:  # showing what has no parent yet would open a window
            self.toggle.hide()
        self.toggle.toggled.connect(self.show_table)
        self.save = _button("CSV…", f"Save {title} as CSV")
        self.save.clicked.connect(self._save)
        self._build()

    def _build(self) -> None:
        heading = _label("heading")
        heading.setText(self.title)
        heading.setWordWrap(True)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(heading, 1)
        head.addWidget(self.toggle)
        head.addWidget(self.save)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(20, 14, 20, 14)
        rows.setSpacing(8)
        rows.addLayout(head)
        rows.addWidget(self.sentence)
        rows.addWidget(self.stack)
        rows.addWidget(self.reading)
        self.reading.setVisible(self.chart is not None)

    def fill(self, content: Content) -> None:
        """Show this; the chart must have been given its marks before."""
        self.figures = content.figures
        self.sentence.setText(content.empty or content.sentence)
        self._fill_table()
        for widget in (self.stack, self.save):
            widget.setVisible(not content.empty)
        shows_chart = not content.empty and self.chart is not None
        self.toggle.setVisible(shows_chart)
        self.reading.setVisible(shows_chart)
        self._fit()

    def show_table(self, on: bool) -> None:
        """Turn the chart into its table, or back; the keyboard stays with what is shown."""
        had_focus = any(page.hasFocus() for page in self._pages)
        self.toggle.setChecked(on)
        self.toggle.setText("Chart" if on else "Table")
        self.toggle.setAccessibleName(f"Show {self.title} as a {'chart' if on else 'table'}")
        shown = self.table if on or self.chart is None else self.chart
        self.stack.setCurrentWidget(shown)
        self._fill_table()
        self.reading.setText("")
        if had_focus:
            shown.setFocus(Qt.FocusReason.OtherFocusReason)
        self._fit()

    def _fill_table(self) -> None:
        """A table that nobody looks at is not filled: laying out a year of rows takes longer than all the charts."""
        if self.stack.currentWidget() is self.table:
            self.table.show_figures(self.figures)

    def _fit(self) -> None:
        """Let the hidden side take no room: a stack is otherwise as high as its highest page."""
        for page in self._pages:
            policy = page.sizePolicy()
            shown = page is self.stack.currentWidget()
            policy.setVerticalPolicy(QSizePolicy.Policy.Fixed if shown else QSizePolicy.Policy.Ignored)
            page.setSizePolicy(policy)
        self.stack.adjustSize()

    def _save(self) -> None:
        self.csv_wanted.emit(self.figures)


def _label(role: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", role)
    return label


def _button(text: str, name: str) -> QPushButton:
    button = QPushButton(text)
    button.setAccessibleName(name)
    button.setToolTip(name)
    return button
