"""Parse the time since which the user wants an update."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from blogcrawler.dates import Moment
from blogcrawler.errors import BadArgument

_YEAR_OR_MONTH = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?")
_UNIX = re.compile(r"[0-9]{1,11}(?:\.[0-9]{1,9})?")


def parse_since(text: str, *, now: datetime | None = None) -> datetime:
    """Parse an ISO 8601 date or time ("2026", "2026-11", "2026-11-01", "2026-11-01T10:00+01:00"; UTC if it has no
    offset), or a Unix time in seconds ("1793440800"). Four digits are a year, and eight digits that can be a date are
    one.

    Raises BadArgument, whose message says what to give, also for a time after `now`.
    """
    try:
        time = _read(text.strip())
    except (ValueError, OverflowError, OSError):
        raise BadArgument(
            f"{text!r} is not a time; give a date such as 2026-11-01, a time as in 2026-11-01T10:00:00Z, or Unix time."
        ) from None
    if time > (now or datetime.now(UTC)):
        raise BadArgument(f"{text!r} is in the future; give an earlier time, such as 2026-11-01.")
    return time


def is_since(since: datetime, *times: str | None) -> bool:
    """True if any of the times (ISO 8601, or None if unknown) may be at this moment or later."""
    start = Moment.parse_iso(since.isoformat())
    moments = (Moment.parse_iso(time) for time in times if time)
    return start is not None and any(moment is not None and not start.is_after(moment) for moment in moments)


def _read(text: str) -> datetime:
    if reduced := _YEAR_OR_MONTH.fullmatch(text):
        return datetime(int(reduced[1]), int(reduced[2] or 1), 1, tzinfo=UTC)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        if not _UNIX.fullmatch(text):
            raise
        return datetime.fromtimestamp(float(text), UTC)
    return time.astimezone(UTC) if time.tzinfo is not None else time.replace(tzinfo=UTC)
