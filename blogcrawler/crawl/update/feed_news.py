"""Find the news in the blog's feed, and fetch the pages of new and changed posts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from blogcrawler.backend import FeedState
from blogcrawler.crawl.classifier import feed_since
from blogcrawler.crawl.pages import add_entry, give_up
from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.update.feed_changes import COUNTS, FEED, News, comment_counts, digest, find_news, missing_posts
from blogcrawler.crawl.update.relearning import try_wrapper
from blogcrawler.crawl.update.update_memory import MOST_TRIES, Announcements, now
from blogcrawler.errors import NotArchived
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.steps import States
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry

MOST_MISSING = 10
"""Maximum number of posts that are fetched because the feed no longer has them; others wait for the next update."""


@dataclass
class FeedNews:
    """Reads the feed. Its content is stored before it is processed, and counts as known when it has been processed."""

    update: UpdateState
    #: digests of earlier entries
    digests: Announcements[str] = field(default_factory=Announcements)
    #: numbers of comments that entries announced
    counts: Announcements[int] = field(default_factory=Announcements)
    #: number of updates that failed to fetch the page of an entry, by key
    tries: dict[str, int] = field(default_factory=dict)
    #: whether the feed lacked new posts when it last changed
    has_holes: bool = False
    #: known posts that the feed no longer has, and that are fetched
    missing: dict[str, KnownPost] = field(default_factory=dict)

    def load(self, states: States) -> None:
        """Restore digests of entries, and how often their pages were requested."""
        state = states.get(FEED, {})
        self.digests = Announcements.from_dict(state, "digests")
        self.counts = Announcements.from_dict(states.get(COUNTS, {}), "said")
        self.tries, self.has_holes = state.get("tries", {}), state.get("has_holes", False)

    def dump(self) -> States:
        state = {"tries": self.tries, "has_holes": self.has_holes}
        return {FEED: self.digests.to_dict("digests") | state, COUNTS: self.counts.to_dict("said")}

    async def find(self) -> None:
        """Find the new and changed entries of the feed."""
        update, known = self.update, self.update.known.by_key
        if update.feed is None:
            return
        no_posts = update.ctx.classifier.no_posts
        entries = [entry for entry in update.feed.entries if identity(entry.url) not in no_posts]
        news = find_news(entries, known, self.digests, update.known.begun)
        self.has_holes |= news.has_holes
        missing = missing_posts(entries, known, self.digests.settled)
        update.permalinks.missing = dict(missing)
        update.permalinks.listed = {identity(entry.url) for entry in entries}
        if not self.has_holes:
            self.missing = dict(list(missing.items())[:MOST_MISSING])
        self.digests.begin({identity(entry.url): digest(entry) for entry in entries}, known, now=now())
        update.digests = self.digests
        news = _with_due_since(update, news, entries)
        recounted = [entry for entry in news.recounted if self._has_news_of_comments(entry)]
        update.news = replace(news, changed=[*news.changed, *recounted], has_holes=self.has_holes)
        self.counts.begin(comment_counts(entries), known, now=now())

    async def fetch(self) -> StepResult | None:
        """Fetch the pages of new, changed and missing posts. Raises NotArchived if the feed is of another site."""
        update, ctx, feed, wanted = self.update, self.update.ctx, self.update.feed, self.update.news.wanted
        lost: dict[str, str] = {}
        if feed is None:
            return None
        self._check_site(feed)
        ctx.classifier.feed_since = feed_since(feed.entries)
        fetched = await try_wrapper(update, wanted, feed, lost)
        keys = {identity(entry.url) for entry in wanted}
        pages = [(page, entry) for page, entry in fetched if identity(entry.url) in keys]
        for entry in wanted:
            add_entry(ctx, entry)
        for page, entry in pages:
            ctx.frontier.redirected(canonicalise(entry.url), page.url)
            if ctx.scope.covers(page.url) and identity(page.url) not in ctx.classifier.no_posts:
                ctx.entries[identity(page.url)] = entry
        for url, reason in lost.items():
            give_up(ctx, url, reason)
        ctx.frontier.flush()
        for post in self.missing.values():
            ctx.frontier.add(post.url, is_post=True)
        return StepResult([page for page, _ in pages])

    def complete(self) -> None:
        """Mark the present content of the feed as known."""
        update, ctx, digests = self.update, self.update.ctx, self.digests
        if update.feed_state is None:
            return
        digests.complete()
        for key in self.missing:  # they are fetched once, and again if they return to the feed
            digests.settled.pop(key, None)
        failed = {identity(row["url"]) for row in ctx.frontier.store.load("failed")}
        lost = failed.intersection(digests.settled).difference(update.known.by_key)
        tries = {key: self.tries.get(key, 0) + 1 for key in digests.settled if key in lost}
        self.tries = {key: count for key, count in tries.items() if count < MOST_TRIES}
        # while their pages are missing the feed may not change, so it is requested without validators
        ctx.archive.save_feed_state(ctx.home, FeedState(update.feed_state.url) if self.tries else update.feed_state)
        for key in self.tries:
            digests.settled.pop(key, None)
        self.counts.complete()
        self.has_holes &= not update.has_no_holes

    def _has_news_of_comments(self, entry: Entry) -> bool:
        """True if an entry announces a number of comments that is new, and that the feed of comments does not
        explain."""
        key, count = identity(entry.url), entry.comment_count
        post = self.update.known.by_key.get(key)
        if count is None or count == self.counts.of(key, post):
            return False
        record = self.update.kept_record(post)
        return record is None or not self.update.comments.explains(record, count)

    def _check_site(self, feed: Feed) -> None:
        """Raise NotArchived if a feed is of another site now."""
        ctx, settled = self.update.ctx, self.digests.settled
        own = (ctx.scope.covers(entry.url) or identity(entry.url) in settled for entry in feed.entries)
        if feed.entries and not any(own):
            there = feed.entries[0].url
            raise NotArchived(
                f"The feed of {ctx.home} leads to another site now, such as {there}. If the blog has moved, crawl "
                f"it there: blogcrawler archive {urljoin(there, '/')}",
                url=ctx.home,
            )


def _with_due_since(update: UpdateState, news: News, entries: Iterable[Entry]) -> News:
    """The news, with additional entries of the user's period whose posts may have changed since they were archived."""
    if update.since is None:
        return news
    listed = {identity(entry.url) for entry in news.wanted}
    due = [entry for entry in entries if identity(entry.url) not in listed and update.is_due_since(entry)]
    recounted = [entry for entry in news.recounted if entry not in due]
    return replace(news, changed=[*news.changed, *due], recounted=recounted)
