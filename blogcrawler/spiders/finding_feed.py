"""How an update comes by the blog's feed: where it was, or, if it tells nothing there any more, where it is now."""

from __future__ import annotations

from typing import Any

from blogcrawler.backend import FeedState
from blogcrawler.crawl.conditional_requests import FeedAsker, state_of
from blogcrawler.crawl.feed_discovery import header, without_pages
from blogcrawler.crawl.update.lost_feed import LostFeed, has_what_is_known
from blogcrawler.errors import NotAFeed
from blogcrawler.feeds import Feed, parse_feed
from blogcrawler.spiders.asking_pages import AskingPages

__all__ = ["FindingFeed"]


class FindingFeed(AskingPages):
    """An update that asks the feed whether it has changed."""

    def __init__(self, **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        #: of the feed as it was asked for now, to be kept at the end
        self._feed_state: FeedState | None = None

    async def _changed_feed(self, asker: FeedAsker) -> Feed | None:
        """The blog's feed; None where it is as it was."""
        state = self.archive.load_feed_state(self.home)
        if state is None:
            return Feed(self.home, "synthetic")
        response = await asker.ask(state)
        lost = LostFeed(self.archive, self.home)
        try:
            kind = header(response, "Content-Type") if response else None
            feed = without_pages(parse_feed(response.body, response.url, kind)) if response else None
        except NotAFeed:
            return await self._other_feed(lost, state)
        if feed is not None and not (feed.entries and (lost.since is None or self._is_own_feed(feed))):
            return await self._other_feed(lost, state)
        if lost.end():
            self.logger.info("The feed %s is back.", state.url)
        if response is None or feed is None:
            self.logger.info("The feed %s has not changed.", state.url)
            return None
        self._feed_state = state_of(response, state.url)
        return feed

    async def _other_feed(self, lost: LostFeed, state: FeedState) -> Feed:
        """The feed of a blog whose feed tells nothing where it was; without entries where there is none."""
        found = await lost.find(state.url, await self._home_page(), self._fetch, self._is_own_feed)
        if found is None:
            self.logger.info(
                "The feed %s has told of no post since %s: what is new is looked for on the home page, in lists and "
                "sitemaps.",
                state.url,
                lost.since,
            )
            self.tally.feed_lost(state.url, lost.since or "")
            return Feed(self.home, "synthetic")
        self.logger.info("The feed is not at %s any more, but at %s.", state.url, found.feed.url)
        self._feed_state = FeedState(found.feed.url, found.etag, found.last_modified)
        return found.feed

    def _is_own_feed(self, feed: Feed) -> bool:
        """Is a feed one of the whole blog?"""
        is_own = any(self._scope.covers(entry.url) or self._is_known(entry.url) for entry in feed.entries)
        return is_own and has_what_is_known(feed, self._known)
