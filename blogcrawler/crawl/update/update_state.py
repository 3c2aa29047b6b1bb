"""What the steps of an update share: the archive's state when the update begins, and the results of the steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from blogcrawler.backend import LATE_COMMENTS, LatePosts
from blogcrawler.crawl.context import COMPLETE
from blogcrawler.crawl.fetcher import FeedAsker
from blogcrawler.crawl.sessions import Sessions
from blogcrawler.crawl.steps import keep
from blogcrawler.crawl.steps.beginning import load_state
from blogcrawler.crawl.update.comment_feed import CommentNews
from blogcrawler.crawl.update.feed_changes import COUNTS, FEED, News, comment_counts, digest, is_as_kept
from blogcrawler.crawl.update.permalink_changes import PermalinkChanges
from blogcrawler.crawl.update.since import is_since
from blogcrawler.crawl.update.update_memory import UPDATES, Announcements, UpdateMemory, now
from blogcrawler.errors import NotArchived, UnreadableRules
from blogcrawler.frontier import Frontier
from blogcrawler.serialise import dump, load
from blogcrawler.urls import identity, with_other_slash

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from blogcrawler.backend import FeedState, KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.steps import Memory
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry, Page, Record


@dataclass(frozen=True)
class KnownPosts:
    """The archived posts."""

    #: posts by `urls.identity`, and by guids that only one post has
    by_key: Mapping[str, KnownPost]
    #: when the update began; posts that arrived since then are its own
    begun: datetime

    @classmethod
    def of(cls, posts: Mapping[str, KnownPost], begun: datetime) -> Self:
        """The posts of an archive, given by `urls.identity`. O(n)."""
        guids = Counter(post.guid for post in posts.values())
        by_guid = {post.guid: post for post in posts.values() if post.guid and guids[post.guid] == 1}
        return cls({**by_guid, **posts}, begun)

    def __iter__(self) -> Iterator[KnownPost]:
        """Iterate over the posts, each once."""
        return iter({post.url: post for post in self.by_key.values()}.values())

    def at(self, url: str) -> KnownPost | None:
        """The post at an address; a redirect may add or drop a trailing slash."""
        key = identity(url)
        return self.by_key.get(key) or self.by_key.get(with_other_slash(key))

    def of_entry(self, entry: Entry) -> KnownPost | None:
        """The post of an entry, by its address or guid."""
        return self.by_key.get(identity(entry.url)) or self.by_key.get(entry.guid or "")

    def was_known(self, url: str) -> bool:
        """True if the post at an address was archived before the update began."""
        post = self.at(url)
        return post is not None and post.first_seen < self.begun


@dataclass
class UpdateState:
    """One update of a blog: what exists when it begins, and the results of each step for later steps."""

    ctx: CrawlContext
    known: KnownPosts
    memory: UpdateMemory
    permalinks: PermalinkChanges
    comments: CommentNews
    late_comments: LatePosts
    #: requests feeds; without validators after an interrupted run, since unchanged feeds were not fully processed
    asker: FeedAsker
    #: keys of pages that look like posts but are no posts
    no_posts: frozenset[str]
    #: keys of the pages that the last crawl knew, if lists must be requested again
    queued: frozenset[str]
    #: time since which the user wants all that is new
    since: datetime | None
    #: whether an earlier run of the update was cut short
    is_second_part: bool

    # set by `feed_request.ask_feed`: the present feed; None if it has not changed
    feed: Feed | None = None
    #: state of this feed, to be stored at the end
    feed_state: FeedState | None = None
    #: the blog's home page, if it was fetched
    home_page: Page | None = None

    # set by `feed_news.FeedNews`
    #: digests of earlier entries of the feed
    digests: Announcements[str] = field(default_factory=Announcements)
    news: News = field(default_factory=News)
    #: whether the wrapper was found not to fit any more
    has_relearned: bool = False

    # set by `gap_filling.GapFilling`
    #: whether the feed lacks no new posts, though it seemed to
    has_no_holes: bool = False
    #: when sitemaps were read
    sitemaps_read: datetime | None = None
    #: known posts that sitemaps report as changed, if they report most posts
    doubtful: set[str] = field(default_factory=set)

    #: whether a later update rechecks these posts; set by `rechecks.ModifiedRecheck`
    is_recheck_put_off: bool = False
    #: whether records of the archive were sent on; set by `update_records.hand_on_archived`
    has_recalled: bool = False

    @property
    def has_gap(self) -> bool:
        """True if there may be posts between the feed's posts and the known posts."""
        return self.news.has_rolled_over or (self.feed is not None and self.feed.kind == "synthetic")

    @property
    def is_lastmod_read(self) -> bool:
        """True if sitemaps have shown which posts were changed."""
        return self.sitemaps_read is not None and self.memory.has_lastmods

    def is_unknown(self, url: str) -> bool:
        """True if a page is neither an archived post nor a known non-post."""
        return self.known.at(url) is None and identity(url) not in self.no_posts

    def kept_record(self, post: KnownPost | None) -> Record | None:
        """The archived record of a known post."""
        return self.ctx.archive.record(self.ctx.home, post.url) if post is not None else None

    def is_due_since(self, entry: Entry) -> bool:
        """True if an entry is of the user's period, and its post may differ from the archived record."""
        if self.since is None or not is_since(self.since, entry.published, entry.updated):
            return False
        if not entry.is_summary and self.digests.settled.get(identity(entry.url)) == digest(entry):
            return False
        post = self.known.of_entry(entry)
        record = self.kept_record(post)
        return post is None or record is None or not is_as_kept(entry, record, post.last_seen)

    def is_complete(self, reason: str) -> bool:
        """True if nothing is left but pages that the next updates request again. If so, posts with new addresses are
        moved."""
        is_complete = self.memory.is_complete(self.ctx, reason)
        if is_complete:
            self.permalinks.settle(self.ctx.classifier.places.is_linked)
        return is_complete


