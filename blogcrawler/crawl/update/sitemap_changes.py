"""What sitemaps say is new or was changed since the last crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.pages import post_sources
from blogcrawler.crawl.post_sources import DOCUMENTS
from blogcrawler.crawl.update.list_pages import add_posts
from blogcrawler.dates import Moment
from blogcrawler.feeds.sources import ChangedPages, Sitemaps, sitemap_guesses
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.post_sources import OlderPosts
    from blogcrawler.crawl.update.update_state import KnownPosts, UpdateState
    from blogcrawler.items import Entry

__all__ = ["read_sitemaps"]

FEW_SITEMAPS = 2
"""Sitemaps that are asked one by one; of more the index shows which have changed."""


async def read_sitemaps(ctx: CrawlContext, news: Sequence[Entry], *, is_gap: bool = False) -> bool:
    """Take in what sitemaps say is new or was changed since the last crawl; True if they have all `news` of the feed.

    Where there `is_gap` between the feed and what is known, also what is new in sitemaps without times.
    """
    update: UpdateState = ctx.update
    memory, known = update.memory, update.known
    if not (memory.has_lastmods or is_gap):
        return False
    times = [time for time in (update.since, memory.sitemaps_since) if time is not None]
    sources = post_sources(ctx)
    source = ChangedPages(
        _sitemaps(ctx, sources, is_gap=is_gap),
        min(times).isoformat() if times else "0001-01-01",
        lambda url, time: _is_changed(known, url, time),
    )
    while (url := source.next_url) is not None:
        source.take(await sources.answer(url))
        if not source.is_cut:
            memory.has_lastmods, memory.sitemaps_read = source.is_dated, known.begun
        if not is_gap and any(map(known.was_known, source.undated)):  # posts are there, and not when they changed
            break
    listed = {url for url in source.pages if ctx.scope.covers(url)}
    undated = [url for url in source.undated if is_gap and ctx.scope.covers(url)]
    fresh = [url for url in (*listed, *undated) if ctx.classifier.is_permalink(url) and update.is_unknown(url)]
    changed = [url for url in listed - source.doubtful if _is_changed(known, url, source.pages[url])]
    add_posts(ctx, sorted({*fresh, *changed}))
    update.doubtful = update.doubtful or listed & source.doubtful
    return bool(news) and {identity(entry.url) for entry in news} <= set(map(identity, listed))


def _sitemaps(ctx: CrawlContext, sources: OlderPosts, *, is_gap: bool) -> list[str]:
    """Those that have posts, or what leads to them; where there `is_gap`, also one that is new."""
    kept = sources.kept()
    if kept is None:
        return []
    basis, states = kept
    read = states.get(Sitemaps.name, {}).get(DOCUMENTS, [])
    if 0 < len(read) <= FEW_SITEMAPS:
        return list(read)
    return list(basis.sitemaps or (sitemap_guesses(ctx.home, basis.generators)[:1] if read or is_gap else ()))


def _is_changed(known: KnownPosts, url: str, time: str) -> bool:
    """True if a post was changed since it was last read."""
    post, changed = known.by_key.get(identity(url)), Moment.parse_iso(time)
    if post is None or changed is None or canonicalise(url) != canonicalise(post.url):
        return False
    read = Moment.parse_iso(post.last_seen.isoformat())
    return read is None or not read.is_after(changed)
