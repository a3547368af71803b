"""Times in the words a person would use. No Qt."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo


def when(due: datetime, now: datetime, zone: tzinfo) -> str:
    """Say when `due` is, seen from `now`: "in 4 min", "at 18:40", "tomorrow", "on Thursday", "on 3 March 2027"."""
    wait = due - now
    if wait <= timedelta(0):
        return "now"
    minutes = -(-int(wait.total_seconds()) // 60)
    if minutes < 60:
        return f"in {max(minutes, 1)} min"
    local, today = due.astimezone(zone), now.astimezone(zone).date()
    days = (local.date() - today).days
    if days == 0:
        return f"at {local:%H:%M}"
    if days == 1:
        return "tomorrow"
    if days < 7:
        return f"on {local:%A}"
    year = "" if local.year == today.year else f" {local.year}"
    return f"on {local.day} {local:%B}{year}"
