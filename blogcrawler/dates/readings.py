"""What a date in a text may mean, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from blogcrawler.dates.moment import Moment


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
