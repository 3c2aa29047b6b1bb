"""Posts a month over a blog's life, and the months of which some seem to be missing."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from math import exp, lgamma, log
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
AROUND = 6
"""Months before a month, and as many after it, that tell what is usual."""
LEAST_AROUND = 3
"""Months on each side without which nothing is said."""
UNLIKELY = 0.005
"""Probability of so few posts, at the rate of the months around, below which some seem to be missing."""
MOST_MONTHS = 1200
"""Months of which a blog's life is told; a date that is further off is an error of the blog's."""


@dataclass(frozen=True)
class Month:
    """A month of a blog's life."""

    #: as `2014-05`
    month: str
    posts: int
    #: posts that could not be had
    lost: int = 0
    #: the posts of the months around, where there are clearly fewer in this one
    usual: float | None = None

    @property
    def looks_incomplete(self) -> bool:
        """True if posts seem to be missing."""
        return bool(self.lost) or self.usual is not None


def months_of(published: Iterable[str], lost: Iterable[str] = (), *, latest: str = "9999-12") -> list[Month]:
    """The months from a blog's first post to its last, by the months (`2014-05`) of posts and of those that are `lost`.

    What is no such month, or is later than the `latest` that may be, is passed over. O(n).
    """
    posts = Counter(month for month in published if _MONTH.fullmatch(month) and month <= latest)
    missing = Counter(month for month in lost if _MONTH.fullmatch(month) and month <= latest)
    named = sorted({*posts, *missing})
    if not named:
        return []
    span = list(_between(named[0], named[-1]))[-MOST_MONTHS:]
    counts = [posts[month] for month in span]
    return [Month(month, counts[at], missing[month], _usual_where_few(counts, at)) for at, month in enumerate(span)]


def _between(first: str, last: str) -> Iterator[str]:
    year, month = map(int, first.split("-"))
    while (name := f"{year:04}-{month:02}") <= last:
        yield name
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)


def _usual_where_few(counts: list[int], at: int) -> float | None:
    """The usual number of posts around a month that has clearly fewer: so few are improbable (Poisson) at that rate."""
    before, after = counts[max(0, at - AROUND) : at], counts[at + 1 : at + 1 + AROUND]
    if min(len(before), len(after)) < LEAST_AROUND:
        return None
    usual = min(median(before), median(after))  # a blog that falls silent, or wakes up, misses nothing
    return usual if counts[at] < usual and _so_few(counts[at], usual) < UNLIKELY else None


def _so_few(count: int, usual: float) -> float:
    """The probability of at most so many posts at a rate (Poisson's distribution)."""
    return sum(exp(number * log(usual) - usual - lgamma(number + 1)) for number in range(count + 1))
