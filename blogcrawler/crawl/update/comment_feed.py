"""Read the feed of all comments of a blog, and compare it with its earlier content."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from blogcrawler.backend import COMMENT_FEED, FeedState
from blogcrawler.browser.need import tree_of
from blogcrawler.crawl.fetcher import FeedAsker, state_of
from blogcrawler.crawl.steps import keep
from blogcrawler.crawl.update.comment_changes import FeedComments, Seen, update_comments
from blogcrawler.crawl.update.update_memory import Announcements
from blogcrawler.errors import NotAFeed, Unreachable
from blogcrawler.feeds.comments import blog_comment_feeds, further_page, parse_comments
from blogcrawler.serialise import load
from blogcrawler.urls import identity, same_site

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from datetime import datetime

    from blogcrawler.backend import Archive, KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.steps import States
    from blogcrawler.feeds.comments import CommentFeed
    from blogcrawler.items import Comment, Page, Record

MOST_PAGES = 50
"""Maximum number of pages of the feed that are read."""
MOST_DOUBTFUL = 10
"""Maximum number of posts whose pages are read for comments that the feed no longer has."""
MOST_OVERTAKEN = 20
"""Maximum number of posts whose pages are read if new comments may have been pushed out of the feed."""
MOST_IN_VAIN = 3
"""Number of consecutive crawls that find no such feed, after which it is no longer looked for."""


class CommentNews:
    """Reads the feed of all comments. Its content is stored before it is processed, and counts as known when it has
    been processed."""

    def __init__(self, archive: Archive, home: str, asker: FeedAsker) -> None:
        self._archive, self._home, self._asker = archive, home, asker
        self._state: Mapping[str, Any] = {}
        self._earlier: Announcements[Seen] = Announcements()
        self._fresh: dict[str, Any] | None = None
        self._posts: FeedState | None = None
        #: the newest comments; None if they have not changed or cannot be read
        self.found: FeedComments | None = None
        #: what the feed had according to the archive, by the identities of posts
        self._before: dict[str, Seen] = {}

    def load(self, states: States) -> None:
        """Restore the feed's address and its last known content."""
        self._state = states.get(COMMENT_FEED, {})
        self._earlier = Announcements.from_dict(self._state, "told")

    def dump(self) -> States:
        return {COMMENT_FEED: self._state}

    async def ask(self, posts: FeedState | None) -> None:
        """Request the newest comments; `posts` is the state of the feed of posts."""
        self._posts = posts
        if "url" in self._state:
            await self._read(load(FeedState, self._state))
            return
        if self._state.get("in_vain", 0) >= MOST_IN_VAIN:
            return
        pages = [(tree_of(page), page) for page, _ in self._archive.load_training_pages(self._home)]
        named = [(tree, page.url, page.body) for tree, page in pages if tree is not None]
        for candidate in blog_comment_feeds(self._home, named):
            if await self._read(FeedState(candidate)):
                return
        self._fresh = {"in_vain": self._state.get("in_vain", 0) + 1}

    def begin(self, known: Mapping[str, KnownPost], *, now: datetime) -> None:
        """Begin to process the present content of the feed; `known` are the posts by `urls.identity`."""
        if self.found is None:
            return
        self._before = self._earlier.all(known)
        self._earlier.begin(self.found.seen(), known, now=now)
        self._state = {**self._state, **self._earlier.to_dict("told")}

    @property
    def doubtful(self) -> list[str]:
        """The keys of posts whose pages must be read, since the feed does not show all changes of their comments.

        A comment that the feed had, and that is older than all its present comments, may have been deleted; or it was
        pushed out of the feed by newer ones, if the feed has an unusual size. If all comments are new, others may have
        been pushed out before they were seen. They are on posts that are discussed now, or that were when the feed was
        last read.
        """
        newest = self.found
        if newest is None or newest.start is None:
            return []
        if self._before and not newest.reaches_back(self._before):
            return list(dict.fromkeys([*newest.comments, *self._before]))[:MOST_OVERTAKEN]
        if newest.is_full:
            return []
        return [
            key
            for key, seen in self._before.items()
            if seen.keys() - {comment.id for comment in newest.comments.get(key, [])}
            and any(not newest.covers(time) for _, time in seen.values())
        ][:MOST_DOUBTFUL]

    def complete(self) -> None:
        """Mark the present content of the feed as known."""
        if self._fresh is not None:
            content = {"told": self.found.seen()} if self.found is not None else {}
            self._state = self._fresh | content

    async def _read(self, state: FeedState) -> bool:
        """Read the feed; True if it is the feed of the blog's comments."""
        try:
            response = await self._asker.ask(state)
            if response is None:
                return True
            feed = _parsed(response)
        except (Unreachable, NotAFeed):
            return False
        if feed is None or FeedComments.of(feed) is None:
            return False
        removed = self._archive.removed(self._home)
        comments = FeedComments.of(await self._with_further_pages(feed, state.url), removed.is_by) or FeedComments()
        self._fresh = {**self._validators(state_of(response, state.url), comments), "told": self._earlier.settled}
        self.found = comments if comments.comments else None
        return True

    async def _with_further_pages(self, feed: CommentFeed, url: str) -> CommentFeed:
        """A feed with its further pages, up to a comment that it had before."""
        for page in range(2, MOST_PAGES + 1):
            comments = FeedComments.of(feed)
            if comments is None or not self._earlier.settled or comments.reaches_back(self._earlier.settled):
                break
            further = further_page(feed, url, page=page, known=len(feed.entries))
            more = None
            if further is not None and same_site(further, url):
                with suppress(Unreachable, NotAFeed):
                    more = _parsed(await self._asker.ask(FeedState(further)))
            known = {entry.comment.id for entry in feed.entries}
            fresh = [entry for entry in more.entries if entry.comment.id not in known] if more is not None else []
            if more is None or not fresh:
                break
            feed = replace(more, entries=(*feed.entries, *fresh))
        return feed

    def _validators(self, state: FeedState, comments: FeedComments) -> dict[str, str | None]:
        """The state for the next request, without validators if they do not change with edited and deleted comments.

        WordPress derives both validators from the time of the newest comment, or of the last change of a post if that
        is later.
        """
        of_posts = self._posts.last_modified if self._posts is not None else None
        if comments.is_newest(state.last_modified) or (of_posts is not None and of_posts == state.last_modified):
            return {"url": state.url}
        return asdict(state)

    def changed(self, known: Mapping[str, KnownPost], fetched: Container[str]) -> Iterator[Record]:
        """The present records of known posts whose comments have changed, except posts that are `fetched`."""
        for key in dict.fromkeys([*self.found.comments, *self._before]) if self.found is not None else ():
            post = known.get(key)
            is_left = post is not None and post.url not in fetched
            record = self._archive.record(self._home, post.url) if post is not None and is_left else None
            if record is not None and self._update(record, key):
                yield record

    def explains(self, record: Record, count: int) -> bool:
        """True if the comments in the feed explain a changed number of comments of a post."""
        if self.found is None:
            return False
        self._update(record, identity(record.url))
        return len(record.comments) == count

    def all_comments(self, url: str, published: str | None) -> Sequence[Comment] | None:
        """The comments of a post published at this time, if the feed shows all of their changes; else None."""
        if self.found is None:
            return None
        key = identity(url)
        earlier = self._archive.record(self._home, url)
        is_first_reading = earlier is None and not self._before and not self.found.is_full
        if is_first_reading or self.found.covers(published):
            return self.found.comments.get(key, [])
        if key in self.doubtful:
            return None
        is_whole = earlier is not None and earlier.comment_count in (None, len(earlier.comments))
        if earlier is None or not is_whole or not self.found.reaches_back(self._before):
            return None
        self._update(earlier, key)
        return earlier.comments

    def _update(self, record: Record, key: str) -> bool:
        return self.found is not None and update_comments(record, self.found, self._before.get(key, {}))


async def keep_comment_feed(ctx: CrawlContext) -> None:
    """Store the content of the feed at the first crawl of a blog, so that later updates can compare with it."""
    if ctx.options.comments and not ctx.archive.load_source_state(ctx.home, COMMENT_FEED):
        news = CommentNews(ctx.archive, ctx.home, FeedAsker(ctx.fetcher))
        await news.ask(ctx.archive.load_feed_state(ctx.home))
        news.complete()
        keep(ctx, news)


def _parsed(page: Page | None) -> CommentFeed | None:
    """The feed in an answer; None if the server refuses it. Raises NotAFeed."""
    if page is None or page.status != 200:
        return None
    return parse_comments(page.body, page.url, page.content_type)
