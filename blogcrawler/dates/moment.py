"""A date with the precision that is known: always the month; day, time and offset from UTC only if they are stated.

`Reading` is one interpretation of a date in a text; `DateSpan` is the date's position with all interpretations.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from typing import NamedTuple

_ISO = re.compile(
    r"(\d{4})-(\d{2})(?:-(\d{2})"
    r"(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?"
    r" ?(?:([Zz])|([+-])(\d{2}):?(\d{2})?)?)?)?",
    re.ASCII,
)
_MAX_OFFSET_MINUTES = 18 * 60
_DAY = dt.timedelta(hours=24)
# Local time ranges from 12 hours behind UTC to 14 hours ahead of it.
_FARTHEST_WEST = dt.timedelta(hours=12)
_FARTHEST_EAST = dt.timedelta(hours=14)
_QUARTER_S = 15 * 60
_MINUTE_S = 60


@dataclasses.dataclass(frozen=True, slots=True)
class Moment:
    """A month, optionally with day, hour and minute, second, and offset. Unknown parts are None.

    Raises ValueError for a day or time that does not exist, and for gaps in the precision, such as an offset without a
    time.
    """

    year: int
    month: int
    day: int | None
    hour: int | None = None
    minute: int | None = None
    second: int | None = None
    #: local time minus UTC
    offset_minutes: int | None = None

    def __post_init__(self) -> None:
        self._local()
        if self.day is None and self.hour is not None:
            raise ValueError("A time needs a day.")
        if (self.hour is None) != (self.minute is None) or (self.hour is None and self.second is not None):
            raise ValueError("A time needs an hour and a minute.")
        if self.offset_minutes is None:
            return
        if self.hour is None or abs(self.offset_minutes) > _MAX_OFFSET_MINUTES:
            raise ValueError("An offset needs a time, and is at most 18 hours.")

    @property
    def date(self) -> dt.date:
        """The calendar day as written; the first day of the month if the day is unknown."""
        return dt.date(self.year, self.month, 1 if self.day is None else self.day)

    def isoformat(self) -> str:
        """ISO 8601 text with the known precision: month, day, local time, or time with offset.

        A time without seconds is written with ``:00``, since RFC 3339 requires them.
        """
        if self.hour is None:
            return self.date.isoformat() if self.day is not None else self.date.isoformat()[:7]
        text = f"{self.date.isoformat()}T{self.hour:02}:{self.minute:02}:{self.second or 0:02}"
        if self.offset_minutes is None:
            return text
        hours, minutes = divmod(abs(self.offset_minutes), 60)
        return f"{text}{'-' if self.offset_minutes < 0 else '+'}{hours:02}:{minutes:02}"

    @classmethod
    def parse_iso(cls, text: str | None) -> Moment | None:
        """Parse an ISO 8601 text with its precision; fractions of seconds are dropped. None if it is invalid."""
        match = _ISO.fullmatch((text or "").strip())
        if match is None:
            return None
        year, month, day, hour, minute, second = (int(part) if part else None for part in match.groups()[:6])
        offset = 0 if match[7] else None
        if match[8]:
            offset = (int(match[9]) * 60 + int(match[10] or 0)) * (-1 if match[8] == "-" else 1)
        try:
            return cls(year or 0, month or 0, day, hour=hour, minute=minute, second=second, offset_minutes=offset)
        except ValueError:
            return None

    def same_day(self, other: Moment) -> bool:
        """True if both dates are the same day.

        Calendar days must be equal, with two exceptions, since a feed and a page may state the same instant in
        different time zones. Two instants may be up to 24 hours apart. If both have a time but only one has an offset,
        their difference must be a possible zone offset: a multiple of 15 minutes, up to 14 hours. A date without a day
        equals any day of the month.
        """
        if self.date == other.date:
            return True
        if self.day is None or other.day is None:
            return (self.year, self.month) == (other.year, other.month)
        own_instant, other_instant = self._instant(), other._instant()
        if own_instant is not None and other_instant is not None:
            return abs(own_instant - other_instant) <= _DAY
        if (own_instant is None and other_instant is None) or self.hour is None or other.hour is None:
            return False
        apart = (own_instant or self._local()) - (other_instant or other._local())
        seconds = abs(apart.total_seconds())
        return abs(apart) <= _FARTHEST_EAST and min(seconds % _QUARTER_S, -seconds % _QUARTER_S) < _MINUTE_S

    def may_be_same_day(self, other: Moment) -> bool:
        """True if both dates may be the same day: like `same_day`, or the instant falls on the other date's day in some
        time zone.

        This is weaker evidence than `same_day`, needed if a feed states UTC and the page only the day.
        """
        if self.same_day(other):
            return True
        own_instant, other_instant = self._instant(), other._instant()
        if self.day is None or other.day is None:
            return False
        if own_instant is not None and other_instant is None:
            return _falls_on(own_instant, other.date)
        return other_instant is not None and own_instant is None and _falls_on(other_instant, self.date)

    def _local(self) -> dt.datetime:
        return dt.datetime.combine(self.date, dt.time(self.hour or 0, self.minute or 0, self.second or 0))

    def minutes_from(self, other: Moment) -> int | None:
        """Whole minutes between two instants, at least 0; None unless both have a time and an offset."""
        own_instant, other_instant = self._instant(), other._instant()
        if own_instant is None or other_instant is None:
            return None
        return int(abs(own_instant - other_instant).total_seconds()) // 60

    def is_after(self, other: Moment) -> bool:
        """True if this date is certainly later, by instants, by times on one day, or else by days."""
        own_instant, other_instant = self._instant(), other._instant()
        if own_instant is not None and other_instant is not None:
            return own_instant > other_instant
        if self.date != other.date:
            return self.date > other.date and not self.may_be_same_day(other)
        same_clock = self.offset_minutes == other.offset_minutes
        return same_clock and self.hour is not None and other.hour is not None and self._local() > other._local()

    def without_offset(self) -> Moment:
        """The same local time without an offset."""
        return dataclasses.replace(self, offset_minutes=None)

    def _instant(self) -> dt.datetime | None:
        """The instant in UTC as a naive datetime; None if it is unknown or outside of Python's range."""
        if self.offset_minutes is None:
            return None
        try:
            return self._local() - dt.timedelta(minutes=self.offset_minutes)
        except OverflowError:
            return None


def _falls_on(instant: dt.datetime, day: dt.date) -> bool:
    """True if an instant in UTC falls on this day somewhere on Earth."""
    try:
        return (instant - _FARTHEST_WEST).date() <= day <= (instant + _FARTHEST_EAST).date()
    except OverflowError:
        return False


class Reading(NamedTuple):
    """An interpretation of a date."""

    moment: Moment
    #: order of the parts under this interpretation: "DMY", "MDY", "YMD" or "YDM"
    order: str
    #: True if the month is a number that could also be a day or year
    numeric: bool


class DateSpan(NamedTuple):
    """A date in a text: `text[start:end]` includes weekday, time and zone. `readings` is never empty."""

    start: int
    end: int
    readings: tuple[Reading, ...]
