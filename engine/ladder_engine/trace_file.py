"""A trace as a file: JSON lines, one event a line, RunStarted first and RunEnded last."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import msgspec

from ladder_engine.errors import TraceFileError
from ladder_engine.trace import SCHEMA, AnyEvent, RunEnded, RunStarted

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AnyEvent)


class TraceWriter:
    """A sink that writes. Use it as a context manager. Raises TraceFileError naming the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
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


def read_trace(path: Path) -> list[AnyEvent]:
    """Every event of a recorded run. Raises TraceFileError: one sentence, naming the file and what to do."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise TraceFileError(f"{path}: cannot be read ({error.strerror}); name a recorded trace.") from None
    events: list[AnyEvent] = []
    for number, line in enumerate(lines, start=1):
        try:
            events.append(_decoder.decode(line))
        except msgspec.MsgspecError as error:
            if number == 1:
                break
            if number == len(lines):
                raise _cut(path, events) from None
            raise TraceFileError(
                f"{path}: line {number} is damaged ({error}); record the run again."
            ) from None
        first = events[0]
        if not isinstance(first, RunStarted):
            break
        if first.schema != SCHEMA:
            raise TraceFileError(
                f"{path}: is a trace of version {first.schema}, and this program reads version {SCHEMA}; "
                "use the program that recorded it."
            )
    if not events or not isinstance(events[0], RunStarted):
        raise TraceFileError(f"{path}: is not a trace of this engine; record one with `engine run --trace`.")
    if not isinstance(events[-1], RunEnded):
        raise _cut(path, events)
    return events


def _cut(path: Path, events: list[AnyEvent]) -> TraceFileError:
    return TraceFileError(f"{path}: breaks off after step {events[-1].step}; record the run again.")
