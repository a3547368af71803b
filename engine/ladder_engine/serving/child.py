"""The engine's process as its parent holds it: pipes, a reader thread, and an end within two seconds."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Sequence

from ladder_engine.errors import EngineError
from ladder_engine.serving.protocol import (
    Command,
    Message,
    ProtocolError,
    Shutdown,
    decode_messages,
    read_frame,
    write_frame,
)

GRACE_S = 0.6  # the child's time to leave by itself, and again after terminate, and again after kill


class Child:
    """One child process with its pipes, its reader thread and its inbox."""

    def __init__(self, command: Sequence[str]) -> None:
        self.inbox: deque[Message] = deque()
        self._garbage: str | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUTF8": "1"},
                start_new_session=True,  # its own group: an interrupt in the terminal is ours to handle
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            self._errors.close()
            raise EngineError(sentence(f"The engine cannot be started: {error}")) from error
        self._reader = threading.Thread(target=self._read, name="engine-reader", daemon=True)
        self._reader.start()

    @property
    def alive(self) -> bool:
        """Whether more can come: the process runs and what it says makes sense."""
        return self._reader.is_alive()

    def send(self, command: Command) -> None:
        """Write one frame; a child that is gone is noticed by the reader."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            write_frame(self._process.stdin, command)

    def epitaph(self) -> str:
        """Say why there is nothing more to come."""
        if self._garbage is not None:
            return (
                f"The engine sent something that is not part of the protocol ({self._garbage}) and was ended"
            )
        self._gone()
        code = self._process.returncode
        if code is None:
            how = "The engine closed its output"
        elif code == -9:  # SIGKILL, which Windows has no name for
            how = "The engine was killed by the system or another program, as happens when memory runs out"
        elif code < 0:
            how = f"The engine was ended by signal {-code}"
        else:
            how = f"The engine stopped with exit status {code}"
        last = self._last_error_line()
        return f"{how}: {last}" if last else how

    def close(self, patient: bool) -> None:
        """Ask the child to leave and terminate it (both only if patient), kill it; then join the reader."""
        assert self._process.stdin is not None
        if patient:
            self.send(Shutdown())
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        gone = patient and self._gone()
        if patient and not gone:
            self._signal(hard=False)
            gone = self._gone()
        if not gone:
            self._signal(hard=True)
            self._gone()
        self._reader.join(GRACE_S / 3)
        self._errors.close()

    def _gone(self) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
        return self._process.returncode is not None

    def _signal(self, hard: bool) -> None:
        """Tell the child and all it has started to end."""
        if sys.platform == "win32":
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL if hard else signal.SIGTERM)

    def _read(self) -> None:
        """Decode frames until the child closes its output or makes no sense."""
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            try:
                while (body := read_frame(stream)) is not None:
                    self.inbox.extend(decode_messages(body))
            except ProtocolError as error:
                self._garbage = str(error)

    def _last_error_line(self) -> str:
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 4096))
        lines = self._errors.read().decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


def sentence(message: str) -> str:
    """Make one sentence of it: one line, not endless, with a full stop."""
    line = " ".join(message.split())
    if len(line) > 300:
        line = line[:299].rstrip() + "…"
    return line if line.endswith((".", "…", "!", "?")) else line + "."
