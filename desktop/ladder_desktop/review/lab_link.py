"""A quiet link from an answer to the scenario of the live lab that shows it."""

from __future__ import annotations

from PySide6.QtCore import Signal

from ladder_desktop.review.key_button import KeyButton


class LabLink(KeyButton):
    """Hidden where there is no scenario. `watched` carries the id of the scenario."""

    watched = Signal(str)

    def __init__(self) -> None:
        super().__init__("Watch it run  →")
        self.setObjectName("link")
        self.setAccessibleName("Watch it run in the live lab")
        self._lab = ""
        self.clicked.connect(self._watch)
        self.hide()

    def show_lab(self, lab: str | None) -> None:
        """Lead to this scenario."""
        self._lab = lab or ""
        self.setVisible(bool(lab))

    def _watch(self) -> None:
        self.watched.emit(self._lab)
