"""The time from which captures are used: as of a day, or from one to another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from blogcrawler.errors import BadArgument

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.sources.capture import Capture

_TIME = re.compile(r"(\d{4})(?:-?(\d{2})(?:-?(\d{2})(?:[T ]?(\d{2}):?(\d{2})(?::?(\d{2}))?Z?)?)?)?")
"""ISO 8601 in UTC, and the timestamps of web archives, such as 20140630101500."""
_DAY = timedelta(days=1)
_BEGIN, _END = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Period:
    """The captures that are used: those from `since` to `until`, both included, in UTC."""

    since: datetime = _BEGIN
    until: datetime = _END

    @classmethod
    def parse(cls, since: str | None, until: str | None) -> Period:
        """The period from the beginning of a year, month, day or second to the end of another; None: without a limit.

        Raises BadArgument, whose message says what to give.
        """
        period = cls(_read(since)[0] if since else _BEGIN, _read(until)[1] if until else _END)
        if period.since > period.until:
            raise BadArgument(f"{since} is later than {until}; no capture lies between them. Exchange them.")
        return period

    def of(self, captures: Iterable[Capture]) -> list[Capture]:
        """The captures in this period."""
        return [capture for capture in captures if self.since <= capture.time <= self.until]


def _read(text: str) -> tuple[datetime, datetime]:
    """The first and last moment of a year, month, day, minute or second."""
    try:
        parts = [int(part) for part in _TIME.fullmatch(text.strip()).groups() if part]  # type: ignore[union-attr]
        first = datetime(*[*parts, 1, 1][: max(3, len(parts))], tzinfo=UTC)  # type: ignore[misc, arg-type]
        length = len(parts)
        if length == 1:
            after = first.replace(year=first.year + 1)
        elif length == 2:
            after = (first + 31 * _DAY).replace(day=1)
        else:
            after = first + (_DAY, _DAY, timedelta(minutes=1), timedelta(seconds=1))[length - 3]
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise BadArgument(
            f"{text!r} is no time; give a year, month or day such as 2014-06-30, or a time in UTC such as "
            "2014-06-30T10:15:00Z."
        ) from None
    return first, after - timedelta(seconds=1)
