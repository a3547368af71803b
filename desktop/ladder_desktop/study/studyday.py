"""Study days: a day of learning starts at 04:00 on the person's wall clock, wherever the person is.

A study day is one absolute number, days since 1970-01-01 of the local date it started on. Whether a night has
23, 24 or 25 hours, and whichever zone the person flies to, the number of days between two reviews is the
difference of two integers that were fixed when the reviews happened and stored with them.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

import msgspec

ROLLOVER = time(4)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_TOO_LATE = (datetime(3000, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)


class Moment(msgspec.Struct, frozen=True):
    """An instant with everything about it that must not be worked out again later, in another zone."""

    at: int  # milliseconds since 1970-01-01 UTC
    study_day: int
    utc_offset: int  # seconds east of UTC
    local_date: str  # ISO, the calendar date on the wall (before 04:00 it is one ahead of the study day)

    def adds_up(self) -> bool:
        """Say whether day, offset and date belong to the instant, and that to a year before 3000."""
        try:
            zone = timezone(timedelta(seconds=self.utc_offset))
            return self.at < _TOO_LATE and moment_of(from_ms(self.at), zone) == self
        except (OverflowError, ValueError):
            return False


def study_day(instant: datetime, zone: tzinfo) -> int:
    """Return the study day in which an aware instant falls for somebody in `zone`."""
    local = instant.astimezone(zone)
    day = local.date().toordinal() - _EPOCH_ORDINAL
    return day if local.time() >= ROLLOVER else day - 1


def day_start(day: int, zone: tzinfo) -> datetime:
    """Return the instant, in UTC, at which study day `day` starts in `zone`: its 04:00 on the wall clock."""
    local = datetime.combine(date.fromordinal(day + _EPOCH_ORDINAL), ROLLOVER, tzinfo=zone)
    return local.astimezone(UTC)


def date_of_day(day: int) -> date:
    """Return the calendar date on which a study day starts."""
    return date.fromordinal(day + _EPOCH_ORDINAL)


def moment_of(instant: datetime, zone: tzinfo) -> Moment:
    """Fix an aware instant for the log: to the millisecond, with the study day, offset and date of `zone`."""
    if instant.tzinfo is None:
        raise ValueError("an instant needs a zone")
    local = instant.astimezone(zone)
    offset = local.utcoffset() or timedelta()
    return Moment(
        at=to_ms(instant),
        study_day=study_day(instant, zone),
        utc_offset=int(offset.total_seconds()),
        local_date=local.date().isoformat(),
    )


def to_ms(instant: datetime) -> int:
    """Return milliseconds since 1970-01-01 UTC, rounded down."""
    return (instant - _EPOCH) // timedelta(milliseconds=1)


def from_ms(at: int) -> datetime:
    """Return the aware UTC instant of a number of milliseconds since 1970-01-01 UTC."""
    return _EPOCH + timedelta(milliseconds=at)
