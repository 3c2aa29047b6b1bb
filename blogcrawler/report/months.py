"""Posts per month over a blog's life, and months that seem incomplete."""

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
"""Number of months before and after a month that give the usual rate."""
LEAST_AROUND = 3
"""Smallest number of months on each side for an estimate."""
UNLIKELY = 0.005
"""Largest probability of so few posts, at the rate of the surrounding months, for a month that seems incomplete."""
MOST_MONTHS = 1200
"""Longest life of a blog, in months; dates outside are errors of the blog."""


@dataclass(frozen=True)
class Month:
    """A month of a blog's life."""

    #: as `2014-05`
    month: str
    posts: int
    #: posts that failed
    lost: int = 0
    #: the usual number of posts, if this month has clearly fewer
    usual: float | None = None

    @property
    def looks_incomplete(self) -> bool:
        """True if posts seem to be missing."""
        return bool(self.lost) or self.usual is not None


def months_of(published: Iterable[str], lost: Iterable[str] = (), *, latest: str = "9999-12") -> list[Month]:
    """Return the months from a blog's first post to its last, given the months (`2014-05`) of posts and of `lost`
    posts. Invalid months and those after `latest` are ignored. O(n)."""
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
    """Return the usual number of posts around a month if so few are improbable (Poisson) at that rate; else None."""
    before, after = counts[max(0, at - AROUND) : at], counts[at + 1 : at + 1 + AROUND]
    if min(len(before), len(after)) < LEAST_AROUND:
        return None
    usual = min(median(before), median(after))  # a blog that pauses or resumes is not incomplete
    return usual if counts[at] < usual and _so_few(counts[at], usual) < UNLIKELY else None


def _so_few(count: int, usual: float) -> float:
    """Return the probability of at most this number of posts at a rate (Poisson distribution)."""
    return sum(exp(number * log(usual) - usual - lgamma(number + 1)) for number in range(count + 1))
