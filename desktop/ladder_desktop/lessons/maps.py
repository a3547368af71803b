"""The Maps tab: one map at a time, drawn or as tables, what the chosen place means beside it, and flows step by step."""

from __future__ import annotations

from pathlib import Path

from ladder_content.mermaid import mermaid
from ladder_content.model import Map, Study
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QGuiApplication,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
)

from ladder_desktop.actions import make_action
from ladder_desktop.dialogs import show_fault
from ladder_desktop.focus import PassesFocus
from ladder_desktop.lessons.map_bar import MapBar, action_button
from ladder_desktop.lessons.map_canvas import MapCanvas
from ladder_desktop.lessons.map_export import FILTERS, MapExportError, write_map
from ladder_desktop.lessons.map_find import Found, MapFinder
from ladder_desktop.lessons.map_table import MapTable
from ladder_desktop.lessons.map_text import MapText
from ladder_desktop.lessons.markdown import Markdown
from ladder_desktop.lessons.reader import TABLE, Reader
from ladder_desktop.lessons.walk import Place
from ladder_desktop.theme import Theme

BESIDE, BELOW = 300, 200  # the width of the text beside a map, its height below one


class MapsView(PassesFocus):
    """Shows the maps of a study; the first is drawn when the tab is first seen."""

    link_activated = Signal(str, QPoint)

    def __init__(self, study: Study, markdown: Markdown, theme: Theme) -> None:
        super().__init__()
        self._maps = study.maps
        self._markdown = markdown
        self._theme = theme
        self._current: Map | None = None
        self._text: MapText | None = None
        self._arranged = False
        self._finder = MapFinder(study.maps, markdown)
        self._sought = ""
        self.start = ""  # the place to begin at when the tab is first seen
        self._found: list[Found] = []
        self.canvas = MapCanvas(theme)
        self.table = MapTable(markdown)
        self.pane = Reader(theme, "About the chosen box or arrow", points=10.5, margin=18, measure=TABLE)
        self._make_actions()
        self.bar = self._make_bar()
        self.chooser = self.bar.chooser
        self._lay_out()
        self.chooser.currentIndexChanged.connect(self._show_index)
        self.canvas.chosen.connect(self._tell)
        self.pane.link_activated.connect(self.link_activated)
        self.first_focus = self.canvas

    @property
    def current(self) -> Map | None:
        """The map that is shown."""
        return self._current

    def show_map(self, map_id: str, place: Place | None = None) -> bool:
        """Show a map and choose a place on it; what does not exist changes nothing."""
        ids = [chart.id for chart in self._maps]
        if map_id not in ids:
            return False
        self._turn_to(ids.index(map_id))
        if place is not None:
            self.canvas.choose(place)
        return place in (None, self.canvas.place)

    def show_place(self, element: str) -> bool:
        """Show a map, `<map>`, and a box or an arrow of it, `<map>/<node>` or `<map>/#<number>`; False if there is none."""
        map_id, _, rest = element.partition("/")
        number = rest.removeprefix("#")
        return self.show_map(
            map_id, int(number) if rest.startswith("#") and number.isdecimal() else rest or None
        )

    @property
    def place(self) -> str:
        """What is shown, as `show_place` takes it."""
        if self._current is None:
            return ""
        place = self.canvas.place
        further = "" if place is None else f"/#{place}" if isinstance(place, int) else f"/{place}"
        return self._current.id + further

    def point_of(self, _place: str, address: str) -> QPoint | None:
        """Bring the first link to an address into view, in the text beside the map."""
        return self.pane.link_point(address)

    def to_read(self) -> tuple[Reader, int, int | None]:
        """Return the text that can be read aloud: all of it."""
        return self.pane, 0, None

    def find_all(self, text: str) -> int:
        """Mark every place that holds a text, on all maps of the study, and return how many do."""
        self._sought = text
        self._found = self._finder.find(text)
        self._mark_found()
        return len(self._found)

    def first_match(self) -> int:
        """Return the first match on the map that is shown, or on one after it."""
        here = self.chooser.currentIndex()
        return next((i for i, (number, _) in enumerate(self._found) if number >= here), 0)

    def show_match(self, index: int) -> None:
        """Choose a place that holds the text, on its map."""
        number, place = self._found[index]
        self._turn_to(number)
        self.canvas.choose(place)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the first map when the tab is first seen."""
        super().showEvent(event)
        if not self._maps:
            self.pane.show_html('<p class="muted">This study has no maps yet.</p>')
        elif self._current is None and not self.show_place(self.start) and self._current is None:
            self._show_index(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the text beside the map or below it."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put the text where it leaves the map larger: beside a tall map, below a wide one."""
        width, height = self._split.width(), self._split.height()
        bounds = self.canvas.sceneRect()
        beside = min((width - BESIDE) / max(1.0, bounds.width()), height / max(1.0, bounds.height()))
        below = min(width / max(1.0, bounds.width()), (height - BELOW) / max(1.0, bounds.height()))
        way = Qt.Orientation.Horizontal if beside >= min(below, 1.0) else Qt.Orientation.Vertical
        if self._split.orientation() != way or not self._arranged:
            self._arranged = width > 0
            self._split.setOrientation(way)
            whole, pane = (width, BESIDE) if way == Qt.Orientation.Horizontal else (height, BELOW)
            self._split.setSizes([max(1, whole - pane), pane])
            self._tell(self.canvas.place)

    def step(self, by: int) -> None:
        """Go to the next or previous step of a flow; before the first and after the last there is nothing."""
        if self._current is None or self._current.kind != "flow":
            return
        ids = [node.id for node in self._current.nodes]
        here = ids.index(self.canvas.place) if self.canvas.place in ids else -1
        there = max(0, here + by)
        if there < len(ids):
            self.canvas.choose(ids[there])

    def copy_mermaid(self) -> None:
        """Put the map on the clipboard as Mermaid text."""
        if self._current is not None:
            QGuiApplication.clipboard().setText(mermaid(self._current))

    def ask_export(self) -> None:
        """Ask for a file and write the map there, as SVG, PNG or Mermaid text."""
        if self._current is None:
            return
        name, chosen = QFileDialog.getSaveFileName(
            self, "Export the map", str(Path.home() / f"{self._current.id}.svg"), FILTERS
        )
        if name:
            path = Path(name)
            path = path if path.suffix else path.with_suffix(chosen.rpartition("*")[2].rstrip(")"))
            try:
                write_map(path, self._current, self._theme)
            except MapExportError as error:
                show_fault(self, str(error))

    def _make_actions(self) -> None:
        self.fit_action = make_action(self, "maps.fit", "Fit the map", self.canvas.fit, ["F"])
        self.zoom_in_action = make_action(
            self, "maps.zoom-in", "Zoom in on the map", self.canvas.zoom_in, ["+", "="]
        )
        self.zoom_out_action = make_action(
            self, "maps.zoom-out", "Zoom out of the map", self.canvas.zoom_out, ["-"]
        )
        self.previous_action = make_action(
            self, "maps.previous", "Previous step of the flow", self._step_back, [","]
        )
        self.next_action = make_action(self, "maps.next", "Next step of the flow", self._step_on, ["."])
        self.table_action = make_action(self, "maps.table", "Map as a table", self._show_table, ["T"])
        self.table_action.setCheckable(True)
        self.copy_action = make_action(
            self, "maps.copy-mermaid", "Copy the map as Mermaid text", self.copy_mermaid, ["Ctrl+Shift+C"]
        )
        self.export_action = make_action(
            self, "maps.export", "Export the map…", self.ask_export, ["Ctrl+Shift+X"]
        )

    def _make_bar(self) -> MapBar:
        tools = (
            (self.zoom_out_action, "−"),
            (self.zoom_in_action, "+"),
            (self.fit_action, "Fit"),
            (self.table_action, "Table"),
            (self.export_action, "Export"),
        )
        return MapBar(
            [chart.title for chart in self._maps],
            self.previous_action,
            self.next_action,
            [action_button(action, text) for action, text in tools],
        )

    def _lay_out(self) -> None:
        self._stack = QStackedWidget()
        self._stack.addWidget(self.canvas)
        self._stack.addWidget(self.table)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.addWidget(self._stack)
        self._split.addWidget(self.pane)
        self._split.setStretchFactor(0, 1)
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(self._split, 1)

    def _turn_to(self, index: int) -> None:
        if self.chooser.currentIndex() != index:
            self.chooser.setCurrentIndex(index)
        elif self._current is None:
            self._show_index(index)

    def _mark_found(self) -> None:
        here = self.chooser.currentIndex()
        self.canvas.mark_found(
            {place for number, place in self._found if number == here and place is not None}
        )
        self.pane.matches.find(self._sought)

    def _show_index(self, index: int) -> None:
        chart = self._maps[index]
        self._current = chart
        self._text = MapText(chart, self._markdown)
        self.canvas.show_map(chart)
        self.table.show_map(chart)
        self._arranged = False
        self._arrange()
        flow = chart.kind == "flow"
        self.bar.show_steps(len(chart.nodes) if flow else 0)
        self.previous_action.setEnabled(flow)
        self.next_action.setEnabled(flow)
        self._tell(None)
        self._mark_found()

    def _tell(self, place: Place | None) -> None:
        if self._text is None or self._current is None:
            return
        self.table.choose(place)
        self.pane.show_html(self._text.html(place, wide=self._split.orientation() == Qt.Orientation.Vertical))
        self.pane.matches.find(self._sought)
        spoken = "" if place is None else self._text.spoken(place)
        self.canvas.setAccessibleDescription(spoken)
        if spoken and self.canvas.hasFocus():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.canvas, spoken))
        if self._current.kind == "flow":
            self._tell_step(self._current, place)

    def _tell_step(self, chart: Map, place: Place | None) -> None:
        ids = [node.id for node in chart.nodes]
        self.bar.show_step(ids.index(str(place)) + 1 if place in ids else None)
        if place in ids:
            here = ids.index(str(place))
            passed: set[Place] = set(ids[: here + 1])
            passed |= {i for i, e in enumerate(chart.edges) if e.source in passed and e.target in passed}
            self.canvas.spotlight(passed)
        elif place is None:
            self.canvas.spotlight(None)

    def _step_on(self) -> None:
        self.step(1)

    def _step_back(self) -> None:
        self.step(-1)

    def _show_table(self, shown: bool) -> None:
        self._stack.setCurrentWidget(self.table if shown else self.canvas)
        self.pane.setHidden(shown)  # the tables say all of it
        self.first_focus = self.table.boxes if shown else self.canvas
        (self.table.boxes if shown else self.canvas).setFocus(Qt.FocusReason.OtherFocusReason)
