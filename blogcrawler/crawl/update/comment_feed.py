"""The feed of all comments of a blog: what it told, and what it tells now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blogcrawler.backend import FeedState
from blogcrawler.crawl.browser_need import tree_of
from blogcrawler.crawl.conditional_requests import FeedAsker, state_of
from blogcrawler.crawl.feed_discovery import header
from blogcrawler.crawl.update.announcements import Earlier
from blogcrawler.crawl.update.comment_changes import Said, Told, brought_up_to_date
from blogcrawler.errors import NotAFeed, Unreachable
from blogcrawler.feeds.comments import blog_comment_feeds, further_page, parse_comments
from blogcrawler.urls import identity, same_site

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from datetime import datetime

    from blogcrawler.backend import Archive, KnownPost
    from blogcrawler.feeds.comments import CommentFeed
    from blogcrawler.items import Comment, Record

__all__ = ["CommentNews"]

STATE = "comment feed"
"""Under which name the archive keeps what is known of it."""
MOST_PAGES = 50
"""Pages of the feed that are read."""
MOST_DOUBTFUL = 10
"""Posts whose pages are read for comments that the feed no longer has."""
MOST_OVERTAKEN = 20
"""Posts whose pages are read where the feed may have held more new comments than it has now."""
MOST_IN_VAIN = 3
"""Crawls in a row that find no such feed, after which none is looked for."""


class CommentNews:
    """Reads the feed. What it says is kept before it is acted upon, and counts as known when that is done."""

    def __init__(self, archive: Archive, home: str, asker: FeedAsker) -> None:
        self._archive, self._home, self._asker = archive, home, asker
        self._kept: dict[str, Any] = archive.load_source_state(home, STATE)
        self._earlier: Earlier[Said] = Earlier.from_dict(self._kept, "told")
        self._fresh: dict[str, Any] | None = None
        self._posts: FeedState | None = None
        #: the newest comments; None where they are as they were, or cannot be had
        self.told: Told | None = None
        #: what it is known to have said, by the identities of posts
        self._before: dict[str, Said] = {}

    @property
    def is_kept(self) -> bool:
        """Is it known already whether there is such a feed, and what it says?"""
        return "url" in self._kept or "in_vain" in self._kept

    async def ask(self, posts: FeedState | None) -> None:
        """Ask for the newest comments; `posts` is the state of the feed of posts."""
        self._posts = posts
        url = self._kept.get("url")
        if url is not None:
            await self._read(FeedState(url, self._kept.get("etag"), self._kept.get("last_modified")))
            return
        if self._kept.get("in_vain", 0) >= MOST_IN_VAIN:
            return
        for candidate in self._candidates():
            if await self._read(FeedState(candidate)):
                return
        self._fresh = {"in_vain": self._kept.get("in_vain", 0) + 1}

    def begin(self, known: Mapping[str, KnownPost], *, now: datetime) -> None:
        """Take in what was told before of posts, by `urls.identity`; keep that an update acts upon what is told now."""
        if self.told is None:
            return
        for key in (*self._earlier.said, *self._earlier.pending):
            post = known.get(key)
            if (said := self._earlier.of(key, post.last_changed if post is not None else None)) is not None:
                self._before[key] = said
        when_kept = {key: post.last_changed for key, post in known.items()}
        self._earlier.begin(self.told.said(), when_kept, now=now)
        self._archive.save_source_state(self._home, STATE, {**self._kept, **self._earlier.to_dict("told")})

    @property
    def doubtful(self) -> list[str]:
        """The keys of posts whose pages say more of their comments than the feed does.

        A comment that was told before, and is older than all that are told now, may be gone, or have been pushed out of
        the feed, where that has another size than most. Where all that are told are new, others may have been pushed
        out before anybody saw them: on the posts that are talked about now, or that were when the feed was last read.
        """
        told = self.told
        if told is None or told.start is None:
            return []
        if self._before and not told.reaches_back(self._before):
            return list(dict.fromkeys([*told.comments, *self._before]))[:MOST_OVERTAKEN]
        if told.is_full:
            return []
        return [
            key
            for key, said in self._before.items()
            if said.keys() - {comment.id for comment in told.comments.get(key, [])}
            and any(not told.is_within(time) for _, time in said.values())
        ][:MOST_DOUBTFUL]

    def keep(self) -> None:
        """Keep what was told, since all of it is done."""
        if self._fresh is not None:
            told = {"told": self.told.said()} if self.told is not None else {}
            self._archive.save_source_state(self._home, STATE, self._fresh | told)

    async def _read(self, state: FeedState) -> bool:
        """Read it; is it the feed of the blog's comments?"""
        try:
            response = await self._asker.ask(state)
            if response is None:
                return True
            if response.status != 200:
                return False
            feed = parse_comments(response.body, response.url, header(response, "Content-Type"))
        except (Unreachable, NotAFeed):
            return False
        if Told.by(feed) is None:
            return False
        told = Told.by(await self._with_further_pages(feed, state.url)) or Told()
        self._fresh = {**self._validators(state_of(response, state.url), told), "told": self._earlier.said}
        self.told = told if told.comments else None
        return True

    async def _with_further_pages(self, feed: CommentFeed, url: str) -> CommentFeed:
        """A feed with its further pages, until it comes to a comment that was told before."""
        for page in range(2, MOST_PAGES + 1):
            told = Told.by(feed)
            if told is None or not self._earlier.said or told.reaches_back(self._earlier.said):
                break
            further = further_page(feed, url, page=page, known=len(feed.entries))
            more = await self._further(further) if further is not None and same_site(further, url) else None
            known = {entry.comment.id for entry in feed.entries}
            fresh = [entry for entry in more.entries if entry.comment.id not in known] if more is not None else []
            if more is None or not fresh:
                break
            feed = replace(more, entries=(*feed.entries, *fresh))
        return feed

    async def _further(self, url: str) -> CommentFeed | None:
        try:
            response = await self._asker.ask(FeedState(url))
            if response is None or response.status != 200:
                return None
            return parse_comments(response.body, response.url, header(response, "Content-Type"))
        except (Unreachable, NotAFeed):
            return None

    def _validators(self, state: FeedState, told: Told) -> dict[str, str | None]:
        """What to ask with the next time: without validators, where edited and deleted comments do not change these.

        WordPress makes both of the time of the newest comment, or of the last change of a post if that was later.
        """
        of_posts = self._posts.last_modified if self._posts is not None else None
        if told.is_newest(state.last_modified) or (of_posts is not None and of_posts == state.last_modified):
            return {"url": state.url}
        return {"url": state.url, "etag": state.etag, "last_modified": state.last_modified}

    def _candidates(self) -> list[str]:
        pages = [(tree_of(page), page) for page, _ in self._archive.load_training_pages(self._home)]
        return blog_comment_feeds(self._home, [(tree, page.url, page.body) for tree, page in pages if tree is not None])

    # ------------------------------------------------------------------------------------------------- what is new

    def changed(self, known: Mapping[str, KnownPost], fetched: Container[str]) -> Iterator[Record]:
        """The records of known posts whose comments have changed, as they are now, but for those that are `fetched`."""
        if self.told is None:
            return
        for key in dict.fromkeys([*self.told.comments, *self._before]):
            post = known.get(key)
            record = (
                self._archive.record(self._home, post.url) if post is not None and post.url not in fetched else None
            )
            if record is not None and brought_up_to_date(record, self.told, self._before.get(key, {})):
                yield record

    def explains(self, record: Record, count: int) -> bool:
        """Is another number of comments of a post explained by what was told of them?"""
        if self.told is None:
            return False
        brought_up_to_date(record, self.told, self._before.get(identity(record.url), {}))
        return len(record.comments) == count

    def all_comments(self, url: str, published: str | None) -> Sequence[Comment] | None:
        """The comments of a post that was published at a time, if the feed tells what became of them; else None."""
        if self.told is None:
            return None
        key = identity(url)
        earlier = self._archive.record(self._home, url)
        is_first_reading = earlier is None and not self._before and not self.told.is_full
        if is_first_reading or self.told.has_all_since(published):
            return self.told.comments.get(key, [])
        if key in self.doubtful:
            return None
        is_whole = earlier is not None and earlier.comment_count in (None, len(earlier.comments))
        if earlier is None or not is_whole or not self.told.reaches_back(self._before):
            return None
        brought_up_to_date(earlier, self.told, self._before.get(key, {}))
        return earlier.comments
