"""The two faces of the lab: the views of one run, and those of two side by side. What is asked of both goes to the one in sight."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from ladder_desktop.live.compare_panels import ComparePanels
from ladder_desktop.live.duet import Duet
from ladder_desktop.live.player import Player
from ladder_desktop.live.watch_panels import WatchPanels
from ladder_desktop.theme import Theme

ONE_RUN, TWO_RUNS = 400, 430  # pixels of height that their views need, at 100 %


class Faces(QStackedWidget):
    """As high as there is room for, and never less than what the face in sight needs.

    Emits what either face does: `selected`, `sought`, `described`, `turned` (to the plots?) and `lens_turned` (open?).
    """

    selected = Signal(object)
    sought = Signal(int)
    described = Signal(str)
    turned = Signal(bool)
    lens_turned = Signal(bool)

    def __init__(self, theme: Theme, player: Player, duet: Duet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.watch, self.two = WatchPanels(theme, player), ComparePanels(theme, duet)
        self._heights = [round(least * theme.scale) for least in (ONE_RUN, TWO_RUNS)]
        self.currentChanged.connect(self.updateGeometry)
        for face in (self.watch, self.two):
            self.addWidget(face)
            face.selected.connect(self.selected)
            face.sought.connect(self.sought)
            face.described.connect(self.described)
            face.turned.connect(self.turned)
            face.lens_turned.connect(self.lens_turned)

    @property
    def comparing(self) -> bool:
        """Whether two runs are in sight."""
        return self.face is self.two

    @property
    def face(self) -> WatchPanels | ComparePanels:
        """The one in sight."""
        return self.two if self.currentIndex() else self.watch

    def show_face(self, *, comparing: bool) -> None:
        """Put the views of one run in sight, or those of two."""
        self.setCurrentIndex(int(comparing))
        self.turned.emit(self.face.plotting)
        self.lens_turned.emit(self.face.lens_open)

    def select(self, seq_id: int | None) -> None:
        """Light one request in every view; None lights all."""
        self.watch.select(seq_id)
        self.two.select(seq_id)

    def follow(self) -> None:
        """Bring the playhead in sight, and in the plots the whole run."""
        self.face.keep_up()
        self.face.plots.follow()

    def keep_up(self) -> None:
        """Keep the playhead in sight."""
        self.face.keep_up()

    def turn_plots(self) -> None:
        """Show the plots, or the views again; nothing where the lab is not in sight."""
        if self.isVisible():
            self.face.turn_plots()

    def turn_lens(self) -> None:
        """Open or close the kernel lens."""
        self.face.turn_lens()

    def turn_table(self) -> None:
        """Show blocks or plots as a table, or as a picture again."""
        self.face.turn_table()

    def turn_batch(self) -> None:
        """Show the batch as a table, or as a picture again."""
        self.face.turn_batch()

    def look_at_other(self) -> None:
        """Of two runs, let the lens and the classifier look at the other."""
        if self.comparing:
            self.two.look_at_other()

    def sizeHint(self) -> QSize:
        """Qt: the least; it grows from there."""
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """Qt: what the face in sight needs, whatever the other one does."""
        least = self.face.minimumSizeHint()
        return QSize(least.width(), max(least.height(), self._heights[self.currentIndex()]))

    def hasHeightForWidth(self) -> bool:
        """Qt: whatever the views inside say."""
        return False
