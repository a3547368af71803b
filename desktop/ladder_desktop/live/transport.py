"""The transport: play and pause, single steps, speed, and the scrubber with its step counter."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QSlider, QWidget

from ladder_desktop.flow import Flow
from ladder_desktop.live.duet import Duet
from ladder_desktop.live.player import Player
from ladder_desktop.live.words import steady_font

LEAST = 120  # pixels of the scrubber


class Transport(QWidget):
    """Says what the person wants; `refresh` shows what the player does."""

    toggled = Signal()
    stepped = Signal(int)
    sped = Signal(int)
    sought = Signal(int)
    lens_wanted = Signal()
    plots_wanted = Signal()

    def __init__(self, player: Player | Duet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.player: Player | Duet = player
        self.play = self._button("Play", "Play or pause", "Play or pause (Space)", "Replay")
        self.back = self._button("‹ step", "One step back", "One step back (,)")
        self.forward = self._button("step ›", "One step on", "One step on (.)")
        self.slower = self._button("–", "Slower", "Slower ([)")
        self.faster = self._button("+", "Faster", "Faster (])")
        self.speed = QLabel()
        self.speed.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.counter = QLabel()
        self.counter.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.lens = self._button("Kernels", "Kernel lens", "What the step launched (L)")
        self.plots = self._button(
            "Plots", "Plots of the run", "Plots of the run, or its blocks and batch (G)"
        )
        for turned in (self.lens, self.plots):
            turned.setCheckable(True)
            turned.setProperty("role", "turn")
        for label, widest in ((self.speed, "120 steps/s"), (self.counter, "step 000000 of 000000")):
            label.setFont(steady_font(self.font()))
            room = label.fontMetrics().size(0, widest)
            label.setFixedSize(room.width() + 8, room.height())  # another text lays nothing out anew
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName("Step at the playhead")
        self.slider.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.slider.valueChanged.connect(self._moved)
        layout = Flow(self)
        layout.keep_together(self.play, self.back, self.forward)
        layout.keep_together(self.slower, self.speed, self.faster)
        layout.grow(self.slider, LEAST)
        layout.keep_together(self.counter, self.lens, self.plots)
        self.play.clicked.connect(self.toggled)
        self.back.clicked.connect(self._back)
        self.forward.clicked.connect(self._forward)
        self.slower.clicked.connect(self._slower)
        self.faster.clicked.connect(self._faster)
        self.lens.clicked.connect(self.lens_wanted)
        self.plots.clicked.connect(self.plots_wanted)
        self.refresh()

    def refresh(self) -> None:
        """Show the player as it is."""
        player = self.player
        has_run = player.edge.config is not None
        for widget in (self.play, self.back, self.forward, self.slider):
            widget.setEnabled(has_run)
        self.play.setText("Pause" if player.playing else "Replay" if player.ended else "Play")
        self.speed.setText(player.speed_words)
        self.counter.setText(player.place_words)
        self.slider.blockSignals(True)
        self.slider.setRange(0, player.last)
        self.slider.setValue(player.position)
        self.slider.blockSignals(False)

    def _button(self, text: str, name: str, hint: str, widest: str = "") -> QPushButton:
        button = QPushButton(text)
        button.setAccessibleName(name)
        button.setToolTip(hint)
        button.setFixedWidth(button.fontMetrics().horizontalAdvance(widest or text) + 28)
        button.setStyleSheet("padding: 5px 4px")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # so that Space goes on to mean play after a click
        return button

    def _moved(self, value: int) -> None:
        self.sought.emit(value)

    def _back(self) -> None:
        self.stepped.emit(-1)

    def _forward(self) -> None:
        self.stepped.emit(1)

    def _slower(self) -> None:
        self.sped.emit(-1)

    def _faster(self) -> None:
        self.sped.emit(1)
