"""Statistics onto charts: which marks, in which colours, and what each of them says."""

from __future__ import annotations

from ladder_desktop.study.statistics import Day, DueDay, Histogram, Share, Statistics
from ladder_desktop.study.studyday import date_of_day

from .bars import BarChart, Part
from .contents import VERDICTS, WEEKS, bin_labels, day_words, weakest
from .figures import duration, percent, plural, short
from .heat_map import HeatMap
from .intervals import IntervalChart, Row
from .names import Names


def draw_calendar(chart: HeatMap, statistics: Statistics, sentence: str) -> None:
    """Draw the year up to today."""
    days = {day.study_day: day for day in statistics.days}
    today = statistics.study_day
    readings = {
        day: f"{day_words(day)}: {_day_words(days[day]) if day in days else 'nothing'}"
        for day in range(today - 7 * WEEKS, today + 1)
    }
    chart.show_days({day: found.answers for day, found in days.items()}, today, readings, sentence)


def draw_time(chart: BarChart, statistics: Statistics, length: int, sentence: str) -> None:
    """Draw the minutes of each of the last `length` days."""
    days = {day.study_day: day for day in statistics.days}
    today = statistics.study_day
    shown = range(today - length + 1, today + 1)
    minutes = [days[day].milliseconds / 60_000 if day in days else 0.0 for day in shown]
    readings = [f"{day_words(day)}: {_day_words(days[day]) if day in days else 'nothing'}" for day in shown]
    labels = _date_labels(shown, today)
    chart.show_bars([Part("minutes", "accent", "solid", minutes)], labels, readings, sentence, length - 1)


def draw_forecast(chart: BarChart, statistics: Statistics, sentence: str) -> None:
    """Draw what falls due day by day, today first."""
    days = statistics.forecast
    parts = [
        Part("mature", "accent", "solid", [day.mature for day in days]),
        Part("young", "accent", "pale", [day.young for day in days]),
        Part("in steps", "accent", "outlined", [day.steps for day in days]),
        Part("overdue", "warn", "hatched", [day.overdue for day in days]),
    ]
    parts = [part for part in parts if any(part.values)]
    labels = _date_labels([day.study_day for day in days], statistics.study_day)
    chart.show_bars(parts, labels, [_due_words(day) for day in days], sentence, 0)


def draw_retention(chart: IntervalChart, statistics: Statistics, sentence: str) -> None:
    """Draw each period, and for the longest its young and mature parts."""
    rows = [Row(period.name, period.all) for period in statistics.retention]
    ever = statistics.retention[-1]
    rows += [Row("young, under 21 days", ever.young, True), Row("mature, from 21 days on", ever.mature, True)]
    _draw_rows(chart, rows, statistics.target, sentence)


def draw_studies(chart: IntervalChart, statistics: Statistics, names: Names, sentence: str) -> None:
    """Draw one row for each study."""
    rows = [Row(names.study(group.name), group.tested) for group in statistics.studies]
    _draw_rows(chart, rows, statistics.target, sentence)


def draw_tags(chart: IntervalChart, statistics: Statistics, sentence: str) -> None:
    """Draw the tags most surely weak; the table has them all."""
    rows = [Row(group.name, group.tested) for group in weakest(statistics.tags)]
    _draw_rows(chart, rows, statistics.target, sentence)


def draw_spread(chart: BarChart, found: Histogram, unit: str, sentence: str) -> None:
    """Draw a histogram."""
    labels = bin_labels(found)
    readings = [
        f"{label} {unit}: {plural(count, 'card')}".replace("  ", " ")
        for label, count in zip(labels, found.counts, strict=True)
    ]
    axis = [f"{edge:g}" if number % 2 == 0 else "" for number, edge in enumerate(found.edges[:-1])]
    chart.show_bars([Part("cards", "accent", "solid", found.counts)], axis, readings, sentence)


def draw_workload(chart: BarChart, statistics: Statistics, sentence: str) -> None:
    """Draw the projected answers a day for each desired retention, the present one marked."""
    loads = statistics.loads
    readings = [
        f"At {percent(load.retention)}: {short(load.answers)} answers a day"
        + ("" if load.minutes is None else f", {duration(load.minutes * 60_000)}")
        for load in loads
    ]
    now = [load.retention for load in loads].index(statistics.target)
    solid = [load.answers if number == now else 0.0 for number, load in enumerate(loads)]
    others = [0.0 if number == now else load.answers for number, load in enumerate(loads)]
    parts = [Part("your target", "accent", "solid", solid), Part("others", "accent", "pale", others)]
    chart.show_bars(parts, [percent(load.retention) for load in loads], readings, sentence, now)


def _draw_rows(chart: IntervalChart, rows: list[Row], target: float, sentence: str) -> None:
    readings = [f"{row.name}: {_share_words(row.share, target)}" for row in rows]
    chart.show_rows(rows, target, readings, sentence)


def _share_words(share: Share, target: float) -> str:
    if share.rate is None or share.interval is None:
        return "no review yet"
    low, high = share.interval
    return (
        f"{percent(share.rate)}, {share.recalled} of {plural(share.tests, 'review')} recalled; "
        f"95 % interval {percent(low)} to {percent(high)}, {VERDICTS[share.against(target)]}"
    )


def _day_words(day: Day) -> str:
    new = f", {day.introduced} new" if day.introduced else ""
    return f"{plural(day.answers, 'answer')} in {duration(day.milliseconds)}{new}"


def _due_words(day: DueDay) -> str:
    parts = [
        f"{count} {name}"
        for count, name in (
            (day.overdue, "overdue"),
            (day.steps, "in steps"),
            (day.young, "young"),
            (day.mature, "mature"),
        )
        if count
    ]
    detail = f": {', '.join(parts)}" if parts else ""
    return f"{day_words(day.study_day)}: {day.total} due{detail}"


def _date_labels(days: range | list[int], today: int) -> list[str]:
    """Label today and each seventh day from it."""
    labels = []
    for day in days:
        date = date_of_day(day)
        text = "today" if day == today else f"{date.day} {date:%b}"
        labels.append(text if (day - today) % 7 == 0 else "")
    return labels
