"""The news in the blog's feed, and the pages of new and changed posts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin

from blogcrawler.backend import FeedState
from blogcrawler.crawl.classifier import feed_since
from blogcrawler.crawl.pages import add_entry, give_up
from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.update.feed_changes import News, digest, find_news, missing_posts
from blogcrawler.crawl.update.relearning import try_wrapper
from blogcrawler.crawl.update.update_memory import MOST_TRIES, Announcements, now
from blogcrawler.errors import NotArchived
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry

STATE, COUNTS_STATE = "feed", "comment counts"
"""Names of the states that the archive keeps: what entries said, and the numbers of comments that they announced.

Many numbers never agree with the comments that can be read: they count some that were deleted, or held back, or that no
page shows. A number that was announced before is no news.
"""
MOST_MISSING = 10
"""Posts that are looked at because the feed no longer has them; others wait for the next update."""


@dataclass
class FeedNews:
    """What the feed says is kept before it is acted upon, and counts as known when that is done."""

    #: numbers of comments that entries have announced
    counts: Announcements[int]
    #: how often updates have failed to fetch the pages of entries, by their keys
    tries: dict[str, int] = field(default_factory=dict)
    #: known posts that the feed no longer has, and that are looked at
    missing: dict[str, KnownPost] = field(default_factory=dict)

    @classmethod
    def load(cls, update: UpdateState, first: Sequence[Entry]) -> Self:
        """Take up the states of earlier updates; `first` are the entries that the blog's first crawl had."""
        ctx = update.ctx
        states = ctx.archive.load_source_states(ctx.home)
        if STATE not in states:
            failed = {identity(row["url"]) for row in ctx.archive.frontier_store(ctx.home).load("failed")}
            digests = {identity(entry.url): digest(entry) for entry in first if not entry.is_synthetic}
            states[STATE] = {"digests": {key: value for key, value in digests.items() if key not in failed}}
            ctx.archive.save_source_state(ctx.home, STATE, states[STATE])
        if COUNTS_STATE not in states:
            states[COUNTS_STATE] = Announcements(_counts(first)).to_dict("said")
            ctx.archive.save_source_state(ctx.home, COUNTS_STATE, states[COUNTS_STATE])
        update.digests = Announcements.from_dict(states[STATE], "digests")
        update.has_holes = states[STATE].get("has_holes", False)
        return cls(Announcements.from_dict(states[COUNTS_STATE], "said"), states[STATE].get("tries", {}))

    async def find(self, update: UpdateState) -> None:
        """Find what is new in the feed; keep what it says before that is acted upon."""
        ctx, known = update.ctx, update.known.by_key
        if update.feed is None:
            return
        entries = [entry for entry in update.feed.entries if identity(entry.url) not in ctx.classifier.no_posts]
        news = find_news(entries, known, update.digests, update.known.begun)
        update.has_holes |= news.has_holes
        missing = missing_posts(entries, known, update.digests.settled)
        update.permalinks.missing = dict(missing)
        update.permalinks.listed = {identity(entry.url) for entry in entries}
        if not update.has_holes:
            self.missing = dict(list(missing.items())[:MOST_MISSING])
        update.digests.begin({identity(entry.url): digest(entry) for entry in entries}, known, now=now())
        news = _with_due_since(update, news, entries)
        recounted = [entry for entry in news.recounted if self._has_news_of_comments(update, entry)]
        update.news = replace(news, changed=[*news.changed, *recounted])
        self.counts.begin(_counts(entries), known, now=now())
        self._save(update)

    async def fetch(self, update: UpdateState) -> StepResult | None:
        """Have the pages of new, changed and missing posts fetched. Raises NotArchived for a feed of another site."""
        ctx, feed, wanted = update.ctx, update.feed, update.news.wanted
        lost: dict[str, str] = {}
        if feed is None:
            return None
        _check_site(update, feed)
        ctx.classifier.feed_since = feed_since(feed.entries)
        found = await try_wrapper(update, wanted, feed, lost)
        keys = {identity(entry.url) for entry in wanted}
        pages = [(page, entry) for page, entry in found if identity(entry.url) in keys]
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

    def complete(self, update: UpdateState) -> None:
        """Keep what the feed said as known, since all of it is done."""
        ctx, state, digests = update.ctx, update.feed_state, update.digests
        if state is None:
            return
        digests.complete()
        for key in self.missing:  # they are looked at once, and again if the feed has them again
            digests.settled.pop(key, None)
        failed = {identity(row["url"]) for row in ctx.frontier.store.load("failed")}
        lost = failed.intersection(digests.settled).difference(update.known.by_key)
        tries = {key: self.tries.get(key, 0) + 1 for key in digests.settled if key in lost}
        self.tries = {key: count for key, count in tries.items() if count < MOST_TRIES}
        # while their pages are not there the feed may not change, so that it is asked for without validators
        ctx.archive.save_feed_state(ctx.home, FeedState(state.url) if self.tries else state)
        for key in self.tries:
            digests.settled.pop(key, None)
        self.counts.complete()
        self._save(update)

    def _has_news_of_comments(self, update: UpdateState, entry: Entry) -> bool:
        """True if a post is said to have another number of comments than before, which no comments explain."""
        key, count = identity(entry.url), entry.comment_count
        post = update.known.by_key.get(key)
        if count is None or count == self.counts.of(key, post):
            return False
        record = update.kept_record(post)
        return record is None or not update.comments.explains(record, count)

    def _save(self, update: UpdateState) -> None:
        ctx = update.ctx
        state = {"tries": self.tries, "has_holes": update.has_holes}
        ctx.archive.save_source_state(ctx.home, STATE, update.digests.to_dict("digests") | state)
        ctx.archive.save_source_state(ctx.home, COUNTS_STATE, self.counts.to_dict("said"))


def _counts(entries: Iterable[Entry]) -> dict[str, int]:
    """The numbers of comments that entries announce, by their keys."""
    return {identity(entry.url): entry.comment_count for entry in entries if entry.comment_count is not None}


def _with_due_since(update: UpdateState, news: News, entries: Iterable[Entry]) -> News:
    """The news, with entries of the user's time that do not show that their posts are as they are kept."""
    if update.since is None:
        return news
    listed = {identity(entry.url) for entry in news.wanted}
    due = [entry for entry in entries if identity(entry.url) not in listed and update.is_due_since(entry)]
    recounted = [entry for entry in news.recounted if entry not in due]
    return replace(news, changed=[*news.changed, *due], recounted=recounted)


def _check_site(update: UpdateState, feed: Feed) -> None:
    """Raise NotArchived where a feed is of another site now."""
    ctx, settled = update.ctx, update.digests.settled
    own = (ctx.scope.covers(entry.url) or identity(entry.url) in settled for entry in feed.entries)
    if feed.entries and not any(own):
        there = feed.entries[0].url
        raise NotArchived(
            f"The feed of {ctx.home} leads to another site now, as to {there}. If the blog has moved, crawl "
            f"it there: crawl newcrawl -a url={urljoin(there, '/')}",
            url=ctx.home,
        )
