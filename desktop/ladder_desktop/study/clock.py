"""The time and the zone, as one object that tests can replace to travel."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol


class Clock(Protocol):
    """Where the study room gets the time from."""

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""
        ...

    def zone(self) -> tzinfo:
        """Return the zone the person is in now, with its daylight-saving rules."""
        ...


class SystemClock:
    """The machine's clock and the machine's zone."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        return datetime.now(UTC)

    def zone(self) -> tzinfo:
        """Return the machine's zone, asked anew each time: a laptop travels while the program runs."""
        if hasattr(time, "tzset"):  # Windows has no tzset and needs none
            time.tzset()
        return LocalZone()


class LocalZone(tzinfo):
    """The operating system's zone with its rules for every date.

    `datetime.astimezone()` alone gives a fixed offset, which is an hour wrong after the next change of clocks.
    """

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        """Return the offset the system has at this wall time; `fold` tells the two passes of a repeated hour apart."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, dt: datetime | None) -> timedelta | None:  # noqa: ARG002
        """Return None: the system does not say which part of the offset is daylight saving."""
        return None

    def tzname(self, dt: datetime | None) -> str | None:
        """Return the system's abbreviation for the zone at this wall time."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, dt: datetime) -> datetime:
        """Turn an instant into wall time, marking the second pass of a repeated hour with `fold`."""
        system = dt.replace(tzinfo=UTC).astimezone()
        local = system.replace(tzinfo=self, fold=0)
        return local if local.utcoffset() == system.utcoffset() else local.replace(fold=1)
