"""Settles how a blog orders day and month in digits, from dates that are known."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.dates.read import find_dates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.dates.moment import Moment

__all__ = ["settle_order"]


def settle_order(pairs: Iterable[tuple[str, Moment]]) -> str | None:
    """The order ("DMY", "MDY", "YMD") in which most of the texts read as the day that is known for them.

    Texts in digits decide; where there are none, those with a month's name. None where no text agrees with its day, and
    where two orders agree with equally many. O(n) in the texts.
    """
    votes: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for text, truth in pairs:
        agreeing = {
            (found.numeric, found.order)
            for span in find_dates(text)
            for found in span.readings
            if found.moment.may_be_same_day(truth)
        }
        for numeric, order in agreeing:
            votes[numeric][order] += 1
    ranked = (votes[True] or votes[False]).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]
