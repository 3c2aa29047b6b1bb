"""How an update begins: with the blog as its last crawl has left it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.backend import LATE_COMMENTS, LatePosts
from blogcrawler.crawl.context import COMPLETE
from blogcrawler.crawl.sessions import Sessions
from blogcrawler.crawl.steps.beginning import load_state
from blogcrawler.crawl.update.comment_feed import CommentNews
from blogcrawler.crawl.update.feed_news import FeedNews
from blogcrawler.crawl.update.permalink_changes import PermalinkChanges
from blogcrawler.crawl.update.update_memory import UpdateMemory, now
from blogcrawler.crawl.update.update_state import KnownPosts, UpdateState
from blogcrawler.errors import NotArchived, UnreadableRules
from blogcrawler.frontier import Frontier
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Entry


def begin_update(ctx: CrawlContext, since: datetime | None) -> tuple[UpdateState, FeedNews]:
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
    update = UpdateState(
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
    news = FeedNews.load(update, entries)
    ctx.archive.reset_frontier(ctx.home)
    ctx.frontier = Frontier(ctx.archive.frontier_store(ctx.home))
    return update, news


def keep_states(update: UpdateState, parts: Sequence[Callable[[UpdateState], None]], _: str, is_complete: bool) -> None:
    """Keep what the feeds said, if all that they led to is done."""
    if is_complete and update.ctx.fatal is None:
        for complete in parts:
            complete(update)
        update.memory.complete(update.ctx, update.sitemaps_read)
        update.comments.keep()


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
