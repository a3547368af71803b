"""The playhead over the trace of a run: live, paused, or anywhere back in time. No Qt.

The recording holds the run; this says where in it a person is, and how far the engine may go ahead of them: a little
while playing, so that what they touch is near what they see, and not at all while paused.
"""

from __future__ import annotations

from collections.abc import Sequence

from ladder_engine.lab.series import Series
from ladder_engine.tracing.events import AnyEvent
from ladder_engine.tracing.recording import Recording
from ladder_engine.tracing.state import RunState

from ladder_desktop.live.marks import Marks

FULL_SPEED = 1_000_000
SPEEDS = (1, 2, 5, 10, 20, 30, 60, 120, FULL_SPEED)
LEAD_S = 0.4  # how far the engine may be ahead of the playhead, in seconds of playing


class Player:
    """Position 0 is the state before the first step, position n the state after step n.

    `edge` is the state after the last step that is complete, `state` the one at the playhead; `series` are the numbers of
    all steps that are complete.
    """

    def __init__(self, speed: int = 20) -> None:
        self.playing = False
        self.speed = speed
        self._progress = 0.0
        self._owed = 0  # steps that were asked for at the edge and have not come yet
        self.recording = Recording()
        self.series = Series()
        self.marks = Marks()
        self.position = 0
        self.state = RunState()
        self._cut = False  # nothing more comes, though the run has not ended

    def clear(self) -> None:
        """Forget the run; keep the speed."""
        self.recording.close()
        self.recording = Recording()
        self.series = Series(self.series.slo)
        self.marks = Marks()
        self.position = 0
        self.state = RunState()
        self._cut = False
        self.pause()

    def break_off(self) -> None:
        """Nothing more will come: where it is now is the end."""
        self._cut = True
        self.pause()

    def close(self) -> None:
        """Give back what the recording holds on the disk."""
        self.recording.close()

    @property
    def edge(self) -> RunState:
        """The state after the last step that is complete."""
        return self.recording.edge

    @property
    def last(self) -> int:
        """The last position there is."""
        return self.recording.last

    @property
    def over(self) -> bool:
        """Whether nothing more comes: the run has ended, or was broken off."""
        return self._cut or self.edge.ended is not None

    @property
    def ended(self) -> bool:
        """Whether the run is over and the playhead stands at its end."""
        return self.over and self.position == self.last

    @property
    def bound(self) -> int | None:
        """The step after which the engine has to hold; None: it need not."""
        if not self.playing:
            return self.last + self._owed
        return None if self.speed == FULL_SPEED else self.position + 1 + int(self.speed * LEAD_S)

    @property
    def speed_words(self) -> str:
        """The speed as people read it."""
        return "full speed" if self.speed == FULL_SPEED else f"{self.speed} steps/s"

    @property
    def place_words(self) -> str:
        """Where the playhead is."""
        return f"step {self.position} of {self.last}"

    def feed(self, events: Sequence[AnyEvent]) -> None:
        """Take the next events of the run. Raises TraceError if they do not add up, TraceFileError when the disk is full."""
        at_edge = self.position == self.last
        more = self.recording.feed(events)
        self.marks.hear(events[:1])
        for index in range(len(self.series), self.last):
            self.series.append(self.recording.step(index), self.edge)
        if self._owed and self.position < self.last:
            steps = min(self._owed, self.last - self.position)
            self._owed -= steps
            self.seek(self.position + steps)
        elif at_edge and self.position == self.last:
            self.state = self.edge
        elif at_edge and more:
            self.state = self.recording.state(self.position)

    def seek(self, position: int) -> None:
        """Move the playhead; positions outside the run are moved to its ends."""
        position = min(max(position, 0), self.last)
        self.state = self.recording.state(position, self.state, self.position)
        self.position = position

    def play(self) -> None:
        """Let the playhead run; from the start again if the run is over."""
        if self.ended:
            self.seek(0)
        self._owed = 0
        self.playing = True

    def pause(self) -> None:
        """Hold the playhead, and the engine with it."""
        self.playing = False
        self._owed = 0
        self._progress = 0.0

    def step_by(self, steps: int) -> None:
        """Pause, and move by so many steps. Beyond the edge of a run that goes on, the engine is asked for them."""
        beyond = self.position + steps - self.last
        self.pause()
        if beyond > 0 and not self.over:
            self._owed = beyond
        self.seek(self.position + steps)

    def change_speed(self, notches: int) -> None:
        """Move the speed by so many notches of SPEEDS."""
        nearest = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - self.speed))
        self.speed = SPEEDS[min(max(nearest + notches, 0), len(SPEEDS) - 1)]

    def tick(self, elapsed: float) -> bool:
        """Move on by `elapsed` seconds; return whether the playhead moved. At the live edge it waits, at the end it stops."""
        if not self.playing:
            return False
        self._progress += elapsed * self.speed
        steps = min(int(self._progress), self.last - self.position)
        self._progress = min(self._progress - steps, 1.0)  # waiting at the edge saves up no steps
        if steps:
            self.seek(self.position + steps)
        if self.ended:
            self.pause()
        return steps > 0
