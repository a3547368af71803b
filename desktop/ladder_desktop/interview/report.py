"""What an interview shows: by study, by step of the order of operations, and item by item. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ladder_content.model import STEP_NAMES

from ladder_desktop.review.diagnosis import HEADINGS
from ladder_desktop.study import Interview, Reply


@dataclass(frozen=True)
class Score:
    """A line of a debrief: `share` and `before` are parts of the points, 0 to 1; None where nothing was asked."""

    key: str
    name: str
    asked: int
    share: float | None
    before: float | None


def by_study(
    interview: Interview, before: Interview | None, titles: Mapping[str, str], study_of: Callable[[str], str]
) -> list[Score]:
    """Return a line for each study that either interview asked about, in the order of `titles` (id to title)."""
    lines = []
    for study_id, title in titles.items():
        now, then = (
            [reply.share for reply in one.replies if study_of(reply.item_id) == study_id] if one else []
            for one in (interview, before)
        )
        if now or then:
            lines.append(Score(study_id, title, len(now), _mean(now), _mean(then)))
    return lines


def by_step(interview: Interview, before: Interview | None) -> list[Score]:
    """Return a line for each of the four steps, from the tickets; empty if neither interview had one."""
    lines = []
    for name in STEP_NAMES:
        now, then = (
            [float(reply.steps[name]) for reply in one.replies if name in reply.steps] if one else []
            for one in (interview, before)
        )
        if now or then:
            lines.append(Score(name, HEADINGS[name], len(now), _mean(now), _mean(then)))
    return lines


def weakest(replies: Sequence[Reply], most: int = 3) -> list[Reply]:
    """Return the replies that missed most, worst first; none that hit everything."""
    missed = [reply for reply in replies if reply.share < 1]
    return sorted(missed, key=lambda reply: reply.share)[:most]


def percent(share: float | None) -> str:
    """Return a share as a person reads it: `68%`."""
    return "–" if share is None else f"{round(share * 100)}%"


def change(score: Score) -> str:
    """Return the difference to the interview before, in points of a hundred: `+12`."""
    if score.share is None or score.before is None:
        return ""
    points = round(score.share * 100) - round(score.before * 100)
    return f"{points:+d}" if points else "±0"


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
