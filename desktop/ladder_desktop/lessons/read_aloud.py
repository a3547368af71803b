"""Reading a lesson aloud: the button and its keys, and the sentence that is tinted as it is said."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from ladder_desktop.actions import explain, make_action
from ladder_desktop.dialogs import show_fault
from ladder_desktop.lessons.reader import Reader
from ladder_desktop.voice.find_speaker import how_to_get_one
from ladder_desktop.voice.reading import Reading
from ladder_desktop.voice.script import Line, script_of

ToRead = Callable[[], tuple[Reader, int, int | None]]


class ReadAloud(QObject):
    """Reads what a page has to read. Where nobody can, the button and the actions say what to install."""

    def __init__(self, page: QWidget, reading: Reading, to_read: ToRead) -> None:
        super().__init__(page)
        self._page = page
        self._reading = reading
        self._to_read = to_read
        self._reader: Reader | None = None
        self.button = QPushButton()
        self.button.clicked.connect(self.toggle)
        self.actions = [
            make_action(page, "lesson.read-aloud", "Read aloud, or stop", self.toggle, ["Ctrl+Shift+A"]),
            make_action(
                page, "lesson.read-on", "Read on from the next sentence", self.skip, ["Ctrl+Shift+Right"]
            ),
            make_action(
                page, "lesson.read-back", "Read the sentence before again", self.back, ["Ctrl+Shift+Left"]
            ),
        ]
        reading.at.connect(self._show)
        reading.failed.connect(self._say_fault)
        if reading.speaker is None:
            self.button.setEnabled(False)
            for action in self.actions:
                explain(action, how_to_get_one())
        self._dress()

    def page_actions(self) -> list[QAction]:
        """Return what can be done, with names and keys."""
        return self.actions

    def toggle(self) -> None:
        """Begin to read, or fall silent."""
        if self._reading.on:
            self._reading.stop()
            return
        self._reader, start, end = self._to_read()
        self._reading.begin(script_of(self._reader.document(), start, end))

    def skip(self) -> None:
        """Leave the rest of this sentence out."""
        self._reading.skip(1)

    def back(self) -> None:
        """Say the sentence before again."""
        self._reading.skip(-1)

    def stop(self) -> None:
        """Fall silent."""
        self._reading.stop()

    def _show(self, line: Line | None) -> None:
        if self._reader is not None:
            self._reader.matches.mark_spoken(*((0, 0) if line is None else (line.start, line.end)))
        self._dress()

    def _dress(self) -> None:
        if self._reading.speaker is None:
            tip = how_to_get_one()
        else:
            tip = f"{self.actions[0].text()} ({self.actions[0].shortcut().toString()})"
        self.button.setText("Stop reading" if self._reading.on else "Read aloud")
        self.button.setAccessibleName(self.button.text())
        self.button.setAccessibleDescription("" if self._reading.speaker else tip)
        self.button.setToolTip(tip)

    def _say_fault(self, sentence: str) -> None:
        show_fault(self._page, sentence)
