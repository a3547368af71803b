"""Ctrl+C in the terminal and a polite kill quit as the menu does."""

from __future__ import annotations

import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier
from PySide6.QtWidgets import QApplication


class PoliteEnd(QObject):
    """Takes the signals that ask a program to end; Python's own handler would raise in some slot and be lost there.

    A signal wakes the event loop through a socket, for Python runs handlers only between its own instructions and an
    idle window has none. `wanted` remembers one that came before the loop, which begins by forgetting such wishes.
    """

    def __init__(self, qt: QApplication) -> None:
        super().__init__(qt)
        self.wanted = False
        self._qt = qt
        self._heard, self._rung = socket.socketpair()
        for end in (self._heard, self._rung):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._heard.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._wake)
        self._bell_before = signal.set_wakeup_fd(self._rung.fileno(), warn_on_full_buffer=False)
        self._before = {
            number: signal.signal(number, self._ask)
            for number in (signal.SIGINT, signal.SIGTERM)
            if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL)
        }

    def close(self) -> None:
        """Give the signals back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._bell_before)
        self._notifier.setEnabled(False)
        self._heard.close()
        self._rung.close()
        self.deleteLater()

    def _ask(self, *_: object) -> None:
        self.wanted = True

    def _wake(self) -> None:
        self._heard.recv(64)
        if self.wanted:
            self._qt.quit()
