"""What the steps of an update share: what the archive has when it begins, and what they find."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from blogcrawler.crawl.update.feed_changes import News, digest, is_as_kept
from blogcrawler.crawl.update.since import is_since
from blogcrawler.crawl.update.update_memory import Announcements
from blogcrawler.urls import identity, with_other_slash

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from blogcrawler.backend import FeedState, KnownPost, LatePosts
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.fetcher import FeedAsker
    from blogcrawler.crawl.update.comment_feed import CommentNews
    from blogcrawler.crawl.update.permalink_changes import PermalinkChanges
    from blogcrawler.crawl.update.update_memory import UpdateMemory
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry, Page, Record


@dataclass(frozen=True)
class KnownPosts:
    """The posts that are kept."""

    #: by `urls.identity`, and by guids that one post alone has
    by_key: Mapping[str, KnownPost]
    #: when the update began; posts that came in since then are its own
    begun: datetime

    @classmethod
    def of(cls, posts: Mapping[str, KnownPost], begun: datetime) -> Self:
        """The posts of an archive, which has them by `urls.identity`. O(n)."""
        guids = Counter(post.guid for post in posts.values())
        by_guid = {post.guid: post for post in posts.values() if post.guid and guids[post.guid] == 1}
        return cls({**by_guid, **posts}, begun)

    def __iter__(self) -> Iterator[KnownPost]:
        """Each post once."""
        return iter({post.url: post for post in self.by_key.values()}.values())

    def at(self, url: str) -> KnownPost | None:
        """The post at an address; links may lead to it by a redirect that adds or drops a slash."""
        key = identity(url)
        return self.by_key.get(key) or self.by_key.get(with_other_slash(key))

    def of_entry(self, entry: Entry) -> KnownPost | None:
        """The post of an entry, by its address or guid."""
        return self.by_key.get(identity(entry.url)) or self.by_key.get(entry.guid or "")

    def was_known(self, url: str) -> bool:
        """True if a post at an address was kept before the update began."""
        post = self.at(url)
        return post is not None and post.first_seen < self.begun


@dataclass
class UpdateState:
    """One update of a blog."""

    ctx: CrawlContext
    known: KnownPosts
    memory: UpdateMemory
    permalinks: PermalinkChanges
    comments: CommentNews
    late_comments: LatePosts
    #: asks for feeds; without validators after a first part: they may be as they were, and what they said is not done
    asker: FeedAsker
    #: keys of pages that look like posts, and are none
    no_posts: frozenset[str]
    #: keys of the pages that the last crawl knew of, where lists are to be asked again
    queued: set[str]
    #: from which on the user wants all that is new
    since: datetime | None
    #: an earlier part of the update was cut short
    is_second_part: bool
    #: digests of what entries of the feed said
    digests: Announcements[str] = field(default_factory=Announcements)
    #: the feed as it is now; None where it has not changed
    feed: Feed | None = None
    #: of that feed, to be kept at the end
    feed_state: FeedState | None = None
    news: News = field(default_factory=News)
    #: the feed has lacked new posts when it had others last
    has_holes: bool = False
    #: lists that were fetched for another purpose before, by their addresses
    at_hand: dict[str, Page] = field(default_factory=dict)
    #: when sitemaps were read
    sitemaps_read: datetime | None = None
    #: known posts that sitemaps say were changed, as they say of most
    doubtful: set[str] = field(default_factory=set)
    #: the wrapper was found not to fit any more
    has_relearned: bool = False
    #: records of the archive were handed on
    has_recalled: bool = False

    @property
    def has_gap(self) -> bool:
        """True if there may be posts between those of the feed and those that are known."""
        return self.news.has_rolled_over or (self.feed is not None and self.feed.kind == "synthetic")

    @property
    def is_lastmod_read(self) -> bool:
        """True if sitemaps have shown which posts were changed."""
        return self.sitemaps_read is not None and self.memory.has_lastmods

    def is_unknown(self, url: str) -> bool:
        """True if a page is no post that is kept, and none that was found to be no post."""
        return self.known.at(url) is None and identity(url) not in self.no_posts

    def kept_record(self, post: KnownPost | None) -> Record | None:
        """The record of a known post as the archive has it."""
        return self.ctx.archive.record(self.ctx.home, post.url) if post is not None else None

    def is_due_since(self, entry: Entry) -> bool:
        """True if an entry is of the user's time, and its post may say something else than what is kept."""
        if self.since is None or not is_since(self.since, entry.published, entry.updated):
            return False
        if not entry.is_summary and self.digests.settled.get(identity(entry.url)) == digest(entry):
            return False
        post = self.known.of_entry(entry)
        record = self.kept_record(post)
        return post is None or record is None or not is_as_kept(entry, record, post.last_seen)

    def settle_permalinks(self, reason: str) -> None:
        """Move posts to their new addresses, where the update is complete."""
        if self.memory.is_complete(self.ctx, reason):
            self.permalinks.settle(self.ctx.classifier.places.is_linked)
