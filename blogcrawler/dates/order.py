"""Determines the order of day and month in a blog's numeric dates: from known dates, from unambiguous dates, or from
its language."""

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
"""Minimum share of texts that support the order, among the texts that support exactly one order."""
_DIGITS = re.compile(r"(?<![\d./-])\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?![\d/-])")
# Blog software writes these formats by default, so they say nothing about the author's habits.
_UNASKED = frozenset({"en", "en-us"})
_PARTS = re.compile("[yMd]+")


def settle_order(pairs: Iterable[tuple[str, Moment]]) -> str | None:
    """The order ("DMY", "MDY" or "YMD") in which the texts agree with the known days.

    Only ambiguous numeric texts count: an author who writes "May 2, 2014" may have written 02.05.2014 before a
    redesign. None if no such text agrees with its day, or if texts contradict each other. O(n) in the texts.
    """
    votes: Counter[str] = Counter()
    for text, truth in pairs:
        readings = [found for span in find_dates(text) for found in span.readings if found.numeric]
        orders = {found.order for found in readings if found.moment.may_be_same_day(truth)}
        if len(orders) == 1:  # 05/05/2014 is the same in both orders
            votes.update(orders)
    return _agreed(votes)


def order_shown(texts: Iterable[str]) -> str | None:
    """The order of unambiguous numeric dates ("25.05.2014"); None if they contradict each other.

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
    """The customary order of the first language that has one, as in CLDR's short date format.

    English has none, nor has en-US, which is software's default language; British English has one.
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
