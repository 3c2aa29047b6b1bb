"""When a blog is due: by its own rhythm of publishing, between bounds; after failures, later and later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LATEST = 10
"""Posts whose days tell the rhythm of a blog."""
SHARE = 0.5
"""Of the usual time between two posts after which a blog is looked at again: a post waits half as long on average."""
SLEEPING = 0.1
"""The same of the time since the last post, where that is longer than usual."""
DOUBLINGS = 40
"""Failures in a row that are told from more."""


@dataclass(frozen=True)
class Bounds:
    """How soon, and how late, a blog is crawled again."""

    least: timedelta
    most: timedelta


def next_due(published: Iterable[datetime], last: datetime, bounds: Bounds) -> datetime:
    """When a blog is to be crawled again that was crawled at `last`, and whose posts were published at some times.

    Half the usual time between its latest posts later, or a tenth of the time since the last one if that is more; no
    sooner, and no later, than the bounds say. O(n log n).
    """
    days = sorted((day if day.tzinfo else day.replace(tzinfo=UTC) for day in published), reverse=True)[:LATEST]
    if len(days) < 2:
        return last + bounds.most
    usual = timedelta(seconds=median((later - earlier).total_seconds() for later, earlier in pairwise(days)))
    silence = max(timedelta(0), last - days[0])
    return last + min(bounds.most, max(bounds.least, SHARE * usual, SLEEPING * silence))


def after_failure(failures: int, last: datetime, bounds: Bounds) -> datetime:
    """When a blog is tried again whose last `failures` crawls failed, the latest one at `last`.

    After the least time, and twice as long with each further failure, but no later than after the most.
    """
    seconds = bounds.least.total_seconds() * 2.0 ** min(max(failures - 1, 0), DOUBLINGS)
    return last + timedelta(seconds=min(bounds.most.total_seconds(), seconds))


def times_of(texts: Iterable[str]) -> list[datetime]:
    """The times that records tell as ISO 8601, without those that are none."""
    found = []
    for text in texts:
        try:
            found.append(datetime.fromisoformat(text))
        except ValueError:
            continue
    return found
