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
    new: bool = False
    """Whether there was anything new to fold or to show."""


class Meter:
    """Notes when frames begin, and what `time` has been put around, in processor time, so that other programs do not count."""

    def __init__(self) -> None:
        self._frames: list[Frame] = []

    def frame(self) -> None:
        """A frame begins."""
        self._frames.append(Frame(time.perf_counter() * 1000, time.thread_time() * 1000))

    def note(self) -> None:
        """This frame folds or shows something new."""
        if self._frames:
            self._frames[-1].new = True

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

    def work(self, new: bool = False) -> list[float]:
        """The work in each frame; with `new`, only of those that had something new to fold or to show."""
        return [after.busy - frame.busy for frame, after in self._pairs if frame.new or not new]

    def gaps(self) -> list[float]:
        """From each frame to the next."""
        return [after.at - frame.at for frame, after in self._pairs]

    def parts(self) -> dict[str, list[float]]:
        """For each part its work in those frames with something new that came to it; last, what each left for the rest."""
        new = [(frame, after) for frame, after in self._pairs if frame.new]
        names = dict.fromkeys(name for frame, _ in new for name in frame.parts)
        found = {name: [frame.parts[name] for frame, _ in new if name in frame.parts] for name in names}
        found["the rest: labels, grounds, Qt itself"] = [
            after.busy - frame.busy - sum(frame.parts.values()) for frame, after in new
        ]
        return found
