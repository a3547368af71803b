"""How the arrows of a map travel: which sides of the boxes they use, and which track of which channel.

Three kinds of way. Neighbours in a row are joined straight through the gap between them. Boxes that touch the same
channel go into it, along a track of their own, and out again. All others use a channel, then a gap, then a channel.
Called by layout.py, in the order of the definitions below: plans, gaps, ports, runs, channels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ladder_desktop.lessons.geometry import Arrow, Cell, Grid

MARGIN = 24.0  # around the whole drawing
CLEAR = 15.0  # between a box and the nearest track: room for an arrowhead
GAP = 44.0  # between two columns, or two rows, that nothing but air must pass
LANE = 14.0  # between two parallel lines without labels
SPREAD = 4.0  # arrivals and departures leave this much apart, so that their lines do not coincide

Span = tuple[float, float]
Ports = dict[tuple[int, str], float]  # (arrow, "start" or "end") -> x


@dataclass(frozen=True)
class Band:
    """A row or a column: where it begins and how thick it is."""

    low: float
    size: float


@dataclass
class Plan:
    """How one arrow will travel; `channels` at its start and its end, and the `gap` in between if they differ."""

    arrow: Arrow
    index: int
    start: Cell
    end: Cell
    start_side: str
    end_side: str
    direct: bool  # straight through the gap between two neighbours in a row
    upright: bool  # straight down or up between two neighbours in a column

    @property
    def channels(self) -> tuple[int, int]:
        """The channel that the arrow enters first and the one it leaves last."""
        return self.start[0] + (self.start_side == "bottom"), self.end[0] + (self.end_side == "bottom")

    @property
    def crosses(self) -> bool:
        """Whether it changes from one channel to another."""
        return not self.direct and self.channels[0] != self.channels[1]

    @property
    def gap(self) -> int:
        """The gap it passes: between the two boxes, or on the near side of its target."""
        if self.direct:
            return min(self.start[1], self.end[1]) + 1
        return self.end[1] + (self.start[1] >= self.end[1])


def make_plans(arrows: Sequence[Arrow], grid: Grid) -> list[Plan]:
    """Choose the way of each arrow. Of several between two boxes only the first can go straight."""
    plans: list[Plan] = []
    straight: set[frozenset[Cell]] = set()
    for index, arrow in enumerate(arrows):
        start, end = grid.cell[arrow.source], grid.cell[arrow.target]
        low, high = sorted((start[1], end[1]))
        direct = start[0] == end[0] and low != high and not grid.between(start[0], low, high)
        upright = abs(start[0] - end[0]) == 1 and start[1] == end[1]
        if direct or upright:
            pair = frozenset((start, end))
            direct, upright = direct and pair not in straight, upright and pair not in straight
            straight.add(pair)
        if start[0] == end[0]:
            sides = ("bottom", "bottom") if start[1] <= end[1] else ("top", "top")
        else:
            sides = ("bottom", "top") if start[0] < end[0] else ("top", "bottom")
        plans.append(Plan(arrow, index, start, end, *sides, direct=direct, upright=upright))
    return plans


class Gaps:
    """The vertical gaps between the columns; `columns` follow from how wide the traffic makes them."""

    def __init__(self, plans: Sequence[Plan], grid: Grid) -> None:
        count = len(grid.widths)
        labels: dict[int, float] = defaultdict(float)
        tracks: dict[int, list[list[Span]]] = defaultdict(list)
        self._track: dict[int, int] = {}
        for plan in plans:
            if plan.direct:
                labels[plan.gap] = max(labels[plan.gap], plan.arrow.label.width + 2 * CLEAR)
            elif plan.crosses:
                low, high = sorted(plan.channels)
                self._track[plan.index] = _first_fit(tracks[plan.gap], (low, high))
        self.columns: list[Band] = []
        self._air: list[Band] = []  # the part of each gap that is free of tracks
        x = MARGIN
        for gap in range(count + 1):
            inner = 0 < gap < count
            air = max(labels[gap], GAP / 2 if inner else 0.0)
            lines = LANE * (len(tracks[gap]) + 0.5) if tracks[gap] else 0.0
            air = max(air, GAP - lines) if inner else air
            self._air.append(Band(x, air))
            x += air + lines
            if gap < count:
                self.columns.append(Band(x, grid.widths[gap]))
                x += grid.widths[gap]

    def middle(self, gap: int) -> float:
        """Return where the label of a straight arrow stands."""
        return self._air[gap].low + self._air[gap].size / 2

    def x(self, plan: Plan) -> float:
        """Return where a crossing arrow runs up or down its gap."""
        air = self._air[plan.gap]
        return air.low + air.size + LANE * (self._track[plan.index] + 0.5)


def share_ports(plans: Sequence[Plan], columns: Sequence[Band]) -> Ports:
    """Share each side of a box out among the arrows that use it, so that they fan out without crossing."""
    ports: Ports = {}
    straight: set[tuple[Cell, str]] = set()
    halves: dict[tuple[Cell, str, bool], list[tuple[int, int, str]]] = defaultdict(list)
    for plan in plans:
        if plan.direct:
            continue
        for end, cell, other, side in (
            ("start", plan.start, plan.end, plan.start_side),
            ("end", plan.end, plan.start, plan.end_side),
        ):
            if plan.upright:
                ports[plan.index, end] = columns[cell[1]].low + columns[cell[1]].size / 2
                straight.add((cell, side))
            else:
                halves[cell, side, other[1] >= cell[1]].append((other[1], plan.index, end))
    for (cell, side, rightward), users in halves.items():
        column = columns[cell[1]]
        half = column.size / 2 - 14.0
        shift = SPREAD if side == "bottom" else -SPREAD
        inner = 0.5 if (cell, side) in straight else 0.0  # leave room for the label of a straight arrow
        for place, (_, index, end) in enumerate(sorted(users)):
            step = place + 1 if rightward else place - len(users)
            share = inner + (1 - inner) * abs(step) / (len(users) + 1)
            ports[index, end] = column.low + column.size / 2 + half * (share if rightward else -share) + shift
    return ports


@dataclass
class Run:
    """One stretch of an arrow along a channel; `label` is the centre of its label if the label lies on it."""

    plan: Plan
    channel: int
    start: float
    end: float
    label: float | None = None
    track: int = field(default=0)

    @property
    def span(self) -> Span:
        """What it takes up of its track: the line and the label."""
        low, high = sorted((self.start, self.end))
        if self.label is not None:
            half = self.plan.arrow.label.width / 2 + 8.0
            low, high = min(low, self.label - half), max(high, self.label + half)
        return low, high


def runs_of(plan: Plan, ports: Ports, gaps: Gaps) -> list[Run]:
    """Return the one or two stretches of an arrow, its label on the longer one."""
    if plan.direct:
        return []
    start, end = ports[plan.index, "start"], ports[plan.index, "end"]
    first, last = plan.channels
    turn = gaps.x(plan) if plan.crosses else end
    runs = [Run(plan, first, start, turn)]
    if plan.crosses:
        runs.append(Run(plan, last, turn, end))
    longest = max(runs, key=lambda run: abs(run.start - run.end))
    longest.label = (longest.start + longest.end) / 2
    return runs


def slide(runs: Sequence[Run]) -> None:
    """Move labels along their lines to where no other arrow comes down through them, if there is such a place."""
    upright: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for run in runs:
        upright[run.channel] += [(run.start, run.plan.index), (run.end, run.plan.index)]
        if run.plan.crosses:
            turn = run.end if run.channel == run.plan.channels[0] else run.start
            for channel in range(min(run.plan.channels) + 1, max(run.plan.channels)):
                upright[channel].append((turn, run.plan.index))
    for run in runs:
        if run.label is None:
            continue
        low, high = sorted((run.start, run.end))
        half = run.plan.arrow.label.width / 2 + 4.0
        others = [x for x, index in upright[run.channel] if index != run.plan.index]
        middle = run.label
        places = sorted(_steps(low + half, high - half), key=lambda x: abs(x - middle))
        run.label = next((x for x in places if not any(x - half < o < x + half for o in others)), middle)


def _steps(low: float, high: float) -> list[float]:
    return [low + 6.0 * i for i in range(int((high - low) // 6.0) + 1)] if high >= low else []


class Channels:
    """The horizontal channels between the rows; `rows` follow from how high the traffic makes them."""

    def __init__(self, runs: Sequence[Run], plans: Sequence[Plan], grid: Grid) -> None:
        self.runs: dict[int, list[Run]] = defaultdict(list)
        taken: dict[int, list[list[Span]]] = defaultdict(list)
        heights: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(lambda: LANE))
        for run in sorted(runs, key=_track_order):
            run.track = _first_fit(taken[run.channel], run.span)
            label = run.plan.arrow.label.height + 8.0 if run.label is not None else 0.0
            heights[run.channel][run.track] = max(heights[run.channel][run.track], label)
        for run in runs:
            self.runs[run.plan.index].append(run)
        straight: dict[int, float] = defaultdict(float)
        for plan in plans:
            if plan.direct:
                straight[plan.start[0]] = max(straight[plan.start[0]], plan.arrow.label.height + 8.0)
        self.rows: list[Band] = []
        self._tracks: dict[tuple[int, int], float] = {}
        y, count = MARGIN, len(grid.heights)
        for channel in range(count + 1):
            low = y
            if heights[channel]:
                y += CLEAR
                for track, height in sorted(heights[channel].items()):
                    self._tracks[channel, track] = y + height / 2
                    y += height
                y += CLEAR
            if 0 < channel < count:
                y = max(y, low + GAP)
            if channel < count:
                self.rows.append(Band(y, max(grid.heights[channel], straight[channel])))
                y += self.rows[-1].size

    def y(self, run: Run) -> float:
        """Return the height at which a run lies."""
        return self._tracks[run.channel, run.track]


def _track_order(run: Run) -> tuple[int, float]:
    """Order tracks from the top of a channel so that nested arrows nest and parallel ones do not cross."""
    plan = run.plan
    if plan.start[0] == plan.end[0]:
        length = abs(run.start - run.end)
        return (0, length) if plan.start_side == "bottom" else (2, -length)
    falling, rightward = plan.start_side == "bottom", run.end > run.start
    return (1, -run.start if falling == rightward else run.start)


def _first_fit(tracks: list[list[Span]], span: Span) -> int:
    for number, taken in enumerate(tracks):
        if all(span[1] < low or high < span[0] for low, high in taken):
            taken.append(span)
            return number
    tracks.append([span])
    return len(tracks) - 1
