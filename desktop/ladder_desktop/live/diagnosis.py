"""One action of the lab: the shape of the run goes to the pack's classifier. The dialog is made when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder_content.model import Pack
from ladder_engine.tracing.state import RunState
from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from ladder_desktop.live.classify_dialog import ClassifyDialog
    from ladder_desktop.live.live_page import LivePage

CLASSIFIER = "hub-classifier"
SECTION = "signatures"


class Diagnosis(QObject):
    """Owns the dialog. Without a pack, or with one that has no such program, it says so."""

    def __init__(self, page: LivePage, pack: Pack | None) -> None:
        super().__init__(page)
        self._page, self._pack = page, pack
        self.dialog: ClassifyDialog | None = None

    def ask(self) -> None:
        """Classify the run up to the playhead."""
        page = self._page
        runs = self._runs()
        if any(state.config is None for state in runs.values()):
            page.head.say("There is no run to classify yet.", "bad")
            return
        dialog = self._made()
        if dialog is None:
            page.head.say("This pack has no bottleneck classifier to put the run to.", "bad")
            return
        dialog.classify(runs, page.compare_panels.looked if page.comparing else 0)
        dialog.open()

    def _runs(self) -> dict[str, RunState]:
        """What is watched, up to the playhead, by its name."""
        page = self._page
        if not page.comparing:
            return {"": page.player.state}
        return {name: side.state for name, side in zip(page.comparer.names, page.duet.sides, strict=True)}

    def shutdown(self) -> None:
        """End what runs."""
        if self.dialog is not None:
            self.dialog.shutdown()

    def _made(self) -> ClassifyDialog | None:
        if self.dialog is None:
            from ladder_desktop.live.classify_dialog import ClassifyDialog

            for study in self._pack.studies if self._pack else ():
                for snippet in study.snippets:
                    if snippet.id == CLASSIFIER:
                        links = f"study:{study.id}/gist/{SECTION}", f"study:{study.id}/sandbox/{CLASSIFIER}"
                        self.dialog = ClassifyDialog(snippet, links, self._page.theme, parent=self._page)
                        self.dialog.go.connect(self._page.go)
        return self.dialog
