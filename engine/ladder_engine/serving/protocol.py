"""What the engine's process and its parent say to each other.

Both pipes carry frames: the length of the body as 4 little-endian bytes, then the body in msgpack. To the child a
body is one command; from the child it is an array of trace events, or of one `Failed` for a run that could not begin, or of one `Declined` for
a command that changes nothing.
No torch here.
"""

from __future__ import annotations

from typing import IO, Any, Literal

import msgspec

from ladder_engine.sampling import SamplingParams
from ladder_engine.tracing.events import AnyEvent

KernelMode = Literal["auto", "torch", "triton", "interpret"]
MAX_FRAME = 64 << 20


class Run(msgspec.Struct, frozen=True, tag_field="type", tag=True):
    """Run the scenario file, in one of its variants; a run that is going on is stopped first.

    `until`: see Advance. `models_dir` is where added models are kept; `model` takes the place of the scenario's own.
    """

    scenario: str
    kernels: KernelMode = "auto"
    variant: str = ""
    until: int | None = None
    models_dir: str = ""
    watch_kernels: bool = False
    model: str = ""


class Advance(msgspec.Struct, frozen=True, tag_field="type", tag=True):
    """Go on until this step is done and then hold, computing nothing; None: never hold.

    A step that is over holds at once. While the engine holds, its clock stands still.
    """

    until: int | None = None


class Add(msgspec.Struct, frozen=True, tag_field="type", tag=True):
    """One more request arrives, before the next step."""

    name: str
    prompt: str
    max_tokens: int
    sampling: SamplingParams = SamplingParams()


class Configure(msgspec.Struct, frozen=True, tag_field="type", tag=True):
    """Change these settings (fields of EngineConfig) before the next step."""

    changes: dict[str, Any]


class WatchKernels(msgspec.Struct, frozen=True, tag_field="type", tag=True):
    """Note from the next step on which kernels a step launches (KernelsRan), or no longer."""

    on: bool


class Abort(msgspec.Struct, frozen=True, tag_field="type", tag=True):
    """Abort one sequence of the run; a sequence that is over is left alone."""

    seq_id: int


class Stop(msgspec.Struct, frozen=True, tag_field="type", tag=True):
    """Abort everything and end the run."""


class Shutdown(msgspec.Struct, frozen=True, tag_field="type", tag=True):
    """End the run and the process."""


class Failed(msgspec.Struct, frozen=True, tag_field="type", tag=True):
    """A run could not begin, or a command made no sense. `message` is one sentence for a person."""

    message: str


class Declined(msgspec.Struct, frozen=True, tag_field="type", tag=True):
    """A command could not be followed, and the run goes on as it was. `message` is one sentence for a person."""

    message: str


Command = Run | Advance | Add | Configure | WatchKernels | Abort | Stop | Shutdown
Message = AnyEvent | Failed | Declined

_encoder = msgspec.msgpack.Encoder()
_commands = msgspec.msgpack.Decoder(Command)
_messages = msgspec.msgpack.Decoder(list[Message])


class ProtocolError(Exception):
    """The other side said something that is not part of the protocol."""


def write_frame(stream: IO[bytes], body: Command | list[AnyEvent] | list[Failed] | list[Declined]) -> None:
    """Write one frame and flush it."""
    payload = _encoder.encode(body)
    stream.write(len(payload).to_bytes(4, "little") + payload)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """The body of the next frame, None at the end of the stream. Raises ProtocolError for a length that cannot be."""
    header = stream.read(4)
    if len(header) < 4:
        return None
    length = int.from_bytes(header, "little")
    if length > MAX_FRAME:
        raise ProtocolError(f"a frame of {length} bytes")
    body = stream.read(length)
    return body if len(body) == length else None


def decode_command(body: bytes) -> Command:
    """Raises ProtocolError."""
    try:
        return _commands.decode(body)
    except msgspec.MsgspecError as error:
        raise ProtocolError(str(error)) from None


def decode_messages(body: bytes) -> list[Message]:
    """Raises ProtocolError."""
    try:
        return _messages.decode(body)
    except msgspec.MsgspecError as error:
        raise ProtocolError(str(error)) from None
