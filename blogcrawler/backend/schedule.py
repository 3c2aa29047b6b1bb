"""When a blog is due: according to its rhythm of publishing, within bounds; after failures, with growing delays."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LATEST = 10
"""Number of latest posts from which the rhythm is computed."""
SHARE = 0.5
"""A blog is due after this share of the usual time between two of its posts."""
SLEEPING = 0.1
"""A blog is due after this share of the time since its last post, if that is later."""
DOUBLINGS = 40
"""Failures are counted up to this number."""


@dataclass(frozen=True)
class Bounds:
    """Minimum and maximum time until a blog is crawled again."""

    least: timedelta
    most: timedelta


def next_due(published: Iterable[datetime], last: datetime, bounds: Bounds) -> datetime:
    """When to crawl a blog again that was crawled at `last`, given the publication times of its posts.

    It is due after half the usual time between its latest posts, or after a tenth of the time since the last post
    if that is longer; within the bounds. O(n log n).
    """
    days = sorted((day if day.tzinfo else day.replace(tzinfo=UTC) for day in published), reverse=True)[:LATEST]
    if len(days) < 2:
        return last + bounds.most
    usual = timedelta(seconds=median((later - earlier).total_seconds() for later, earlier in pairwise(days)))
    silence = max(timedelta(0), last - days[0])
    return last + min(bounds.most, max(bounds.least, SHARE * usual, SLEEPING * silence))


def after_failure(failures: int, last: datetime, bounds: Bounds) -> datetime:
    """When to retry a blog after `failures` consecutive failures, the latest one at `last`.

    After the minimum time, doubled for each further failure, up to the maximum time.
    """
    seconds = bounds.least.total_seconds() * 2.0 ** min(max(failures - 1, 0), DOUBLINGS)
    return last + timedelta(seconds=min(bounds.most.total_seconds(), seconds))


def times_of(texts: Iterable[str]) -> list[datetime]:
    """Parse ISO 8601 times; invalid ones are skipped."""
    times = []
    for text in texts:
        try:
            times.append(datetime.fromisoformat(text))
        except ValueError:
            continue
    return times
