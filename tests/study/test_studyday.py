from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ladder_desktop.study.clock import LocalZone, SystemClock
from ladder_desktop.study.studyday import day_start, moment_of, study_day

ZONES = ["UTC", "Europe/Paris", "America/New_York", "Pacific/Auckland", "Asia/Kolkata", "Australia/Lord_Howe"]
zones = st.sampled_from(ZONES).map(ZoneInfo)
days = st.integers(min_value=0, max_value=40_000)


def number(year: int, month: int, day: int) -> int:
    return (date(year, month, day) - date(1970, 1, 1)).days


def at(local: str, zone: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC)


@given(days, zones)
def test_a_day_starts_at_four_on_the_wall_and_ends_where_the_next_begins(day: int, zone: ZoneInfo) -> None:
    start = day_start(day, zone)
    assert start.astimezone(zone).time().isoformat() == "04:00:00"
    assert study_day(start, zone) == day
    assert study_day(start - timedelta(microseconds=1), zone) == day - 1
    assert timedelta(hours=23) <= day_start(day + 1, zone) - start <= timedelta(hours=25)


@given(st.datetimes(datetime(1980, 1, 1), datetime(2080, 1, 1), timezones=st.just(UTC)), zones)
def test_every_instant_lies_in_its_day(instant: datetime, zone: ZoneInfo) -> None:
    day = study_day(instant, zone)
    assert day_start(day, zone) <= instant < day_start(day + 1, zone)


@pytest.mark.parametrize(
    ("local", "zone", "day"),
    [
        (
            "2026-10-21 04:30",
            "Europe/Paris",
            number(2026, 10, 21),
        ),  # a wrong day elsewhere, once clocks change
        ("2026-10-25 03:59", "Europe/Paris", number(2026, 10, 24)),  # this night has 25 hours
        ("2026-10-25 04:00", "Europe/Paris", number(2026, 10, 25)),
        ("2026-03-29 03:30", "Europe/Paris", number(2026, 3, 28)),  # and this one 23
        ("2026-11-01 03:59", "America/New_York", number(2026, 10, 31)),
        ("2026-11-01 04:00", "America/New_York", number(2026, 11, 1)),
        ("2026-09-27 04:00", "Pacific/Auckland", number(2026, 9, 27)),
        ("2026-10-20 03:59", "Asia/Kolkata", number(2026, 10, 19)),
        ("2026-10-20 23:59", "Asia/Kolkata", number(2026, 10, 20)),
    ],
)
def test_known_days(local: str, zone: str, day: int) -> None:
    assert study_day(at(local, zone), ZoneInfo(zone)) == day


def test_the_repeated_hour_has_two_instants_and_one_day() -> None:
    first, second = at("2026-10-25 02:30", "Europe/Paris"), at("2026-10-25 02:30", "Europe/Paris", fold=1)
    moments = [moment_of(instant, ZoneInfo("Europe/Paris")) for instant in (first, second)]
    assert moments[1].at - moments[0].at == 3_600_000
    assert [moment.utc_offset for moment in moments] == [7200, 3600]
    assert {moment.study_day for moment in moments} == {number(2026, 10, 24)}
    assert {moment.local_date for moment in moments} == {"2026-10-25"}


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        moment_of(datetime(2026, 1, 1), UTC)


@pytest.mark.skipif(
    not hasattr(time, "tzset"), reason="this system has no tzset to move a process to another zone"
)
@pytest.mark.parametrize("name", ["Europe/Paris", "America/New_York", "Asia/Kolkata"])
def test_the_systems_zone_follows_its_rules_through_the_year(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = ZoneInfo(name)
    try:
        monkeypatch.setenv("TZ", name)
        zone = SystemClock().zone()
        assert isinstance(zone, LocalZone)
        instant = datetime(2026, 1, 1, tzinfo=UTC)
        while instant.year == 2026:
            ours, theirs = instant.astimezone(zone), instant.astimezone(truth)
            assert (ours.replace(tzinfo=None), ours.fold) == (theirs.replace(tzinfo=None), theirs.fold)
            assert ours.utcoffset() == theirs.utcoffset()
            assert ours.astimezone(UTC) == instant
            instant += timedelta(minutes=30)
    finally:
        monkeypatch.undo()
        time.tzset()
