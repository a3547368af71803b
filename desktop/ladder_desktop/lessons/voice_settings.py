"""The panel of the settings in which a person chooses a voice, and how fast it reads."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QPushButton, QSlider, QVBoxLayout, QWidget

from ladder_desktop.chooser import Chooser
from ladder_desktop.preferences import SPEEDS, Preferences
from ladder_desktop.voice.find_speaker import how_to_get_one
from ladder_desktop.voice.reading import Reading
from ladder_desktop.voice.script import Line

SAMPLE = "A decode step reads every weight once, and that sets its floor."
STEPS = 10  # of the slider, to one


class VoicePanel(QWidget):
    """Shows the voices of this machine when it is first seen. Call `shutdown` before it goes: one may be speaking."""

    def __init__(self, preferences: Preferences, reading: Reading | None = None) -> None:
        super().__init__()
        self._preferences = preferences
        self._reading = reading or Reading(preferences, parent=self)
        self._asked = False
        self.voice = Chooser()
        self.voice.setAccessibleName("Voice")
        self.voice.view().setAccessibleName("Voices of this machine")
        self.voice.addItem("The usual voice of this machine", "")
        if preferences.voice:
            self.voice.addItem(preferences.voice, preferences.voice)
            self.voice.setCurrentIndex(1)
        self.speed = QSlider(Qt.Orientation.Horizontal)
        self.speed.setAccessibleName("Speed of the voice")
        self.speed.setRange(round(SPEEDS[0] * STEPS), round(SPEEDS[1] * STEPS))
        self.speed.setPageStep(2)
        self.speed.setValue(round(preferences.voice_speed * STEPS))
        self.told = QLabel()
        self.told.setMinimumWidth(40)
        self.sample = QPushButton("Try it")
        self.sample.setAccessibleName("Hear the voice")
        self.lack = QLabel(how_to_get_one())
        self.lack.setWordWrap(True)
        self.lack.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._lay_out()
        self.voice.activated.connect(self._choose)
        self.speed.valueChanged.connect(self._pace)
        self.sample.clicked.connect(self.hear)
        self._tell()
        able = self._reading.speaker is not None
        for widget in (self.voice, self.speed, self.sample):
            widget.setEnabled(able)
        self.lack.setHidden(able)

    def hear(self) -> None:
        """Say a sentence with the voice and at the speed that are chosen."""
        self._reading.begin([Line(0, len(SAMPLE), SAMPLE)])

    def shutdown(self) -> None:
        """Fall silent and leave no process behind."""
        self._reading.close()

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the voices, once."""
        super().showEvent(event)
        speaker = self._reading.speaker
        if speaker is not None and not self._asked:
            self._asked = True
            speaker.listed.connect(self._fill)
            speaker.list_voices()

    def _fill(self, names: list[str]) -> None:
        for name in names:
            if self.voice.findData(name) < 0:
                self.voice.addItem(name, name)

    def _choose(self) -> None:
        self._preferences.voice = str(self.voice.currentData())

    def _pace(self, value: int) -> None:
        self._preferences.voice_speed = value / STEPS
        self._tell()

    def _tell(self) -> None:
        self.told.setText(f"{self.speed.value() / STEPS:.1f}×")
        self.speed.setAccessibleDescription(f"{self.speed.value() / STEPS:.1f} times its usual pace")

    def _lay_out(self) -> None:
        pace = QHBoxLayout()
        pace.addWidget(self.speed, 1)
        pace.addWidget(self.told)
        rows = QFormLayout()
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        rows.addRow("Voice", self.voice)
        rows.addRow("Speed", pace)
        rows.addRow("", self.sample)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.lack)
        layout.addLayout(rows)
        layout.addStretch(1)
