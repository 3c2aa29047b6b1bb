"""What the steps of an update share: what the archive has when it begins, and what they find."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from blogcrawler.backend import LATE_COMMENTS, LatePosts
from blogcrawler.crawl.context import COMPLETE
from blogcrawler.crawl.sessions import Sessions
from blogcrawler.crawl.steps.beginning import load_state
from blogcrawler.crawl.update.comment_feed import CommentNews
from blogcrawler.crawl.update.feed_changes import News
from blogcrawler.crawl.update.feed_news import FeedNews
from blogcrawler.crawl.update.permalink_changes import PermalinkChanges
from blogcrawler.crawl.update.update_memory import Announcements, UpdateMemory, now
from blogcrawler.errors import NotArchived, UnreadableRules
from blogcrawler.frontier import Frontier
from blogcrawler.urls import identity, with_other_slash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from blogcrawler.backend import FeedState, KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.fetcher import FeedAsker
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry, Page


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
    """One update of a blog; `ctx.update` of its context."""

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


def begin_update(ctx: CrawlContext, since: datetime | None) -> FeedNews:
    """Take up the blog at the address that the user gave. Raises NotArchived where no complete crawl has learned it."""
    ctx.home = _find_home(ctx)
    entries = _take_up_rules(ctx)
    memory = UpdateMemory.load(ctx, ctx.archive.blog(ctx.home).crawl_started)
    rows = ctx.archive.frontier_store(ctx.home).load() if memory.unavailable_lists else ()
    queued = {identity(row["url"]) for row in rows}
    is_second_part = ctx.archive.start_crawl(ctx.home, now=now(), kind=ctx.options.kind)
    begun = ctx.archive.blog(ctx.home).crawl_started or now()
    if is_second_part:
        ctx.tally.goes_on_since = begun
    ctx.fetcher.use(Sessions.kept_of(ctx.archive, ctx.home))
    posts = ctx.archive.known_posts(ctx.home)
    known = KnownPosts.of(posts, begun)
    ctx.classifier.know(post.url for post in posts.values() if known.was_known(post.url))
    asker = ctx.fetcher.asker(is_unconditional=since is not None or is_second_part)
    ctx.update = UpdateState(
        known,
        memory,
        PermalinkChanges(ctx, known.by_key, begun),
        CommentNews(ctx.archive, ctx.home, asker),
        LatePosts(ctx.archive, ctx.home, LATE_COMMENTS),
        asker,
        frozenset(memory.no_posts),
        queued,
        since,
        is_second_part,
    )
    feed = FeedNews.load(ctx, entries)
    ctx.archive.reset_frontier(ctx.home)
    ctx.frontier = Frontier(ctx.archive.frontier_store(ctx.home))
    return feed


def settle_permalinks(ctx: CrawlContext, reason: str) -> None:
    """Move posts to their new addresses, where the crawl is complete."""
    if ctx.update.memory.is_complete(ctx, reason):
        ctx.update.permalinks.settle(ctx.classifier.places.is_linked)


def keep_states(ctx: CrawlContext, parts: Sequence[Callable[[CrawlContext], None]], _: str, is_complete: bool) -> None:
    """Keep what the feeds said, if all that they led to is done."""
    if is_complete and ctx.fatal is None:
        for complete in parts:
            complete(ctx)
        ctx.update.comments.keep()


def _find_home(ctx: CrawlContext) -> str:
    """The home page of the blog at the address that the user gave."""
    url = ctx.start_url
    home = ctx.archive.find_blog(url)
    if home is None or ctx.archive.load_wrapper(home) is None:
        raise NotArchived(f"{url} is not in the archive yet; crawl it first: crawl newcrawl -a url={url}", url=url)
    blog = ctx.archive.blog(home)
    if blog.crawl_kind != ctx.options.kind and not (blog.crawl_complete or blog.crawl_reason in COMPLETE):
        raise NotArchived(
            f"The first crawl of {home} is not complete; go on with it: crawl newcrawl -a url={url}", url=home
        )
    return home


def _take_up_rules(ctx: CrawlContext) -> list[Entry]:
    """Take up what the first crawl has learned; the entries that it had."""
    try:
        load_state(ctx, ctx.home)
    except UnreadableRules as error:
        ctx.archive.begin_anew(ctx.home)  # so that a monitor does
        raise NotArchived(
            f"{ctx.home} was crawled by another version; crawl it anew: crawl newcrawl -a url={ctx.start_url}",
            url=ctx.home,
        ) from error
    first, ctx.entries = list(ctx.entries.values()), {}
    return first
