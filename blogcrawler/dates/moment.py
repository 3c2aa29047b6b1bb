"""A date as far as it is known: the month for sure, the day, time and offset from UTC where somebody wrote them.

`Reading` is one meaning of a date in a text, `DateSpan` its place there with all of its meanings.
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
# Local time runs from 12 hours behind UTC to 14 hours before it.
_FARTHEST_WEST = dt.timedelta(hours=12)
_FARTHEST_EAST = dt.timedelta(hours=14)
_QUARTER_S = 15 * 60
_MINUTE_S = 60


@dataclasses.dataclass(frozen=True, slots=True)
class Moment:
    """A month, with day, hour and minute, second and offset as far as they are known; the rest is None.

    Raises ValueError for a day or time that is in no calendar, and for a precision with a hole in it (an offset without
    a time).
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
            raise ValueError("A time has both an hour and a minute.")
        if self.offset_minutes is None:
            return
        if self.hour is None or abs(self.offset_minutes) > _MAX_OFFSET_MINUTES:
            raise ValueError("An offset needs a time, and is at most 18 hours.")

    @property
    def date(self) -> dt.date:
        """The calendar day as written; the first one of a month that is known alone."""
        return dt.date(self.year, self.month, 1 if self.day is None else self.day)

    def isoformat(self) -> str:
        """ISO 8601: a month or day alone, or with the time, or with time and offset, as far as they are known.

        A time without seconds is written with ``:00``, since RFC 3339 demands them.
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
        """The moment of an ISO 8601 text, as precise as that is, without fractions of seconds; else None."""
        found = _ISO.fullmatch((text or "").strip())
        if found is None:
            return None
        year, month, day, hour, minute, second = (int(part) if part else None for part in found.groups()[:6])
        offset = 0 if found[7] else None
        if found[8]:
            offset = (int(found[9]) * 60 + int(found[10] or 0)) * (-1 if found[8] == "-" else 1)
        try:
            return cls(year or 0, month or 0, day, hour=hour, minute=minute, second=second, offset_minutes=offset)
        except ValueError:
            return None

    def same_day(self, other: Moment) -> bool:
        """True when both speak of one day.

        Calendar days must be equal, with two exceptions, since a feed and a page may write one instant in two zones.
        Two instants may be at most 24 hours apart. Where both have a time and one of them an offset, the times must
        differ as zones do: by quarters of an hour, and by 14 hours at most. A month alone is any day of it.
        """
        if self.date == other.date:
            return True
        if self.day is None or other.day is None:
            return (self.year, self.month) == (other.year, other.month)
        mine, theirs = self._instant(), other._instant()
        if mine is not None and theirs is not None:
            return abs(mine - theirs) <= _DAY
        if (mine is None and theirs is None) or self.hour is None or other.hour is None:
            return False
        apart = (mine or self._local()) - (theirs or other._local())
        seconds = abs(apart.total_seconds())
        return abs(apart) <= _FARTHEST_EAST and min(seconds % _QUARTER_S, -seconds % _QUARTER_S) < _MINUTE_S

    def may_be_same_day(self, other: Moment) -> bool:
        """True when both may speak of one day: `same_day`, and an instant that falls on the other's day in some zone.

        Weaker evidence than `same_day`, and the best there is of a feed in UTC and a page that shows the day alone.
        """
        if self.same_day(other):
            return True
        mine, theirs = self._instant(), other._instant()
        if self.day is None or other.day is None:
            return False
        if mine is not None and theirs is None:
            return _falls_on(mine, other.date)
        return theirs is not None and mine is None and _falls_on(theirs, self.date)

    def _local(self) -> dt.datetime:
        return dt.datetime.combine(self.date, dt.time(self.hour or 0, self.minute or 0, self.second or 0))

    def minutes_from(self, other: Moment) -> int | None:
        """Whole minutes between two instants, at least 0; None unless both have a time and an offset."""
        mine, theirs = self._instant(), other._instant()
        if mine is None or theirs is None:
            return None
        return int(abs(mine - theirs).total_seconds()) // 60

    def is_after(self, other: Moment) -> bool:
        """True when it is certain to be later: by the instants, or by the times of one day, or else by the days."""
        mine, theirs = self._instant(), other._instant()
        if mine is not None and theirs is not None:
            return mine > theirs
        if self.date != other.date:
            return self.date > other.date and not self.may_be_same_day(other)
        same_clock = self.offset_minutes == other.offset_minutes
        return same_clock and self.hour is not None and other.hour is not None and self._local() > other._local()

    def without_offset(self) -> Moment:
        """The same local time, with nothing said of the zone."""
        return dataclasses.replace(self, offset_minutes=None)

    def _instant(self) -> dt.datetime | None:
        """Naive, in UTC; None when unknown or outside of the years that Python knows."""
        if self.offset_minutes is None:
            return None
        try:
            return self._local() - dt.timedelta(minutes=self.offset_minutes)
        except OverflowError:
            return None


def _falls_on(instant: dt.datetime, day: dt.date) -> bool:
    """True where an instant in UTC falls on a day somewhere on Earth."""
    try:
        return (instant - _FARTHEST_WEST).date() <= day <= (instant + _FARTHEST_EAST).date()
    except OverflowError:
        return False


class Reading(NamedTuple):
    """One way to read a date."""

    moment: Moment
    #: "DMY", "MDY", "YMD" or "YDM": how the parts follow one another when read so
    order: str
    #: True where the month is a number that could be something else
    numeric: bool


class DateSpan(NamedTuple):
    """A date in a text: `text[start:end]` is all of it, with weekday, time and zone; `readings` are never empty."""

    start: int
    end: int
    readings: tuple[Reading, ...]
