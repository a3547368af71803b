"""Where the boxes, arrows and labels of a map go.

Boxes stand in a grid of rows (lanes) and columns (orders). Between the rows run horizontal channels, between the
columns vertical gaps, and no box ever stands in either: an arrow that keeps to them cannot cross a box, and a label
that lies in them cannot cover one. Channels and gaps are as wide as their traffic (routing.py).

        gap 0   gap 1   gap 2
          |       |       |
    ------|-------|-------|----  channel 0
          |  box  |  box  |      row 0
    ------|-------|-------|----  channel 1
          |  box  |  box  |      row 1
    ------|-------|-------|----  channel 2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ladder_desktop.lessons.geometry import Arrow, Cell, Drawing, Grid, Point, Rect, Route, Size
from ladder_desktop.lessons.routing import (
    MARGIN,
    Channels,
    Gaps,
    Plan,
    Ports,
    make_plans,
    runs_of,
    share_ports,
    slide,
)


def arrange(cells: Mapping[str, Cell], sizes: Mapping[str, Size], arrows: Sequence[Arrow]) -> Drawing:
    """Lay out a map: `cells` gives each box its (lane, order), `sizes` the room its text needs.

    Every box fills its cell of the grid. Boxes that ask for the same cell are moved to the next free column. Routes
    come back in the order of the arrows.
    """
    grid = Grid.of(cells, sizes)
    plans = make_plans(arrows, grid)
    gaps = Gaps(plans, grid)
    ports = share_ports(plans, gaps.columns)
    runs = [run for plan in plans for run in runs_of(plan, ports, gaps)]
    slide(runs)
    channels = Channels(runs, plans, grid)
    boxes = {
        name: Rect(
            gaps.columns[column].low,
            channels.rows[row].low,
            gaps.columns[column].size,
            channels.rows[row].size,
        )
        for name, (row, column) in grid.cell.items()
    }
    routes = tuple(_route(plan, boxes, ports, gaps, channels) for plan in plans)
    return Drawing(boxes, routes, _bounds(boxes, routes))


def _route(plan: Plan, boxes: Mapping[str, Rect], ports: Ports, gaps: Gaps, channels: Channels) -> Route:
    start, end = boxes[plan.arrow.source], boxes[plan.arrow.target]
    if plan.direct:
        y = start.centre[1]
        leaves, arrives = (start.right, end.x) if start.x < end.x else (start.x, end.right)
        return Route(((leaves, y), (arrives, y)), _around((gaps.middle(plan.gap), y), plan.arrow.label))
    x0, x1 = ports[plan.index, "start"], ports[plan.index, "end"]
    y0 = start.bottom if plan.start_side == "bottom" else start.y
    y1 = end.bottom if plan.end_side == "bottom" else end.y
    points: list[Point] = [(x0, y0)]
    label = Rect(x0, y0, 0.0, 0.0)
    for run in channels.runs[plan.index]:
        y = channels.y(run)
        points += [(run.start, y), (run.end, y)]
        if run.label is not None:
            label = _around((run.label, y), plan.arrow.label)
    return Route(_corners([*points, (x1, y1)]), label)


def _corners(points: Sequence[Point]) -> tuple[Point, ...]:
    """Drop the points at which the line does not turn."""
    kept: list[Point] = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and (
            kept[-2][0] == kept[-1][0] == point[0] or kept[-2][1] == kept[-1][1] == point[1]
        ):
            kept.pop()
        kept.append(point)
    return tuple(kept)


def _around(centre: Point, size: Size) -> Rect:
    return Rect(centre[0] - size.width / 2, centre[1] - size.height / 2, size.width, size.height)


def _bounds(boxes: Mapping[str, Rect], routes: Sequence[Route]) -> Rect:
    shapes = [*boxes.values(), *(route.label for route in routes)]
    corners = [point for route in routes for point in route.points]
    xs = [r.x for r in shapes] + [r.right for r in shapes] + [x for x, _ in corners]
    ys = [r.y for r in shapes] + [r.bottom for r in shapes] + [y for _, y in corners]
    if not xs:
        return Rect(0.0, 0.0, 2 * MARGIN, 2 * MARGIN)
    left, top = min(xs) - MARGIN, min(ys) - MARGIN
    return Rect(left, top, max(xs) + MARGIN - left, max(ys) + MARGIN - top)
