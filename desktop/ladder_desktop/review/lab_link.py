"""A quiet link from an answer to the scenario of the live lab that shows it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal

from ladder_desktop.review.key_button import KeyButton


class LabLink(KeyButton):
    """Hidden where there is no scenario.

    `watched` carries the id of the scenario, with `?compare` behind it where two variants run side by side.
    """

    watched = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("link")
        self._lab = ""
        self.clicked.connect(self._watch)
        self.hide()

    def show_lab(self, lab: str | None, variants: Sequence[str] = ()) -> None:
        """Lead to this scenario, or to its first two variants side by side."""
        pair = " beside ".join(variants[:2]) if len(variants) > 1 else ""
        self._lab = f"{lab}?compare" if lab and pair else lab or ""
        self.setText(f"Run it: {pair}  →" if pair else "Watch it run  →")
        self.setAccessibleName(
            f"Run it in the live lab, side by side: {pair}" if pair else "Watch it run in the live lab"
        )
        self.setVisible(bool(lab))

    def _watch(self) -> None:
        self.watched.emit(self._lab)
