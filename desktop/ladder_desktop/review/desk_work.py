"""Something done on a desk that takes long where the log is long: at once, or beside the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from ladder_desktop.beside import Beside
from ladder_desktop.study import Desk, StudyError


class DeskWork(QObject):
    """Emits `done` with what the work returned, or `failed` with the error of a desk that would not."""

    done = Signal(object)
    failed = Signal(object)

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._beside = Beside(self)
        self._beside.finished.connect(self.done)
        self._beside.failed.connect(self.failed)

    def start(self, work: Callable[[Desk], object]) -> bool:
        """Do it, and return whether it goes on beside the window; what it stores is stored whole or not at all."""
        if self._desk.is_large:
            self._beside.start(self._desk.apart(work))
            return True
        try:
            result = work(self._desk)
        except StudyError as error:
            self.failed.emit(error)
        else:
            self.done.emit(result)
        return False

    def stop(self) -> None:
        """Let what is being stored be stored, and tell nobody."""
        self._beside.stop()