def begin_update(ctx: CrawlContext, since: datetime | None) -> UpdateState:
    """Prepare the update of the blog at the address that the user gave. Raises NotArchived if no complete crawl learned
    it."""
    ctx.home = _find_home(ctx)
    entries = _load_rules(ctx)
    _keep_first_states(ctx, entries)
    memory = load(UpdateMemory, ctx.archive.load_source_state(ctx.home, UPDATES))
    rows = ctx.archive.frontier_store(ctx.home).load() if memory.unavailable_lists else ()
    queued = frozenset(identity(row["url"]) for row in rows)
    is_second_part = ctx.archive.start_crawl(ctx.home, now=now(), kind=ctx.options.kind)
    begun = ctx.archive.blog(ctx.home).crawl_started or now()
    if is_second_part:
        ctx.tally.goes_on_since = begun
    ctx.fetcher.use(Sessions.kept_of(ctx.archive, ctx.home))
    posts = ctx.archive.known_posts(ctx.home)
    known = KnownPosts.of(posts, begun)
    ctx.classifier.add_known_posts(post.url for post in posts.values() if known.was_known(post.url))
    asker = FeedAsker(ctx.fetcher, is_unconditional=since is not None or is_second_part)
    ctx.archive.reset_frontier(ctx.home)
    ctx.frontier = Frontier(ctx.archive.frontier_store(ctx.home))
    return UpdateState(
        ctx,
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


def complete_steps(update: UpdateState, memories: Iterable[Memory], _: str, is_complete: bool) -> None:
    """Mark what the steps have found as known, if the update is complete."""
    if is_complete and update.ctx.fatal is None:
        for memory in memories:
            memory.complete()
            keep(update.ctx, memory)
        update.memory.complete(update.ctx, None if update.is_recheck_put_off else update.sitemaps_read)


def _find_home(ctx: CrawlContext) -> str:
    """The home page of the blog at the address that the user gave."""
    url = ctx.start_url
    home = ctx.archive.find_blog(url)
    if home is None or ctx.archive.load_wrapper(home) is None:
        raise NotArchived(f"{url} is not in the archive yet; crawl it first: blogcrawler archive {url}", url=url)
    blog = ctx.archive.blog(home)
    if blog.crawl_kind != ctx.options.kind and not (blog.crawl_complete or blog.crawl_reason in COMPLETE):
        raise NotArchived(
            f"The first crawl of {home} is not complete; continue it: blogcrawler archive {url}", url=home
        )
    return home


def _load_rules(ctx: CrawlContext) -> list[Entry]:
    """Load what the first crawl has learned; returns the entries that it had."""
    try:
        load_state(ctx, ctx.home)
    except UnreadableRules as error:
        ctx.archive.begin_anew(ctx.home)  # so that a monitor crawls it again
        raise NotArchived(
            f"{ctx.home} was crawled by another version; crawl it again: blogcrawler archive {ctx.start_url}",
            url=ctx.home,
        ) from error
    first, ctx.entries = list(ctx.entries.values()), {}
    return first


def _keep_first_states(ctx: CrawlContext, entries: Sequence[Entry]) -> None:
    """Before the first update, store what the first crawl has found in the form that updates load."""
    archive, home = ctx.archive, ctx.home
    stored = archive.load_source_states(home).keys()
    if stored >= {FEED, COUNTS, UPDATES}:
        return
    states = {
        FEED: {"digests": {identity(entry.url): digest(entry) for entry in entries if not entry.is_synthetic}},
        COUNTS: Announcements(comment_counts(entries)).to_dict("said"),
        UPDATES: dump(UpdateMemory.of_first_crawl(ctx)),
    }
    with archive.transaction():
        for name in states.keys() - stored:
            archive.save_source_state(home, name, states[name])
