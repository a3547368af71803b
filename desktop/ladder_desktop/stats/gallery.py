"""The exhibits of the page: which there are, where they hang, and how they are filled."""

from __future__ import annotations

from ladder_desktop.study.statistics import Statistics
from ladder_desktop.theme import Theme

from . import contents, drawings
from .bars import BarChart
from .exhibit import Exhibit
from .heat_map import HeatMap
from .intervals import IntervalChart
from .names import Names

MOST_DAYS = 90
FULL, HALF, THIRD = 6, 3, 2
SPREADS = (
    ("intervals", "days", "Days until a card comes back."),
    ("stabilities", "days", "Days until the chance of recall falls to 90 %."),
    ("difficulties", "", "From 1, easy, to 10."),
)


class Gallery:
    """Fills exhibits from statistics. Charts are given their marks first, then the exhibit its words and its table."""

    def __init__(self, theme: Theme, names: Names) -> None:
        self._names = names
        self._calendar = HeatMap(theme, "A year of days")
        self._forecast = BarChart(theme, "Due in the next 30 days")
        self._retention = IntervalChart(theme, "Retention")
        self._time = BarChart(theme, "Minutes a day")
        self._studies = IntervalChart(theme, "Retention by study")
        self._tags = IntervalChart(theme, "Retention by tag")
        self._workload = BarChart(theme, "Projected work by desired retention")
        self._spreads = [BarChart(theme, title, 130) for title in ("Intervals", "Stability", "Difficulty")]
        self.calendar = Exhibit("A year of days", self._calendar)
        self.forecast = Exhibit("Due in the next 30 days", self._forecast)
        self.retention = Exhibit("Retention", self._retention)
        self.time = Exhibit("Time spent", self._time)
        self.studies = Exhibit("By study", self._studies)
        self.tags = Exhibit("By tag", self._tags)
        self.hardest = Exhibit("Hardest", None)
        self.workload = Exhibit("What another target would cost", self._workload)
        self.spreads = [Exhibit(chart.accessibleName(), chart) for chart in self._spreads]
        self.exhibits = [
            *(self.calendar, self.retention, self.forecast, self.time, self.studies, self.tags, self.hardest),
            *(*self.spreads, self.workload),
        ]

    def places(self) -> list[tuple[Exhibit, tuple[int, int, int]]]:
        """Return each exhibit with its row, its column of six and how many columns it takes."""
        return [
            (self.calendar, (0, 0, FULL)),
            (self.retention, (1, 0, FULL)),
            (self.forecast, (2, 0, HALF)),
            (self.time, (2, 3, HALF)),
            (self.studies, (3, 0, FULL)),
            (self.tags, (4, 0, FULL)),
            (self.hardest, (5, 0, FULL)),
            *((exhibit, (6, 2 * place, THIRD)) for place, exhibit in enumerate(self.spreads)),
            (self.workload, (7, 0, FULL)),
        ]

    def show_tables(self, on: bool) -> None:
        """Turn every chart into its table, or back."""
        for exhibit in self.exhibits:
            if exhibit.chart is not None:
                exhibit.show_table(on)

    def show(self, statistics: Statistics) -> None:
        """Fill every exhibit."""
        content = contents.calendar(statistics)
        drawings.draw_calendar(self._calendar, statistics, content.sentence)
        self.calendar.fill(content)

        content = contents.retention(statistics)
        drawings.draw_retention(self._retention, statistics, content.sentence)
        self.retention.fill(content)

        content = contents.forecast(statistics)
        drawings.draw_forecast(self._forecast, statistics, content.sentence)
        self.forecast.fill(content)

        length = min(statistics.scope.days or MOST_DAYS, MOST_DAYS)
        content = contents.time_spent(statistics, length)
        drawings.draw_time(self._time, statistics, length, content.sentence)
        self.time.fill(content)

        content = contents.by_study(statistics, self._names)
        drawings.draw_studies(self._studies, statistics, self._names, content.sentence)
        self.studies.fill(content)

        content = contents.by_tag(statistics)
        drawings.draw_tags(self._tags, statistics, content.sentence)
        self.tags.fill(content)

        self.hardest.fill(contents.hardest(statistics, self._names))
        self._show_spreads(statistics)

        content = contents.workload(statistics)
        drawings.draw_workload(self._workload, statistics, content.sentence)
        self.workload.fill(content)

    def _show_spreads(self, statistics: Statistics) -> None:
        found = (statistics.intervals, statistics.stabilities, statistics.difficulties)
        for (name, unit, meaning), histogram, chart, exhibit in zip(
            SPREADS, found, self._spreads, self.spreads, strict=True
        ):
            content = contents.spread(name, unit or "difficulty", histogram, meaning)
            drawings.draw_spread(chart, histogram, unit, content.sentence)
            exhibit.fill(content)
