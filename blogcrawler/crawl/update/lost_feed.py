"""A feed without entries: it is gone, is no feed any more, or is empty, and the blog may have another one."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import reduce
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.feed_discovery import rediscover
from blogcrawler.crawl.update.retry_schedule import RetrySchedule
from blogcrawler.dates import Moment
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.http import Response

    from blogcrawler.backend import Archive, KnownPost
    from blogcrawler.crawl.feed_discovery import Discovery, Fetch
    from blogcrawler.feeds import Feed

__all__ = ["LostFeed", "has_known_posts"]

STATE = "lost feed"
"""Name of the state that the archive keeps: since when that is so, and what was tried."""
MOST_IN_VAIN = 200
"""Addresses that are remembered as those of no feed."""
AFTER_THE_FIRST_CRAWL = RetrySchedule(pause=4, left=4)
"""A blog whose feed has no entries yet is young, or has no other one."""
ENOUGH = 0.5
"""Least share of the known posts of its time that a feed of the whole blog has."""


class LostFeed:
    """Looks for a blog's feed: what the home page names is tried once, usual places after longer and longer pauses."""

    def __init__(self, archive: Archive, home: str) -> None:
        self._archive, self._home = archive, home
        self._kept: dict[str, Any] = archive.load_source_state(home, STATE)

    @property
    def since(self) -> str | None:
        """The day since which the feed has no entries; None while it has."""
        return self._kept.get("since")

    async def find(self, url: str, start: Response, fetch: Fetch, is_own: Callable[[Feed], bool]) -> Discovery | None:
        """The blog's feed, as its home page leads to it now that the one at a URL is lost; None where none is found."""
        guesses = RetrySchedule.from_dict(self._kept.get("guesses"))
        tried = [] if guesses.is_due else list(self._kept.get("in_vain", ()))
        besides = {identity(url), *tried}
        found, in_vain = await rediscover(start, fetch, besides=besides, has_guesses=guesses.is_due, is_own=is_own)
        if found is not None:
            self.end()
            return found
        guesses = guesses.failed() if guesses.is_due else guesses.skipped()
        self._keep(guesses, [*tried, *map(identity, in_vain)])
        return None

    def begin(self) -> None:
        """Note that the feed that a first crawl has found is empty; it has tried all other places."""
        self._keep(AFTER_THE_FIRST_CRAWL, [])

    def end(self) -> bool:
        """Note that the blog has a feed with entries; True if it had none before."""
        was_lost = self.since is not None
        if was_lost:
            self._archive.forget_source_states(self._home, [STATE])
        self._kept = {}
        return was_lost

    def _keep(self, guesses: RetrySchedule, in_vain: list[str]) -> None:
        self._kept = {
            "since": self.since or datetime.now(UTC).date().isoformat(),
            "guesses": guesses.to_dict(),
            "in_vain": in_vain[:MOST_IN_VAIN],
        }
        self._archive.save_source_state(self._home, STATE, self._kept)


def has_known_posts(feed: Feed, known: Mapping[str, KnownPost]) -> bool:
    """True if a feed has most of the known posts of its time, as one of a part of the blog has not. O(n)."""
    times = [moment for entry in feed.entries if (moment := Moment.parse_iso(entry.published)) is not None]
    if not times:
        return True
    oldest = reduce(lambda first, other: other if first.is_after(other) else first, times)
    there = {identity(entry.url) for entry in feed.entries} | {entry.guid for entry in feed.entries if entry.guid}
    posts = {post.url: post for post in known.values() if post.gone is None}
    held = [
        identity(post.url) in there or post.guid in there
        for post in posts.values()
        if (published := Moment.parse_iso(post.published)) is not None and published.is_after(oldest)
    ]
    return sum(held) >= ENOUGH * len(held)
