"""The engine's process: `python -m ladder_engine.serving.service`. Commands come in on stdin, the trace goes out on stdout.

See protocol.py for the frames. Torch is loaded here and only here, so the window never waits for it and never shares
its interpreter lock. When stdin closes, the parent is gone, and so is this process, whatever it was doing.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING

from ladder_engine.errors import EngineError
from ladder_engine.lab.out_of_memory import why
from ladder_engine.serving.protocol import (
    Abort,
    Add,
    Advance,
    Command,
    Configure,
    Declined,
    Failed,
    ProtocolError,
    Run,
    Shutdown,
    Stop,
    WatchKernels,
    decode_command,
    read_frame,
    write_frame,
)

if TYPE_CHECKING:
    from ladder_engine.engine import Engine
    from ladder_engine.tracing.events import AnyEvent

Inbox = SimpleQueue[Command | ProtocolError]


class Service:
    """Runs one scenario after another, and listens between any two steps."""

    def __init__(self, inbox: Inbox, out: IO[bytes]) -> None:
        self._inbox = inbox
        self._out = out
        self._next: Run | Shutdown | None = None  # what ended the run that is going on
        self._until: int | None = None  # the step after which the engine holds
        self._watching = False  # whether somebody watches the kernels

    def serve(self) -> None:
        """Do what comes until Shutdown."""
        while True:
            command, self._next = self._next or self._inbox.get(), None
            match command:
                case Run():
                    self._run(command)
                case Shutdown():
                    return
                case ProtocolError():
                    self._complain(f"The engine was sent a command that it does not know ({command}).")
                case _:
                    pass  # nothing runs

    def _run(self, command: Run) -> None:
        begun = False
        self._until = command.until
        self._watching = command.watch_kernels

        def send(events: list[AnyEvent]) -> None:
            nonlocal begun
            begun = True
            write_frame(self._out, events)

        try:
            from ladder_engine.lab.runner import run_scenario

            models_dir = Path(command.models_dir) if command.models_dir else None
            run_scenario(
                Path(command.scenario),
                send,
                command.kernels,
                self._attend,
                command.variant,
                models_dir,
                command.model,
            )
        except EngineError as error:
            if not begun:  # else the trace has said so
                self._complain(str(error))
        except Exception as error:
            self._complain(f"{command.scenario}: cannot be run ({why(error)}).")

    def _attend(self, engine: Engine) -> bool:
        """Between two steps: do what has come, and wait while the engine holds; returns whether to go on.

        A run that calls with nothing to do is open, and waits for more.
        """
        is_open = not engine.has_work
        engine.kernels.watching = self._watching
        while engine.has_work or is_open:
            held = not engine.has_work or self._is_over(engine.recorder.step)
            if held:
                engine.recorder.flush()  # who has arrived is seen while the engine holds
            began = engine.recorder.tick()
            try:
                command = self._inbox.get(block=held)
            except Empty:
                return True
            if held:
                engine.recorder.skip(engine.recorder.tick() - began)
            if not self._follow(command, engine):
                return False
        return True

    def _is_over(self, step: int) -> bool:
        """Whether all steps that may run have run, when `step` is the next; before the first it is 0."""
        return self._until is not None and max(step, 1) > self._until

    def _follow(self, command: Command | ProtocolError, engine: Engine) -> bool:
        """Do one command of a run that is going on; returns whether the run goes on."""
        match command:
            case Advance():
                self._until = command.until
            case Add():
                engine.add(command.name, command.prompt, command.max_tokens, command.sampling)
            case Configure():
                try:
                    engine.configure(command.changes)
                except EngineError as error:
                    write_frame(self._out, [Declined(str(error))])
            case WatchKernels():
                self._watching = engine.kernels.watching = command.on
            case Abort():
                engine.abort(command.seq_id)
            case Stop():
                return False
            case Run() | Shutdown():
                self._next = command
                return False
            case ProtocolError():
                self._complain(f"The engine was sent a command that it does not know ({command}).")
        return True

    def _complain(self, message: str) -> None:
        write_frame(self._out, [Failed(message)])


def main() -> int:
    """Serve until Shutdown or until stdin closes."""
    commands = os.fdopen(os.dup(0), "rb")  # not sys.stdin: closing that would wait for the thread that reads
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not print into the frames
    inbox: Inbox = SimpleQueue()
    threading.Thread(target=_listen, args=(commands, inbox), name="commands", daemon=True).start()
    Service(inbox, out).serve()
    return 0


def _listen(stream: IO[bytes], inbox: Inbox) -> None:
    """Put every command into the inbox; leave at once, from wherever the process is, when there is nobody to serve."""
    try:
        while (body := read_frame(stream)) is not None:
            try:
                inbox.put(decode_command(body))
            except ProtocolError as error:
                inbox.put(error)
    finally:
        os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
