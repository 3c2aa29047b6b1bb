"""Tells a day that is always the one after a post's, as that of its first comment, from the post's in another zone.

A feed in UTC and a page that shows the day alone may differ by one day, but in one zone only posts of certain hours do.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.dates import Moment

__all__ = ["is_later"]

FEWEST = 4
"""Days below which chance may have all of them in the hours that a zone explains."""
NEARLY_ALL = 0.8
"""Share of the days that are later, or that one zone explains."""
FARTHEST = 14
"""Hours that a zone may be ahead of another, at most, as far as a day changes by it."""


def is_later(pairs: Sequence[tuple[Moment, Moment]]) -> bool:
    """Are days on pages, each with the feed's moment, later than that, in whatever zone they are? O(n).

    What the page or the feed tells otherwise than a day and a moment tells nothing of it.
    """
    told = [(shown, day) for shown, day in pairs if shown.hour is None and day.hour is not None]
    if len(told) < max(FEWEST, NEARLY_ALL * len(pairs)):
        return False
    apart = [(dt.datetime.combine(shown.date, dt.time()) - _local(day)).total_seconds() / 3600 for shown, day in told]
    if sum(hours > 0 for hours in apart) < NEARLY_ALL * len(told):
        return False
    # in a zone that is so many hours ahead, a moment falls on the day that begins less than that after it
    explained = (sum(ahead - 24 < hours <= ahead for hours in apart) for ahead in range(FARTHEST + 1))
    return max(explained) < NEARLY_ALL * len(told)


def _local(moment: Moment) -> dt.datetime:
    return dt.datetime.combine(moment.date, dt.time(moment.hour or 0, moment.minute or 0))
