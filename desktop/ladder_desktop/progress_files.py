"""Progress out and in, and packs: the three things of the File menu that ask for a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ladder_content.faults import PackError
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QWidget

from ladder_desktop.actions import make_action
from ladder_desktop.dialogs import show_fault, show_notice
from ladder_desktop.study import Desk, StudyError

if TYPE_CHECKING:
    from ladder_desktop import exporting


class Host(Protocol):
    """What the dialogs need of the application."""

    desk: Desk

    @property
    def window(self) -> QWidget:
        """The window that dialogs belong to."""

    def open_pack(self, path: Path) -> None:
        """Show another pack; PackError or StudyError leaves all as it was."""

    def export(self, path: Path) -> exporting.Exported:
        """Write the progress to a file."""

    def show_progress(self) -> None:
        """Show what has changed for the whole of the progress."""


class ProgressFiles(QObject):
    """The dialogs, and the actions that open them."""

    def __init__(self, host: Host, parent: QObject) -> None:
        super().__init__(parent)
        self._host = host
        self.actions: list[QAction] = [
            self._action("export", "&Export progress…", self.ask_export, "Ctrl+E"),
            self._action("import", "&Import progress…", self.ask_import, "Ctrl+Shift+I"),
            self._action("open-pack", "Open a &pack…", self.ask_pack, "Ctrl+O"),
        ]

    def _action(self, verb: str, text: str, slot: Callable[[], None], key: str) -> QAction:
        return make_action(self, f"window.{verb}", text, slot, [key])

    def ask_export(self) -> None:
        """Ask for a file name and write the progress there."""
        from ladder_desktop import exporting

        filters = ";;".join(
            f"{words[0].upper()}{words[1:]} (*{suffix})" for suffix, words in exporting.FORMATS.items()
        )
        name, chosen = QFileDialog.getSaveFileName(
            self._host.window, "Export progress", str(Path.home() / "runtime-ladder.apkg"), filters
        )
        if not name:
            return
        path = Path(name)
        if path.suffix == "":
            path = path.with_suffix(chosen.rsplit("*", 1)[-1].rstrip(")"))
            if path.exists():  # the dialog asked about another name
                show_fault(self._host.window, f"{path} exists already; give its whole name to replace it.")
                return
        try:
            exported = self._host.export(path)
        except (exporting.ExportError, StudyError) as error:
            show_fault(self._host.window, str(error))
        else:
            show_notice(self._host.window, exported.sentence)

    def ask_import(self) -> None:
        """Ask for a progress bundle and read it into this profile, which must be empty."""
        from ladder_desktop import exporting

        name, _ = QFileDialog.getOpenFileName(
            self._host.window, "Import progress", "", "Progress bundle (*.ladder)"
        )
        if not name:
            return
        try:
            count = exporting.import_bundle(Path(name), self._host.desk)
        except (exporting.ImportFault, StudyError) as error:
            show_fault(self._host.window, str(error))
        else:
            show_notice(self._host.window, f"{count} reviews were read from {Path(name).name}.")
            self._host.show_progress()

    def ask_pack(self) -> None:
        """Ask for a pack (a zip, or the pack.yaml of a folder) and open it."""
        name, _ = QFileDialog.getOpenFileName(self._host.window, "Open a pack", "", "Packs (*.zip pack.yaml)")
        if not name:
            return
        path = Path(name)
        try:
            self._host.open_pack(path.parent if path.name == "pack.yaml" else path)
        except (PackError, StudyError) as error:
            show_fault(self._host.window, str(error))
