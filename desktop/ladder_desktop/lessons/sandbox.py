"""Runs a snippet in the sealed interpreter: a worker process without files, network or clock, within hard limits. No Qt.

The code may be a stranger's. It runs in pydantic-monty's own process and never in ours; what comes back is text,
plain values and how the run ended. A limit that the worker fails to keep is kept by ending the worker.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from reprlib import Repr
from typing import TYPE_CHECKING, Any

from ladder_content.model import Vector

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontySession, OSPolicy, ResourceLimits

SECONDS = 1.5  # of work; with the start of a worker and the way back, a run ends within two
GRACE = 0.2  # after that the worker is ended from outside
MEMORY = 64 * 2**20  # bytes
OUTPUT = 64_000  # characters
NEEDS = "The monty syntax parser does not yet support "


class Ending(Enum):
    """How a run ended."""

    FINISHED = "finished"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    TOO_MUCH_OUTPUT = "too much output"
    STOPPED = "stopped"


SENTENCES = {
    Ending.FINISHED: "Finished.",
    Ending.TIMED_OUT: f"Ended: the program was not done after {SECONDS:g} seconds.",
    Ending.OUT_OF_MEMORY: f"Ended: the program asked for more than {MEMORY // 2**20} MiB of memory.",
    Ending.TOO_MUCH_OUTPUT: f"Ended: the program printed more than {OUTPUT:,} characters. They stand here.",
    Ending.STOPPED: "Stopped.",
}


@dataclass(frozen=True)
class Checked:
    """One vector after its call: what came back, or the error in its place, and whether that is right."""

    vector: Vector
    got: str
    right: bool


@dataclass(frozen=True)
class Outcome:
    """How a run ended, what it printed, and the vectors that were reached. `line` counts from 1 in the code."""

    ending: Ending
    output: str = ""
    message: str = ""
    line: int | None = None
    checked: tuple[Checked, ...] = ()

    @property
    def sentence(self) -> str:
        """Say how it ended."""
        if self.ending is not Ending.FAILED:
            return SENTENCES[self.ending]
        return f"Line {self.line}: {self.message}" if self.line else self.message


class Switch:
    """Ends one run from any thread, whether it has begun or not. `reason` is why it did."""

    def __init__(self) -> None:
        self.reason: Ending | None = None
        self.worker: int | None = None
        self._lock = threading.Lock()

    def press(self, reason: Ending = Ending.STOPPED) -> None:
        """End the run; the first reason counts."""
        with self._lock:
            self.reason = self.reason or reason
            if self.worker is not None:
                with suppress(OSError):  # it has ended by itself
                    os.kill(self.worker, signal.SIGTERM)
                self.worker = None

    @contextmanager
    def over(self, worker: int | None) -> Iterator[None]:
        """Let the switch end this process until the block is left, and at once if it has been pressed."""
        with self._lock:
            self.worker = worker
        try:
            if self.reason is not None:
                self.press()
            yield
        finally:
            with self._lock:
                self.worker = None


class Sandbox:
    """Owns the worker process. One run at a time; `close` when no run is on."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._pool: Monty | None = None

    def run(self, code: str, switch: Switch, vectors: Sequence[Vector] = ()) -> Outcome:
        """Run `code` in a fresh session, then call each vector in it; what goes wrong is in the Outcome."""
        from pydantic_monty import MontyError

        out = _Output(switch)
        checked: list[Checked] = []
        watch = threading.Timer(self._seconds + GRACE, switch.press, (Ending.TIMED_OUT,))
        try:
            with self._session() as session, switch.over(session.worker_pid):
                watch.start()
                session.feed_run(code, print_callback=out)
                for vector in vectors:
                    checked.append(_check(session, vector, out))
        except MontyError as error:
            ending, message, line = _why(error, switch)
            return Outcome(ending, out.text, message, line, tuple(checked))
        except (OSError, RuntimeError) as error:
            return Outcome(Ending.FAILED, message=f"The sealed interpreter does not start: {error}.")
        finally:
            watch.cancel()
        return Outcome(switch.reason or Ending.FINISHED, out.text, checked=tuple(checked))

    def close(self) -> None:
        """End the worker process."""
        if self._pool is not None:
            self._pool.__exit__(None, None, None)
            self._pool = None

    def _session(self) -> MontySession:
        """Return a session that knows no time and no chance, so that a snippet prints the same for everybody."""
        from pydantic_monty import Monty

        if self._pool is None:
            pool = Monty(max_processes=1, checkout_timeout=10)
            self._pool = pool.__enter__()
        limits: ResourceLimits = {"max_feed_duration_secs": self._seconds, "max_memory": MEMORY}
        policy: OSPolicy = {
            "datetime": datetime(2026, 1, 1, tzinfo=UTC),
            "sleep": "zero",
            "random_start": {"seed": 0},
        }
        return self._pool.checkout(limits=limits, os_policy=policy)


