"""What a frame of the live panel costs, and which part of it costs how much."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Frame:
    """`at` is on the clock, `busy` the processor time that the window's thread had used by then; milliseconds."""

    at: float
    busy: float
    parts: dict[str, float] = field(default_factory=dict)
    """The processor time of each part that was measured within the frame."""
    shown: bool = False
    """Whether there was anything new to show."""


class Meter:
    """Notes when frames begin, and what `time` has been put around, in processor time, so that other programs do not count."""

    def __init__(self) -> None:
        self._frames: list[Frame] = []

    def frame(self) -> None:
        """A frame begins."""
        self._frames.append(Frame(time.perf_counter() * 1000, time.thread_time() * 1000))

    def show(self) -> None:
        """This frame shows something new."""
        if self._frames:
            self._frames[-1].shown = True

    def time(self, owner: object, method: str, part: str) -> None:
        """From now on, measure this method of this object, as a part of the frame."""
        whole: Callable[..., Any] = getattr(owner, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            began = time.thread_time()
            try:
                return whole(*args, **kwargs)
            finally:
                if self._frames:
                    parts = self._frames[-1].parts
                    parts[part] = parts.get(part, 0.0) + (time.thread_time() - began) * 1000

        setattr(owner, method, timed)

    def take(self) -> Taken:
        """Return the frames since the last time."""
        frames, self._frames = self._frames, []
        return Taken(frames)


class Taken:
    """Frames that are over."""

    def __init__(self, frames: list[Frame]) -> None:
        self._pairs = list(itertools.pairwise(frames))

    def work(self, shown: bool = False) -> list[float]:
        """The work in each frame; with `shown`, only of those that had something new to show."""
        return [after.busy - frame.busy for frame, after in self._pairs if frame.shown or not shown]

    def gaps(self) -> list[float]:
        """From each frame to the next."""
        return [after.at - frame.at for frame, after in self._pairs]

    def parts(self) -> dict[str, list[float]]:
        """For each part its work in those frames that had something new to show; last, what was left for the rest."""
        shown = [(frame, after) for frame, after in self._pairs if frame.shown]
        names = dict.fromkeys(name for frame, _ in shown for name in frame.parts)
        found = {name: [frame.parts.get(name, 0.0) for frame, _ in shown] for name in names}
        found["the rest: labels, grounds, Qt itself"] = [
            after.busy - frame.busy - sum(frame.parts.values()) for frame, after in shown
        ]
        return found
