"""Two runs of one workload on one clock: the k-th step of both, or the same second of both. No Qt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal

from ladder_engine.lab.series import Series, Slo
from ladder_engine.tracing.events import AnyEvent
from ladder_engine.tracing.recording import Recording
from ladder_engine.tracing.state import RunState

Clock = Literal["steps", "seconds"]
STEP_SPEEDS = (1, 2, 5, 10, 20, 30, 60, 120)
TIME_SPEEDS = (1, 2, 5, 10, 20, 50, 100, 200, 500)  # percent of the time it really took
TICKS = 1000  # a second


class Side:
    """One of the two, as a view sees it: the state at the common playhead, and the whole run."""

    def __init__(self, slo: Slo = Slo()) -> None:  # noqa: B008
        self.recording = Recording()
        self.series = Series(slo)
        self.position = 0
        self.state = RunState()

    @property
    def edge(self) -> RunState:
        """The state at its end, or as far as it is."""
        return self.recording.edge

    @property
    def last(self) -> int:
        """Its last position."""
        return self.recording.last

    def feed(self, events: Sequence[AnyEvent]) -> None:
        """Take events that follow those before."""
        self.recording.feed(events)
        for index in range(len(self.series), self.last):
            self.series.append(self.recording.step(index), self.edge)
        self.state = self.recording.state(self.position)

    def seek(self, position: int) -> None:
        """Move its playhead."""
        position = min(max(position, 0), self.last)
        self.state = self.recording.state(position, self.state, self.position)
        self.position = position

    def tick_of(self, step: int) -> int:
        """The first tick at which a step is over."""
        return round(TICKS * (self.recording.ends[step - 1] - self.recording.begun)) + 1

    def at_tick(self, tick: int) -> int:
        """The last step that was over by then, counted from the run's first arrival."""
        return bisect_right(self.recording.ends, self.recording.begun + tick / TICKS)


class Duet:
    """`sides` are left and right; `position` is a step, or a millisecond, on the clock of both."""

    def __init__(self) -> None:
        self.sides = (Side(), Side())
        self.clock: Clock = "steps"
        self.playing = False
        self.position = 0
        self._speeds = {"steps": 20, "seconds": 20}
        self._progress = 0.0
        self._cut = False  # nothing more comes, though not both have ended

    def clear(self) -> None:
        """Forget both runs."""
        self.close()
        slo = self.sides[0].series.slo
        self.sides = (Side(slo), Side(slo))
        self.position = 0
        self._cut = False
        self.pause()

    def break_off(self) -> None:
        """Nothing more will come: where they are now is the end."""
        self._cut = True
        self.pause()

    def close(self) -> None:
        """Give back what the recordings hold on the disk."""
        for side in self.sides:
            side.recording.close()

    def feed(self, which: int, events: Sequence[AnyEvent]) -> None:
        """Take events of one of the two."""
        self.sides[which].feed(events)
        self._follow()

    @property
    def edge(self) -> RunState:
        """The end of the run that has begun last; a transport asks it whether there is one."""
        return self.sides[1].edge if self.sides[1].edge.config else self.sides[0].edge

    @property
    def last(self) -> int:
        """The end of the longer one, on the clock."""
        if self.clock == "steps":
            return max(side.last for side in self.sides)
        return max(round(TICKS * side.recording.seconds) + 1 for side in self.sides)

    @property
    def ended(self) -> bool:
        """Whether both are over and the playhead stands at the end."""
        over = self._cut or all(side.edge.ended for side in self.sides)
        return over and self.position == self.last

    @property
    def speed(self) -> int:
        """Steps a second, or percent of the time it took."""
        return self._speeds[self.clock]

    @property
    def speed_words(self) -> str:
        """The speed as people read it."""
        return f"{self.speed} steps/s" if self.clock == "steps" else f"× {self.speed / 100:g} time"

    @property
    def place_words(self) -> str:
        """Where the playhead is."""
        if self.clock == "steps":
            return f"step {self.position} of {self.last}"
        return f"{self.position / TICKS:.2f} of {self.last / TICKS:.2f} s"

    def turn_clock(self) -> None:
        """Count steps instead of seconds, or the other way round; the left run stays where it is."""
        left = self.sides[0]
        step = left.position
        self.clock = "seconds" if self.clock == "steps" else "steps"
        self.seek(step if self.clock == "steps" or not step else left.tick_of(step))

    def seek(self, position: int) -> None:
        """Move the common playhead."""
        self.position = min(max(position, 0), self.last)
        self._follow()

    def place_of(self, step: int, which: int | None = None) -> int:
        """Where on the clock one of the two, else the longer one, has done so many steps."""
        if self.clock == "steps":
            return step
        side = max(self.sides, key=lambda side: side.last) if which is None else self.sides[which]
        step = min(max(step, 0), side.last)
        return side.tick_of(step) if step else 0

    def play(self) -> None:
        """Let it run; from the start again at the end."""
        if self.ended:
            self.seek(0)
        self.playing = True

    def pause(self) -> None:
        """Hold it."""
        self.playing = False
        self._progress = 0.0

    def step_by(self, steps: int) -> None:
        """Pause, and move by steps: of both, or, by the clock of seconds, of whichever comes to one first."""
        self.pause()
        if self.clock == "steps":
            self.seek(self.position + steps)
            return
        moments = sorted({side.tick_of(step)
                          for side in self.sides
                          for step in range(max(1, side.position - 1), min(side.last, side.position + 2) + 1)})  # fmt: skip
        beyond = [at for at in moments if (at > self.position if steps > 0 else at < self.position)]
        if beyond:
            self.seek(beyond[0] if steps > 0 else beyond[-1])
        else:
            self.seek(self.last if steps > 0 else 0)

    def change_speed(self, notches: int) -> None:
        """Faster or slower."""
        speeds = STEP_SPEEDS if self.clock == "steps" else TIME_SPEEDS
        at = speeds.index(self.speed) + notches
        self._speeds[self.clock] = speeds[min(max(at, 0), len(speeds) - 1)]

    def tick(self, elapsed: float) -> bool:
        """Move on by `elapsed` seconds; return whether anything moved."""
        if not self.playing:
            return False
        rate = self.speed if self.clock == "steps" else self.speed / 100 * TICKS
        self._progress += elapsed * rate
        moved = min(int(self._progress), self.last - self.position)
        self._progress = min(self._progress - moved, 1.0)
        if moved:
            self.seek(self.position + moved)
        if self.ended:
            self.pause()
        return moved > 0

    def _follow(self) -> None:
        for side in self.sides:
            at = self.position if self.clock == "steps" else side.at_tick(self.position)
            if at != side.position or side.position > side.last:
                side.seek(at)
