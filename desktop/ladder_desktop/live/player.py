"""The playhead over a run: holds the events, and knows the whole state at any step. No Qt.

Events come in at the live edge, the playhead moves through them at its own speed. Snapshots every few steps make any
step quick to reach.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from ladder_engine.fold import RunState, fold
from ladder_engine.trace import AnyEvent, RunEnded, StepTimed

SPEEDS = (1, 2, 5, 10, 20, 30, 60, 120)
SNAPSHOT_EVERY = 16


class Player:
    """Position 0 is the state before the first step, position n the state after step n.

    `edge` is the state after the last step that is complete, `state` the one at the playhead.
    """

    def __init__(self, speed: int = 20) -> None:
        self.playing = False
        self.speed = speed
        self._progress = 0.0
        self.clear()

    def clear(self) -> None:
        """Forget the run; keep the speed."""
        self._events: list[AnyEvent] = []
        self._ends = [0]  # how many events make up each position
        self._snapshots: list[tuple[int, RunState]] = [(0, RunState())]
        self._folded = 0
        self.edge = RunState()
        self.position = 0
        self._put(0, RunState())
        self.pause()

    @property
    def last(self) -> int:
        """The last position there is."""
        return len(self._ends) - 1

    @property
    def ended(self) -> bool:
        """Whether the run is over and the playhead stands at its end."""
        return self.edge.ended is not None and self.position == self.last

    def feed(self, events: Sequence[AnyEvent]) -> None:
        """Take the next events of the run. Raises TraceError if they do not add up."""
        for event in events:
            self._events.append(event)
            if isinstance(event, StepTimed):
                self._ends.append(len(self._events))
                if self.last % SNAPSHOT_EVERY == 0:
                    self._fold_edge()
                    self._snapshots.append((self._folded, self.edge))
            elif isinstance(event, RunEnded) or event.step == 0:
                self._ends[-1] = len(self._events)
        self._fold_edge()
        if self.position == self.last:
            self._put(self._folded, self.edge)

    def seek(self, position: int) -> None:
        """Move the playhead; positions outside the run are moved to its ends."""
        self.position = min(max(position, 0), self.last)
        count = self._ends[self.position]
        if count == self._folded:
            self._put(count, self.edge)
            return
        nearest = bisect_right(self._snapshots, count, key=lambda snapshot: snapshot[0]) - 1
        at, state = self._snapshots[nearest]
        if at <= self._count <= count:  # the playhead itself is nearer
            at, state = self._count, self.state
        self._put(count, fold(self._events[at:count], state))

    def play(self) -> None:
        """Let the playhead run; from the start again if the run is over."""
        if self.ended:
            self.seek(0)
        self.playing = True

    def pause(self) -> None:
        """Hold the playhead."""
        self.playing = False
        self._progress = 0.0

    def step_by(self, steps: int) -> None:
        """Pause, and move by so many steps."""
        self.pause()
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

    def _put(self, count: int, state: RunState) -> None:
        """Set the state at the playhead, which is that of so many events."""
        self._count, self.state = count, state

    def _fold_edge(self) -> None:
        count = self._ends[-1]
        if count > self._folded:
            self.edge = fold(self._events[self._folded : count], self.edge)
            self._folded = count
