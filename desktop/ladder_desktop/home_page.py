"""Today: what is due, and the one next thing to do. The first page a person sees."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec
from ladder_content.model import Pack, Study
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ladder_desktop.study import Counts, Desk
from ladder_desktop.welcome import Welcome

NARROWEST = 34  # the width of a panel, in letters


class HomePage(QWidget):
    """Counts from the desk, and buttons that ask the window to go elsewhere."""

    title = "Today"
    go = Signal(str)

    introduced = Signal()

    def __init__(self, desk: Desk, pack: Pack, *, welcome: bool = False) -> None:
        super().__init__()
        self._desk = desk
        self._pack = pack
        self._cards = PracticePanel(
            "Cards", "Drill the questions an interviewer asks.", "Start drilling", "drill"
        )
        self._tickets = PracticePanel(
            "Tickets", "Diagnose a scenario in four steps.", "Open a ticket", "tickets"
        )
        for panel in (self._cards, self._tickets):
            panel.go.connect(self.go)
        self._next = QLabel()
        self._next.setProperty("role", "muted")
        self._views = QStackedWidget()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._views)
        self.welcome = self._greet() if welcome and desk.undo_label() is None else None
        if self.welcome is None:
            self._build()

    def _greet(self) -> Welcome:
        welcome = Welcome()
        welcome.begun.connect(self._begin)
        welcome.skipped.connect(self._skip)
        self._views.addWidget(welcome)
        return welcome

    def _begin(self) -> None:
        self._skip()
        self.go.emit("drill")

    def _skip(self) -> None:
        """Leave the first-run view for good."""
        if self.welcome is not None:
            self._views.removeWidget(self.welcome)
            self.welcome.deleteLater()
            self.welcome = None
            self._build()
            self.introduced.emit()
            self.activate()

    def _build(self) -> None:
        title = QLabel("Name the mechanism first, then the product")
        title.setProperty("role", "title")
        title.setWordWrap(True)
        lead = QLabel(
            "Write the shape of the traffic, name the bound, pick the lever, and only then point at a product. "
            "Every claim here can be run."
        )
        lead.setProperty("role", "muted")
        lead.setWordWrap(True)

        live = DoorPanel(
            "Live lab",
            "A real little model on a real paged engine: watch KV blocks and batch membership move, step by step.",
            "Watch it run",
            "live",
        )
        live.go.connect(self.go)
        practice = Doors((self._cards, self._tickets, live), most=3)
        studies = Doors([self._door_to(study) for study in self._pack.studies], most=2)

        inner = self._make_column()
        inner.addWidget(title)
        inner.addWidget(lead)
        inner.addWidget(self._next)
        inner.addSpacing(10)
        inner.addWidget(practice)
        inner.addSpacing(14)
        inner.addWidget(_heading("Studies"))
        inner.addWidget(studies)
        inner.addStretch(1)

    def _make_column(self) -> QVBoxLayout:
        """Return the empty column in the middle, which scrolls. It is in its place before it is filled, for Qt dresses anew what moves."""
        scroll = QScrollArea()
        scroll.setObjectName("plain")
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # page keys reach it from the buttons inside
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._views.addWidget(scroll)
        middle = QWidget()
        scroll.setWidget(middle)
        across = QHBoxLayout(middle)
        across.setContentsMargins(0, 0, 0, 0)
        column = QWidget()
        column.setMaximumWidth(1060)
        across.addStretch(1)
        across.addWidget(column, 1000)
        across.addStretch(1)
        inner = QVBoxLayout(column)
        inner.setContentsMargins(40, 34, 40, 24)
        inner.setSpacing(8)
        return inner

    def _door_to(self, study: Study) -> DoorPanel:
        door = DoorPanel(
            f"{study.number}. {study.title}", study.summary, "Read the study", f"study:{study.id}"
        )
        door.go.connect(self.go)
        return door

    def activate(self) -> None:
        """Read the counts again."""
        if self.welcome is not None:
            self.welcome.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        cards, tickets = self._desk.counts("card"), self._desk.counts("ticket")
        self._cards.show_counts(cards)
        self._tickets.show_counts(tickets)
        due = (
            None
            if any((*msgspec.structs.astuple(cards), *msgspec.structs.astuple(tickets)))
            else self._desk.next_due_at()
        )
        self._next.setText(f"Nothing waits. The next review is due {local_time(due)}." if due else "")
        self._next.setVisible(due is not None)
        self._cards.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def deactivate(self) -> None:
        """Nothing runs here."""

    def page_actions(self) -> list[QAction]:
        """The home page has no actions of its own."""
        return []


class DoorPanel(QFrame):
    """A card with a heading, a sentence and one button."""

    go = Signal(str)

    def __init__(self, heading: str, sentence: str, button: str, target: str) -> None:
        super().__init__()
        self._target = target
        self.setProperty("role", "card")
        label = _heading(heading)
        text = QLabel(sentence)
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setProperty("role", "muted")
        text.setWordWrap(True)
        self.button = QPushButton(button)
        self.button.setAccessibleName(f"{button}: {heading}")
        self.button.clicked.connect(self._clicked)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(20, 18, 20, 18)
        self.body.setSpacing(8)
        self.body.addWidget(label)
        self.body.addWidget(text)
        self.body.addStretch(1)
        self.body.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignLeft)

    def _clicked(self) -> None:
        self.go.emit(self._target)


class PracticePanel(DoorPanel):
    """A door that also says how much is new, being learned and due."""

    def __init__(self, heading: str, sentence: str, button: str, target: str) -> None:
        super().__init__(heading, sentence, button, target)
        self.button.setProperty("role", "primary")
        row = QHBoxLayout()
        row.setSpacing(28)
        self._numbers: dict[str, QLabel] = {}
        for name in ("due", "learning", "new"):
            number = QLabel("0")
            number.setProperty("role", "big")
            caption = QLabel(name)
            caption.setProperty("role", "muted")
            column = QVBoxLayout()
            column.setSpacing(0)
            column.addWidget(number)
            column.addWidget(caption)
            row.addLayout(column)
            self._numbers[name] = number
        row.addStretch(1)
        self.body.insertLayout(2, row)

    def show_counts(self, counts: Counts) -> None:
        """Show the counts of the desk."""
        for name, label in self._numbers.items():
            label.setText(str(getattr(counts, name)))
        self.setAccessibleName(f"{counts.due} due, {counts.learning} learning, {counts.new} new")


class Doors(QWidget):
    """Panels in as many columns as there is room for, `most` at the most."""

    def __init__(self, panels: Sequence[QWidget], most: int) -> None:
        super().__init__()
        self._panels = list(panels)
        self._most = most
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(16)
        self.setMinimumWidth(1)
        self._arrange(most)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Change the number of columns where the room asks for it."""
        super().resizeEvent(event)
        narrowest = NARROWEST * self.fontMetrics().averageCharWidth()
        self._arrange(max(1, min(self._most, event.size().width() // narrowest)))

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        for column in range(self._columns):
            self._grid.setColumnStretch(column, 0)
        self._columns = columns
        for place, panel in enumerate(self._panels):
            self._grid.addWidget(panel, *divmod(place, columns))
        for column in range(columns):
            self._grid.setColumnStretch(column, 1)


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", "heading")
    label.setWordWrap(True)
    return label


def local_time(moment: datetime) -> str:
    """Return `18:40` for today and `Tue 3 Dec, 04:00` otherwise, in the person's own zone."""
    local = moment.astimezone()
    if local.date() == datetime.now().astimezone().date():
        return f"today at {local:%H:%M}"
    return f"{local:%a} {local.day} {local:%b}, {local:%H:%M}"
