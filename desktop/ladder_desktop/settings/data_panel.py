"""Your data: where it lies, the daily copies, and the way back to one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from ladder_desktop.review.announce import announce
from ladder_desktop.study import StudyError
from ladder_desktop.study.backups import Backups

NONE_YET = "There are no copies yet. One is made each day, when the window opens."


class DataPanel(QWidget):
    """A list over the copies; `restore` takes the path of one and returns a sentence, or raises StudyError."""

    def __init__(self, data_dir: Path, restore: Callable[[Path], str]) -> None:
        super().__init__()
        self._backups = Backups(data_dir)
        self._restore = restore
        where = QLabel(f"Everything you have learned is in {data_dir}; nothing of it leaves this machine.")
        where.setTextFormat(Qt.TextFormat.PlainText)
        where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        where.setWordWrap(True)
        heading = QLabel("Daily copies")
        heading.setProperty("role", "heading")
        self.list = QListWidget()
        self.list.setAccessibleName("Daily copies of your progress, the newest first")
        self.list.setMinimumHeight(180)
        self.button = QPushButton("Go back to this copy")
        self.button.setAccessibleName("Go back to the chosen copy")
        self.button.clicked.connect(self.go_back)
        self.sentence = QLabel()
        self.sentence.setProperty("role", "muted")
        self.sentence.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        for widget in (where, heading, self.list):
            layout.addWidget(widget)
        layout.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self.sentence)
        layout.addStretch(1)
        for backup in self._backups.all():
            item = QListWidgetItem(backup.sentence)
            item.setData(Qt.ItemDataRole.UserRole, backup.path)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        empty = self.list.count() == 0
        self.button.setDisabled(empty)
        self.sentence.setText(NONE_YET if empty else "What is there now is kept beside the copies.")

    def go_back(self) -> None:
        """Make the progress what the chosen copy is."""
        try:
            said = self._restore(Path(self.list.currentItem().data(Qt.ItemDataRole.UserRole)))
        except StudyError as error:
            said = str(error)
        self.sentence.setText(said)
        announce(self, said)
