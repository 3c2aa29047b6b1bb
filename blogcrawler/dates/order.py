"""Settles how a blog orders day and month in digits: from dates that are known, from others that leave no choice, or by
what is the custom of its language."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from babel import Locale, UnknownLocaleError

from blogcrawler.dates.read import find_dates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.dates.moment import Moment

_AGREEMENT = 0.8
"""Share of the texts that must speak for one order, of those that speak for one alone."""
_DIGITS = re.compile(r"(?<![\d./-])\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?![\d/-])")
# Blog software writes these unasked, so they tell nothing of who writes.
_UNASKED = frozenset({"en", "en-us"})
_PARTS = re.compile("[yMd]+")


def settle_order(pairs: Iterable[tuple[str, Moment]]) -> str | None:
    """The order ("DMY", "MDY", "YMD") in which the texts read as the day that is known for them.

    Only texts in digits that could be read otherwise tell: who writes "May 2, 2014" may have written 02.05.2014 before
    a redesign. None where no such text agrees with its day, and where texts disagree. O(n) in the texts.
    """
    votes: Counter[str] = Counter()
    for text, truth in pairs:
        readings = [found for span in find_dates(text) for found in span.readings if found.numeric]
        orders = {found.order for found in readings if found.moment.may_be_same_day(truth)}
        if len(orders) == 1:  # 05/05/2014 speaks for none
            votes.update(orders)
    return _agreed(votes)


def order_shown(texts: Iterable[str]) -> str | None:
    """The order of the dates in digits that can be read in one order only ("25.05.2014"); None where they disagree.

    O(n) in the texts.
    """
    votes: Counter[str] = Counter()
    for text in texts:
        if _DIGITS.search(text):
            for span in find_dates(text):
                orders = {found.order for found in span.readings if found.numeric}
                if len(orders) == 1 and len(span.readings) == 1:
                    votes.update(orders)
    return _agreed(votes)


def order_of_languages(tags: Iterable[str]) -> str | None:
    """The order that is the custom of the first language that has one, as CLDR writes its short dates.

    English has none, and neither has en-US, which software writes unless told otherwise; British English has one.
    """
    return next(filter(None, map(_custom, tags)), None)


def _agreed(votes: Counter[str]) -> str | None:
    ranked = votes.most_common(1)
    total = sum(votes.values())
    if not ranked or ranked[0][1] < _AGREEMENT * total:
        return None
    return ranked[0][0]


@cache
def _custom(tag: str) -> str | None:
    tag = tag.replace("_", "-").strip().lower()
    if tag in _UNASKED:
        return None
    try:
        pattern = Locale.parse(tag, sep="-").date_formats["short"].pattern
    except (UnknownLocaleError, ValueError, TypeError):
        return None
    parts = _PARTS.findall(pattern)
    order = "".join(part[0].upper() for part in parts)
    if order == "YMD":
        return order if parts[0] == "yy" else None
    return order if order in ("DMY", "MDY") else None
