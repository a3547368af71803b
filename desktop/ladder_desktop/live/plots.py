"""Which plots there are, what each draws, and how many points become few. No Qt.

A curve is told from the others of its plot by its colour, which is that of its mechanism everywhere, and by its line.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from ladder_engine.lab.series import Column
from ladder_engine.tracing.events import RunStarted

Line = Literal["solid", "dashes", "dots"]
SAMPLES: dict[Line, str] = {"solid": "━", "dashes": "╍", "dots": "┉"}


@dataclass(frozen=True)
class Curve:
    """One of the columns of a series."""

    column: str
    label: str
    role: str
    line: Line = "solid"


@dataclass(frozen=True)
class Plot:
    """Curves that share an axis. `top` gives its upper end where that is known; elsewhere it grows with what is measured."""

    title: str
    unit: str
    curves: tuple[Curve, ...]
    top: Callable[[RunStarted], float] | None = None
    hint: str = ""
    decimals: int = 0


def _percent(_config: RunStarted) -> float:
    return 100.0


def _blocks(config: RunStarted) -> float:
    return float(config.num_blocks)


PLOTS = (
    Plot("KV use", "blocks",
         (Curve("owned", "owned", "kv_owned"), Curve("cached", "cached", "kv_cached", "dashes")), _blocks,
         "Blocks that requests own, and blocks that nobody owns and that are kept for their prefix"),
    Plot("Requests", "", (Curve("running", "running", "decode"), Curve("waiting", "waiting", "waiting", "dashes")), None,
         "Requests that run, and requests that wait, after each step"),
    Plot("Tokens a step", "", (Curve("prefill", "prefill", "prefill"), Curve("decode", "decode", "decode", "dashes"),
         Curve("accepted", "accepted", "draft_accepted", "dots"), Curve("rejected", "rejected", "draft_rejected", "dots")),
         None, "Tokens that each step computed, by kind; accepted and rejected are those of drafts"),
    Plot("TTFT", "ms", (Curve("ttft_p50", "p50", "prefill"), Curve("ttft_p99", "p99", "prefill", "dashes")), None,
         "Time from arrival to the first token, of those whose first token came within the last 50 steps", 1),
    Plot("Inter-token latency", "ms", (Curve("itl_p50", "p50", "decode"), Curve("itl_p99", "p99", "decode", "dashes")),
         None, "Time between two steps in which a request spoke, over the last 50 steps", 1),
    Plot("Goodput", "requests/s",
         (Curve("finished_rate", "all", "waiting", "dashes"), Curve("goodput", "within the SLO", "draft_accepted")), None,
         "Requests answered a second over the last 50 steps: those that kept the SLO, and all", 1),
    Plot("Prefix hit rate", "%", (Curve("hit_rate", "of prompt tokens", "kv_cached"),), _percent,
         "Share of the prompt tokens that the prefix cache had, of those admitted within the last 50 steps", 1),
    Plot("Acceptance", "%", (Curve("acceptance", "of draft tokens", "draft_accepted"),), _percent,
         "Share of the draft tokens of the last 50 steps that were accepted", 1),
    Plot("Waste", "%", (Curve("waste", "of owned room", "preempted"),), _percent,
         "Share of the room in owned blocks that holds no KV: large in the slab layout, a part of a block in the paged one", 1),
)  # fmt: skip


def few(values: Column, first: int, last: int, most: int) -> tuple[npt.NDArray[np.float64], Column]:
    """Of the steps `first` to `last` (counted from 1), x and y of at most about 2 x `most` points.

    Where there are more steps than that, each power-of-two bunch of neighbours is drawn by its least and its largest
    value, so that no peak is lost; bunches begin at the same steps wherever the window stands.
    """
    first, last = max(first, 1), min(last, len(values))
    count = max(0, last - first + 1)
    if count <= 2 * most:
        return np.arange(first, first + count, dtype=np.float64), values[first - 1 : last]
    size = 1 << math.ceil(math.log2(count / most))
    begin, end = (first - 1) // size, -(-last // size)
    padded = np.full((end - begin) * size, np.nan, np.float32)
    there = values[begin * size : end * size]
    padded[: len(there)] = there
    bunches = padded.reshape(-1, size)
    y = np.stack([np.fmin.reduce(bunches, axis=1), np.fmax.reduce(bunches, axis=1)], axis=1)
    x = (np.arange(begin, end)[:, None] * size + np.array([size * 0.25, size * 0.75]) + 0.5).ravel()
    return x, y.ravel()


def round_up(value: float) -> float:
    """The least of 1, 2, 5, 10, 20, 50 … that is no less: an axis that ends there seldom has to move."""
    if not value > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return float(next(step * power for step in (1, 2, 5, 10) if value <= step * power * (1 + 1e-9)))


def figure(plot: Plot, value: float) -> str:
    """A measured value of a plot, with as many decimals every time; a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:.{plot.decimals}f}"
