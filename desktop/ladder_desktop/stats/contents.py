"""What each exhibit of the page says: one sentence and a table of figures. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from ladder_desktop.study.statistics import Day, Group, Histogram, Share, Statistics
from ladder_desktop.study.studyday import date_of_day

from .figures import Cell, Column, Figures, duration, percent, plural, short
from .names import Names

WEEKS = 53
SHOWN_TAGS = 12
VERDICTS = {"unknown": "no test yet", "below": "below target", "on": "on target", "above": "above target"}
NOT_TESTED = "No card has come back for review yet. The first ones do a day or so after they were learned."
NOTHING_LEARNED = "No card is in review yet. Drill a few to the end of their learning steps."
_SHARE = (
    Column("recalled"),
    Column("tests"),
    Column("retention", "share"),
    Column("low (95 %)", "share"),
    Column("high (95 %)", "share"),
    Column("against target", "text"),
)


@dataclass(frozen=True, slots=True)
class Content:
    """An exhibit in words and figures; `empty`, if it is not "", stands where the chart would have nothing to show."""

    sentence: str
    figures: Figures
    empty: str = ""


def calendar(statistics: Statistics) -> Content:
    """Every day of the last year on which something was answered."""
    first = statistics.study_day - 7 * WEEKS
    days = [day for day in statistics.days if first < day.study_day <= statistics.study_day]
    answers, time = sum(day.answers for day in days), sum(day.milliseconds for day in days)
    streak = statistics.streak
    sentence = (
        f"{plural(answers, 'answer')} in {duration(time)} on {plural(len(days), 'day')} of the last year. "
        f"{plural(streak.current, 'day')} in a row now, {streak.longest} at best."
    )
    return Content(sentence, _daily("days", days))


def time_spent(statistics: Statistics, length: int) -> Content:
    """The time of each of the last `length` study days."""
    first = statistics.study_day - length
    days = [day for day in statistics.days if first < day.study_day <= statistics.study_day]
    time, answers = sum(day.milliseconds for day in days), sum(day.answers for day in days)
    if not answers:
        return Content("", _daily("time", days), f"Nothing was answered in the last {length} days.")
    sentence = (
        f"{duration(time)} in the last {length} days, {duration(time / len(days))} on a day with study, "
        f"{short(time / answers / 1000)} s an answer."
    )
    return Content(sentence, _daily("time", days))


def forecast(statistics: Statistics) -> Content:
    """What falls due in the coming days."""
    days = statistics.forecast
    rows = tuple(
        (_iso(day.study_day), day.total, day.overdue, day.steps, day.young, day.mature) for day in days
    )
    columns = ("day", "due", "overdue", "in steps", "young", "mature")
    figures = Figures("forecast", (Column("day", "text"), *map(Column, columns[1:])), rows)
    total = sum(day.total for day in days)
    if not total:
        return Content("", figures, f"Nothing falls due in the next {len(days)} days.")
    sentence = (
        f"{plural(days[0].total, 'card')} today, {days[1].total} tomorrow, {short(total / len(days))} a day over "
        f"{len(days)} days. Answers and new cards will add to it. Young: an interval under 21 days."
    )
    return Content(sentence, figures)


def retention(statistics: Statistics) -> Content:
    """True retention over several periods."""
    rows: list[tuple[Cell, ...]] = []
    for period in statistics.retention:
        for which, share in (("all", period.all), ("young", period.young), ("mature", period.mature)):
            rows.append((period.name, which, *share_cells(share, statistics.target)))
    figures = Figures("retention", (Column("period", "text"), Column("cards", "text"), *_SHARE), tuple(rows))
    ever = statistics.retention[-1].all
    if ever.rate is None:
        return Content("", figures, NOT_TESTED)
    month = next(period.all for period in statistics.retention if period.name == "30 days")
    share, when = (month, "the last 30 days") if month.tests else (ever, "all your reviews")
    assert share.rate is not None
    assert share.interval is not None
    low, high = share.interval
    said = {
        "below": "That is below your target of {}: mark Again what you do not recall, or aim lower.",
        "on": "Your target of {} lies within.",
        "above": "That is above your target of {}: reviews come sooner than they need to.",
        "unknown": "",
    }[share.against(statistics.target)]
    sentence = (
        f"In {when} you recalled {percent(share.rate)} of {plural(share.tests, 'review')}; with 95 % certainty "
        f"{percent(low)} to {percent(high)}. {said.format(percent(statistics.target))}"
    )
    return Content(sentence, figures)


def by_study(statistics: Statistics, names: Names) -> Content:
    """Each study: how much is known, and how well."""
    groups = [(names.study(group.name), group) for group in statistics.studies]
    return _groups("studies", "study", groups, statistics)


def by_tag(statistics: Statistics) -> Content:
    """Each tag: how much is known, and how well."""
    content = _groups("tags", "tag", [(group.name, group) for group in statistics.tags], statistics)
    if content.empty or len(statistics.tags) <= SHOWN_TAGS:
        return content
    many = f" The {SHOWN_TAGS} weakest of {len(statistics.tags)} tags; the table has all."
    return replace(content, sentence=content.sentence + many)


def weakest(groups: Sequence[Group]) -> list[Group]:
    """Return the groups that are most surely weak: those whose interval ends lowest."""
    tested = [(group.tested.interval, group) for group in groups]
    known = [(interval[1], group) for interval, group in tested if interval is not None]
    known.sort(key=lambda pair: pair[0])
    return [group for _, group in known[:SHOWN_TAGS]]


def hardest(statistics: Statistics, names: Names) -> Content:
    """The cards that cost most."""
    rows = tuple(
        (
            names.text(item.item_id),
            item.lapses,
            item.tested.rate,
            item.difficulty,
            item.stability,
            item.milliseconds,
        )
        for item in statistics.hardest
    )
    columns = (
        Column("card or ticket", "text"),
        Column("lapses"),
        Column("retention", "share"),
        Column("difficulty", "number"),
        Column("stability (d)", "number"),
        Column("time", "time"),
    )
    targets = tuple(names.targets.get(item.item_id, "") for item in statistics.hardest)
    figures = Figures("hardest", columns, rows, targets)
    if not rows:
        return Content("", figures, "No card in review has been forgotten yet.")
    return Content("Most often forgotten first. Enter opens a card.", figures)


def spread(name: str, unit: str, found: Histogram, meaning: str) -> Content:
    """One of the histograms."""
    labels = bin_labels(found)
    rows = tuple(zip(labels, found.counts, strict=True))
    figures = Figures(name, (Column(unit, "text"), Column("cards")), rows)
    if found.median is None:
        return Content("", figures, NOTHING_LEARNED)
    return Content(f"{meaning} Median {short(found.median)}.", figures)


def workload(statistics: Statistics) -> Content:
    """The projected daily work at several desired retentions."""
    rows = tuple(
        (load.retention, load.answers, None if load.minutes is None else load.minutes * 60_000)
        for load in statistics.loads
    )
    columns = (
        Column("desired retention", "share"),
        Column("answers a day", "number"),
        Column("time a day", "time"),
    )
    figures = Figures("workload", columns, rows)
    now = next(load for load in statistics.loads if load.retention == statistics.target)
    if not now.answers:
        return Content("", figures, NOTHING_LEARNED)
    minutes = "" if now.minutes is None else f", {duration(now.minutes * 60_000)}"
    sentence = (
        f"Projected, not measured: what is learned now costs {plural(round(now.answers), 'answer')} a day{minutes} "
        f"at your {percent(statistics.target)}, were stabilities to stay as they are and nothing new to come."
    )
    return Content(sentence, figures)


def share_cells(share: Share, target: float) -> tuple[Cell, ...]:
    """Return the cells of a share: recalled, tests, rate, both ends of its interval, and its verdict."""
    low, high = share.interval or (None, None)
    return share.recalled, share.tests, share.rate, low, high, VERDICTS[share.against(target)]


def bin_labels(found: Histogram) -> list[str]:
    """Return "7–14" for each bin, "730+" for an open one, "3" where a bin holds one whole number."""
    labels = []
    for low, high in pairwise(found.edges):
        if high == float("inf"):
            labels.append(f"{low:.0f}+")
        else:
            labels.append(f"{low:.0f}–{high:.0f}")
    return labels


def day_words(study_day: int) -> str:
    """Return a study day as "Tue 24 Nov 2026"."""
    day = date_of_day(study_day)
    return f"{day:%a} {day.day} {day:%b} {day.year}"


def _groups(name: str, what: str, groups: Sequence[tuple[str, Group]], statistics: Statistics) -> Content:
    rows = tuple(
        (
            title,
            *(group.items, group.learned, group.mature),
            *share_cells(group.tested, statistics.target),
            *(group.answers, group.milliseconds),
        )
        for title, group in groups
    )
    columns = (
        *(Column(what, "text"), Column("cards"), Column("learned"), Column("mature")),
        *_SHARE,
        *(Column("answers"), Column("time", "time")),
    )
    figures = Figures(name, columns, rows)
    tested = [(title, group) for title, group in groups if group.tested.tests]
    if not tested:
        return Content("", figures, NOT_TESTED)
    below = [title for title, group in tested if group.tested.against(statistics.target) == "below"]
    if below:
        sentence = f"Below your target of {percent(statistics.target)}: {', '.join(below[:4])}" + (
            f" and {len(below) - 4} more." if len(below) > 4 else "."
        )
    else:
        sentence = f"None is surely below your target of {percent(statistics.target)}."
    return Content(f"{sentence} The line is the 95 % interval: the fewer the reviews, the longer.", figures)


def _daily(name: str, days: Sequence[Day]) -> Figures:
    columns = (
        *(Column("day", "text"), Column("answers"), Column("again"), Column("new"), Column("time", "time")),
        *(Column("recalled"), Column("tests")),
    )
    rows = tuple(
        (
            *(_iso(day.study_day), day.answers, day.again, day.introduced, day.milliseconds),
            *(day.tested.recalled, day.tested.tests),
        )
        for day in reversed(days)
    )
    return Figures(name, columns, rows)


def _iso(study_day: int) -> str:
    day: date = date_of_day(study_day)
    return day.isoformat()
