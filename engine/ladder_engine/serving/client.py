"""The engine as the window sees it: a child process that takes commands and answers with trace events.

`EngineClient` never blocks its caller: a reader thread decodes what the child says, `poll` hands it out. Whatever the
child does (die, write garbage, never answer), the caller gets one EngineError with one sentence, and after `close`
neither a process nor a thread is left.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ladder_engine.errors import EngineError
from ladder_engine.sampling import SamplingParams
from ladder_engine.serving.child import Child, sentence
from ladder_engine.serving.protocol import (
    Abort,
    Add,
    Advance,
    Command,
    Configure,
    Declined,
    Failed,
    KernelMode,
    Message,
    Run,
    Stop,
    WatchKernels,
)
from ladder_engine.tracing.events import AnyEvent, RunEnded, RunStarted

AT_ONCE = 600  # events that a caller gets at once: a step of 256 requests, which takes some 3 ms to fold
NEWS = (Declined, Failed, RunEnded, RunStarted)  # what says more than how the run goes on
SERVICE = (sys.executable, "-m", "ladder_engine.serving.service")


class EngineClient:
    """Starts the engine's process when it is first needed and talks to it. Use from one thread.

    `command` is the child's command line; `answer_within` the seconds it has until its first answer to a run
    (importing torch takes some). `models_dir` is where added models are kept.
    """

    def __init__(
        self,
        command: Sequence[str] = SERVICE,
        answer_within: float = 120.0,
        models_dir: Path | None = None,
    ) -> None:
        self._command = tuple(command)
        self._answer_within = answer_within
        self._models_dir = str(models_dir or "")
        self._child: Child | None = None
        self._interprets = False
        self._unanswered: deque[float] = deque()  # when each run that the child has not begun was asked for
        self._running = False
        self._declined: deque[str] = deque()

    @property
    def starting(self) -> bool:
        """Whether a run was asked for and has not begun."""
        return bool(self._unanswered)

    @property
    def running(self) -> bool:
        """Whether a run has begun, or will, and has not ended."""
        return self._running or self.starting

    def run(
        self,
        scenario: Path,
        kernels: KernelMode = "auto",
        variant: str = "",
        until: int | None = None,
        watch_kernels: bool = False,
        model: str = "",
    ) -> None:
        """Ask for a run of the scenario file, in one of its variants; it replaces a run that is going on.

        With `until` it holds after that step; see `advance`, and `watch_kernels`. `model` takes the place of the
        scenario's own. A process either interprets kernels or compiles them, so going over to the other starts another.

        Raises EngineError if the child cannot be started.
        """
        turned = self._interprets != (kernels == "interpret")
        if self._child is None or not self._child.alive or turned:
            self._end(patient=False)
            self._interprets = kernels == "interpret"
            self._child = Child(self._command)
        self._unanswered.append(time.monotonic())
        self._child.send(
            Run(
                scenario=str(scenario),
                kernels=kernels,
                variant=variant,
                until=until,
                models_dir=self._models_dir,
                watch_kernels=watch_kernels,
                model=model,
            )
        )

    def poll(self) -> list[AnyEvent]:
        """Return the events of the newest run that came since the last call, as far as a caller takes them within a frame.

        Raises EngineError when the run has failed or the child is gone, after the events that came before.
        """
        events: list[AnyEvent] = []
        if self._child is None:
            return events
        while self._child.inbox and len(events) < AT_ONCE:
            item = self._child.inbox[0]
            if events and isinstance(item, Failed):
                return events
            self._child.inbox.popleft()
            if self._running and not self._unanswered and not isinstance(item, NEWS):
                events.append(item)
            else:
                self._take(item, events)
        if not events and not self._child.alive and not self._child.inbox and self.running:
            self._fail(self._child.epitaph())
        if self._unanswered and time.monotonic() - self._unanswered[0] > self._answer_within:
            self._fail(f"The engine has not answered for {self._answer_within:.0f} seconds and was ended")
        return events

    def stop(self) -> None:
        """Ask the child to break off the run; the trace still comes to its RunEnded."""
        self._tell(Stop())

    def advance(self, until: int | None) -> None:
        """Let the run go on until this step is done, and then hold; without a bound when it is None."""
        self._tell(Advance(until=until))

    def add(self, name: str, prompt: str, max_tokens: int, sampling: SamplingParams | None = None) -> None:
        """Let one more request arrive."""
        self._tell(
            Add(name=name, prompt=prompt, max_tokens=max_tokens, sampling=sampling or SamplingParams())
        )

    def configure(self, **changes: Any) -> None:
        """Change settings of the engine that runs."""
        self._tell(Configure(changes=changes))

    def watch_kernels(self, on: bool) -> None:
        """Let the trace say from the next step on which kernels a step launches, or no longer. Watched steps are slower."""
        self._tell(WatchKernels(on=on))

    def declined(self) -> str | None:
        """The sentence of the oldest command since the last call that could not be followed, None if there is none."""
        return self._declined.popleft() if self._declined else None

    def abort(self, seq_id: int) -> None:
        """Ask the child to abort one sequence."""
        self._tell(Abort(seq_id=seq_id))

    def close(self) -> None:
        """End the child and the reader thread, within two seconds, whatever they are doing. May be called again."""
        self._end(patient=True)

    def _tell(self, command: Command) -> None:
        if self._child is not None and self.running:
            self._child.send(command)

    def _take(self, item: Message, events: list[AnyEvent]) -> None:
        """Keep an event of the newest run; drop those of a run that was replaced."""
        if isinstance(item, Declined):
            self._declined.append(sentence(item.message))
            return
        begins = isinstance(item, RunStarted) or (isinstance(item, Failed) and not self._running)
        if begins and self._unanswered:
            self._unanswered.popleft()
        self._running = not isinstance(item, Failed | RunEnded)
        if self._unanswered:
            return
        if isinstance(item, Failed):
            raise EngineError(sentence(item.message))
        events.append(item)

    def _fail(self, message: str) -> None:
        self._end(patient=False)
        raise EngineError(sentence(message))

    def _end(self, patient: bool) -> None:
        child, self._child = self._child, None
        self._unanswered.clear()
        self._running = False
        if child is not None:
            child.close(patient)
