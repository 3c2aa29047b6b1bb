"""Tells a feed that dates its posts wrongly, as after an import, from pages that show no date or another one.

A rule for the date is proved by the feed. Where hardly any page says the feed's day, while nearly all say a day of
their own where a post has it, the pages are right, if what they say may be the day of publication: not after the
feed's, as days of changes and of events to come are, and in the order of the feed or near its days.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dates import Moment
from blogcrawler.wrapper.fallback import find_date

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.wrapper.fields import Dates
    from blogcrawler.wrapper.training import TrainingPage

__all__ = ["misdates"]

FEWEST = 4
"""Entries with a date below which nothing is known of the feed."""
AGREEING = 0.5
"""Share of the pages that say the feed's day, from which the feed is believed."""
NEARLY_ALL = 0.9
"""Share of the pages that say a day."""
DIFFERENT = 0.75
"""Share of these days that differ: one for all is that of the site."""
STATED = 0.6
"""Confidence in a date from which the page is taken to state it."""
EARLIER = 0.5
"""Share of the days that are before the feed's, where no vocabulary calls them those of publication."""
IN_ORDER = 0.8
"""Share of the pairs of posts, one after the other, that the pages have in the same order."""
NEAR = 31
"""Days that half of the pages may be apart from the feed, at most, where the order is another one."""


class _Day(NamedTuple):
    told: Moment
    shown: Moment
    #: does a vocabulary call it the day of publication?
    is_claimed: bool


def misdates(pages: Sequence[TrainingPage], dates: Dates) -> bool:
    """Are the feed's dates of posts wrong, and those of the pages better?

    `dates` is what was learned by the feed's. O(n) in the pages; almost nothing where that agrees with most of them.
    """
    told = [(page, moment) for page in pages if (moment := Moment.parse_iso(page.entry.published)) is not None]
    agreeing = sum(rule.learned.support for rule in dates.rules)
    if len(told) < FEWEST or agreeing >= AGREEING or dates.url_right >= AGREEING * len(told):
        return False
    days = [day for page, moment in told if (day := _shown(page, moment, dates)) is not None]
    return (
        len(days) >= NEARLY_ALL * len(told)
        and len({day.shown.date for day in days}) >= DIFFERENT * len(days)
        and sum(day.is_claimed or day.shown.date < day.told.date for day in days) >= EARLIER * len(days)
        and (_are_in_order(days) or median(abs((day.shown.date - day.told.date).days) for day in days) <= NEAR)
    )


def _shown(page: TrainingPage, told: Moment, dates: Dates) -> _Day | None:
    fact = find_date(page.tree, page.url, page.entry.title, dates.languages, dates.order, dates.of_site)
    shown = Moment.parse_iso(fact.value) if fact is not None and fact.source.confidence >= STATED else None
    return _Day(told, shown, fact.source.source != "fallback") if fact is not None and shown is not None else None


def _are_in_order(days: Sequence[_Day]) -> bool:
    ordered = sorted(days, key=lambda day: day.told.date)
    rising = sum(first.shown.date <= second.shown.date for first, second in pairwise(ordered))
    return rising >= IN_ORDER * (len(days) - 1)