@dataclass
class _Output:
    """Takes what the code prints, and ends the run when that is too much."""

    switch: Switch
    _pieces: list[str] = field(default_factory=list)
    _size: int = 0

    def __call__(self, _stream: str, text: str) -> None:
        room = OUTPUT - self._size
        if room > 0:
            self._pieces.append(text[:room])
            self._size += len(self._pieces[-1])
        if len(text) > room:
            self.switch.press(Ending.TOO_MUCH_OUTPUT)

    @property
    def text(self) -> str:
        return "".join(self._pieces)


def _check(session: MontySession, vector: Vector, out: _Output) -> Checked:
    """Call a vector; an error of the code is its result, an error of the run goes on to the caller."""
    from pydantic_monty import MontyRuntimeError, MontySyntaxError

    try:
        value = session.feed_run(vector.call, print_callback=out)
    except (MontyRuntimeError, MontySyntaxError) as error:
        if _limit(str(error.exception())):
            raise
        return Checked(vector, f"{_message(error)}", False)
    return Checked(vector, shown(value), vector.accepts(value))


def _why(error: Any, switch: Switch) -> tuple[Ending, str, int | None]:
    from pydantic_monty import MontyCrashedError, MontyRuntimeError, MontySyntaxError

    short = switch.reason or _limit(str(error.exception()))
    if short is not None:
        return short, "", None
    if isinstance(error, MontyCrashedError):
        return (
            Ending.FAILED,
            "The sealed interpreter broke down over this code. The next run has a new one.",
            None,
        )
    if isinstance(error, MontyRuntimeError | MontySyntaxError):
        lines = [frame.line for frame in error.traceback() if frame.filename != "<string>"]
        return Ending.FAILED, _message(error), lines[-1] if lines else None
    return Ending.FAILED, str(error), None


def _limit(message: str) -> Ending | None:
    """Recognise the worker's own limits, which it reports like errors of the code."""
    if message.startswith("feed time limit exceeded"):
        return Ending.TIMED_OUT
    return Ending.OUT_OF_MEMORY if message.startswith("memory limit exceeded") else None


def _message(error: Any) -> str:
    """Return type and message of an error, cut to a length one reads."""
    message = str(error.exception())
    if message.startswith(NEEDS):
        return f"this needs {message.removeprefix(NEEDS)}, which the sealed interpreter does not know."
    kind = type(error.exception()).__name__
    return (f"{kind}: {message}" if message else kind)[:500]


_SHORT = Repr()
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = 20
_SHORT.maxstring = _SHORT.maxother = 200


def shown(value: object) -> str:
    """Return a value as Python writes it, cut to a length one reads, however large it is."""
    if isinstance(value, float):
        return f"{value:.10g}"
    try:
        return _SHORT.repr(value)[:400]
    except ValueError:  # a whole number of more digits than Python prints
        return "a whole number of thousands of digits"
