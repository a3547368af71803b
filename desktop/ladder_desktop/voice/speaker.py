"""The port to a voice: one that says one text at a time. Who that is on this machine is found in find_speaker.py."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class Speaker(QObject):
    """Says texts. `finished` comes after each text that was said to its end, `failed` with a sentence if one was not.

    `listed` brings the names of the voices there are, once `list_voices` has asked for them.
    """

    finished = Signal()
    failed = Signal(str)
    listed = Signal(list)

    def say(self, text: str, voice: str, speed: float) -> None:
        """Begin to say a text. An empty voice is the platform's own; speed 1 is its usual pace."""
        raise NotImplementedError

    def stop(self) -> None:
        """Fall silent at once; no signal follows."""
        raise NotImplementedError

    def list_voices(self) -> None:
        """Ask which voices there are; `listed` brings their names, as `say` takes them."""
        raise NotImplementedError

    def close(self) -> None:
        """Fall silent, and leave no process and no thread behind."""
        self.stop()
