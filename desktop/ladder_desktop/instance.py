"""One window for each data folder: a second start finds the first, hands over what it was asked to open, and ends.

The lock file says who is first; it tells a process that is gone from one that is busy, so a window that was killed
leaves nothing in the way. The socket carries the message.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
from PySide6.QtCore import QCryptographicHash, QDeadlineTimer, QLockFile, QObject, Signal

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

ANSWER_MS = 3000
LARGEST = 64 * 1024  # bytes of a message


class Message(msgspec.Struct):
    """What a second start asks of the first."""

    target: str
    pack: str


class BusyError(Exception):
    """Another window has the data folder and does not answer; the message is one sentence."""


class Instance(QObject):
    """The claim on a data folder. `asked` carries a target and the path of a pack, each may be empty."""

    asked = Signal(str, str)

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self._lock = QLockFile(str(data_dir / "window.lock"))
        self._lock.setStaleLockTime(0)  # only the death of its owner makes it stale
        self._server: QLocalServer | None = None

    def claim(self, target: str, pack: str) -> bool:
        """Return whether this is the first window. If not, the first has been asked to open target and pack.

        BusyError if the first does not answer. A data folder that cannot be written is left to the store to name.
        """
        if not self._data_dir.is_dir() or self._lock.tryLock(0):
            return True
        if self._lock.error() != QLockFile.LockError.LockFailedError:
            return True
        deadline = QDeadlineTimer(ANSWER_MS)
        while not deadline.hasExpired():
            if self._hand_over(target, pack, deadline):
                return False
        raise BusyError(
            f"Runtime Ladder is open already on {self._data_dir} and does not answer; close it and try again."
        )

    def listen(self) -> None:
        """Answer further starts from now on. Not before the window is there: the network takes its time to load."""
        from PySide6.QtNetwork import QLocalServer

        QLocalServer.removeServer(self._name)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._take_message)
        self._server.listen(self._name)

    def release(self) -> None:
        """Let another start be the first."""
        if self._server is not None:
            self._server.close()
        self._lock.unlock()

    @property
    def _name(self) -> str:
        folder = str(self._data_dir.resolve()).encode()
        digest = QCryptographicHash.hash(folder, QCryptographicHash.Algorithm.Sha256).toHex()
        return f"runtime-ladder-{bytes(digest.data()[:20]).decode()}"

    def _hand_over(self, target: str, pack: str, deadline: QDeadlineTimer) -> bool:
        from PySide6.QtNetwork import QLocalSocket

        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(200):
            return False
        socket.write(msgspec.json.encode(Message(target, pack)) + b"\n")
        socket.flush()
        answered = socket.waitForReadyRead(max(1, deadline.remainingTime()))
        socket.abort()
        return answered

    def _take_message(self) -> None:
        assert self._server is not None
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(self._read)
            socket.disconnected.connect(socket.deleteLater)

    def _read(self) -> None:
        socket = cast("QLocalSocket", self.sender())
        if not socket.canReadLine():
            if socket.bytesAvailable() > LARGEST:
                socket.abort()
            return
        try:
            message = msgspec.json.decode(bytes(socket.readLine(LARGEST).data()), type=Message)
        except msgspec.DecodeError:
            socket.abort()
            return
        socket.write(b"ok\n")
        socket.flush()
        self.asked.emit(message.target, message.pack)
