"""A trace as a file: JSON lines, one event a line, RunStarted first and RunEnded last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Literal

import msgspec

from ladder_engine.errors import TraceFileError
from ladder_engine.tracing.events import READABLE, SCHEMA, AnyEvent, RunEnded, RunStarted

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AnyEvent)


class TraceWriter:
    """A sink that writes. Use it as a context manager. Raises TraceFileError naming the file, or what it will be called."""

    def __init__(self, path: Path, called: Path | None = None) -> None:
        self._path = called or path
        try:
            self._file = path.open("wb")
        except OSError as error:
            raise self._failed(error) from None

    def __call__(self, events: list[AnyEvent]) -> None:
        """Append events."""
        try:
            self._file.write(_encoder.encode_lines(events))
        except OSError as error:
            raise self._failed(error) from None

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        try:
            self._file.close()
        except OSError as cause:
            raise self._failed(cause) from None

    def _failed(self, error: OSError) -> TraceFileError:
        return TraceFileError(f"{self._path}: cannot be written ({error.strerror}); choose another place.")


class TraceReader:
    """Reads a recorded run piece by piece, so that a long one can be watched while it is read.

    Raises TraceFileError, one sentence naming the file and what to do, when it is opened or where it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line = 0
        self._step = 0
        self._ended = False
        self._fault: TraceFileError | None = None
        self.done = False
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise TraceFileError(
                f"{path}: cannot be read ({error.strerror}); name a recorded trace."
            ) from None
        try:
            self._first = self._read_first()
        except BaseException:
            self._file.close()
            raise

    def read(self, most: int) -> list[AnyEvent]:
        """The next events, as many as `most`; fewer only at the end, where `done` is set and the file closed.

        Where the file is damaged, what stands before comes first; the call after that raises TraceFileError.
        """
        events: list[AnyEvent] = [] if self._line > 1 or self._first is None else [self._first]
        self._first = None
        try:
            while len(events) < most and (line := self._next_line()):
                self._line += 1
                events.append(self._decode(line))
        except TraceFileError as error:
            self.done = not events
            if self.done:
                raise
            self._fault = error
        return events

    def _next_line(self) -> bytes:
        """The next line, b"" behind a run's end. Raises TraceFileError if there is no more and should be."""
        if self._fault is not None:
            raise self._fault
        line = self._file.readline()
        if not line:
            self.close()
            if not self._ended:
                raise self._cut()
        return line

    def close(self) -> None:
        """Let go of the file."""
        self.done = True
        self._file.close()

    def _read_first(self) -> AnyEvent | None:
        try:
            first = _decoder.decode(self._file.readline())
        except msgspec.MsgspecError:
            first = None
        self._line = 1
        if not isinstance(first, RunStarted):
            raise TraceFileError(
                f"{self._path}: is not a trace of this engine; record one with `engine run --trace`."
                if self._schema() is None
                else self._foreign()
            )
        if first.schema not in READABLE:
            raise TraceFileError(self._foreign())
        return first

    def _schema(self) -> int | None:
        """The version that the first line names, whatever else it holds."""
        try:
            self._file.seek(0)
            return msgspec.json.decode(self._file.readline(), type=_Head).schema
        except msgspec.MsgspecError:
            return None

    def _foreign(self) -> str:
        return (
            f"{self._path}: is a trace of version {self._schema()}, and this program reads version {SCHEMA}; "
            "use the program that recorded it."
        )

    def _decode(self, line: bytes) -> AnyEvent:
        try:
            event = _decoder.decode(line)
        except msgspec.MsgspecError as error:
            self.close()
            if not line.endswith(b"\n"):
                raise self._cut() from None
            raise TraceFileError(
                f"{self._path}: line {self._line} is damaged ({error}); record the run again."
            ) from None
        self._step, self._ended = event.step, isinstance(event, RunEnded)
        return event

    def _cut(self) -> TraceFileError:
        return TraceFileError(f"{self._path}: breaks off after step {self._step}; record the run again.")


def read_trace(path: Path) -> list[AnyEvent]:
    """Every event of a recorded run. Raises TraceFileError: one sentence, naming the file and what to do."""
    reader = TraceReader(path)
    events: list[AnyEvent] = []
    while not reader.done:
        events += reader.read(100_000)
    return events


def write_trace(path: Path, events: Iterable[AnyEvent]) -> None:
    """Write a whole run; the file is there in full or not at all. Raises TraceFileError."""
    with in_full(path) as part, TraceWriter(part, path) as write:
        for batch in batched(events, 10_000):
            write(batch)


@contextmanager
def in_full(path: Path) -> Iterator[Path]:
    """A file to write into, which becomes `path` at the end, or vanishes where that is not reached.

    Raises TraceFileError naming `path` for any OSError in between.
    """
    part = path.with_name(path.name + ".part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        raise TraceFileError(f"{path}: cannot be written ({error.strerror}); choose another place.") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def batched(events: Iterable[AnyEvent], count: int) -> Iterator[list[AnyEvent]]:
    """The events in lists of so many."""
    rest = iter(events)
    while batch := list(islice(rest, count)):
        yield batch


class _Head(msgspec.Struct):
    type: Literal["RunStarted"]
    schema: int
