"""Find posts that the feed of an update lacks: changed posts, and posts between its entries and the known posts.

First the feed's archive is read, then sitemaps, then the blog's lists; each of them until it shows known posts.
"""

from __future__ import annotations

import heapq
import logging
from collections import Counter, deque
from datetime import datetime
from typing import TYPE_CHECKING

from blogcrawler.crawl.pages import add_entry, add_posts, all_links, mode_of, page_or_give_up
from blogcrawler.crawl.post_sources import DOCUMENTS, OlderPosts
from blogcrawler.crawl.update.since import is_since
from blogcrawler.crawl.update.update_memory import MOST_UNAVAILABLE
from blogcrawler.dates import Moment
from blogcrawler.feeds.sources import ChangedPages, FeedArchive, Sitemaps, sitemap_guesses
from blogcrawler.frontier.list_walk import ListWalk
from blogcrawler.purposes import Purpose
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from blogcrawler.crawl.link_places import Places
    from blogcrawler.crawl.update.update_state import KnownPosts, UpdateState
    from blogcrawler.feeds import Feed
    from blogcrawler.frontier import Link
    from blogcrawler.items import Entry

NEWEST = 5
"""Number of newest known posts. One of them shows that a list has reached the known posts."""
FEW_SITEMAPS = 2
"""Maximum number of sitemaps that are requested one by one. If there are more, the index shows which ones have
changed."""
MOST_TRIED = 5
"""Maximum number of pages at unclear places that are fetched."""
FEW = 2
"""Maximum number of links at a place of a page that leads to the page's neighbours."""

logger = logging.getLogger(__name__)


async def read_unavailable(update: UpdateState) -> None:
    """Request the pages that the last crawl could not fetch, and add the posts that its lists show."""
    memory = update.memory
    queued, posts, lists = set(update.queued), list(memory.unavailable), deque(memory.unavailable_lists)
    for _ in range(MOST_UNAVAILABLE):
        if not lists:
            break
        links = await _links_of(update, lists.popleft())
        fresh = [link for link in links if identity(link.url) not in queued]
        queued.update(identity(link.url) for link in fresh)
        posts += [link.url for link in fresh if link.is_post and update.is_unknown(link.url)]
        lists.extend(link.url for link in fresh if not link.is_post)
    add_posts(update.ctx, posts, found_on=update.ctx.home)


class GapFilling:
    """Finds posts that are missing in the feed, and those between the feed and the known posts or the start of the
    user's period."""

    def __init__(self, update: UpdateState) -> None:
        self._update = update
        #: True if all pages of the blog are read, because no list leads to the known posts
        self._reads_all = False
        #: whether there may be posts to look for
        self._has_gap = False
        self._neighbours = Neighbours()

    async def run(self) -> None:
        """Look for posts that the feed lacks, in sources that are read up to the known posts."""
        update = self._update
        frontier, feed, new = update.ctx.frontier, update.feed, update.news.new
        if feed is None:
            return
        has_holes = update.news.has_holes and bool(new or update.is_second_part)
        self._has_gap = update.has_gap or has_holes
        if update.has_gap:
            self._reads_all = not await _walk_back(update, feed, new)
        elif has_holes:
            before = frontier.pending_posts
            if not await _read_lists(update, new):
                await _read_sitemaps(update, new, is_gap=True)
            update.has_no_holes = frontier.pending_posts <= before
        if update.sitemaps_read is None:
            await _read_sitemaps(update, new)
        if not update.has_gap and not _reaches_back(update, feed.entries):
            await _read_feed_archive(update, feed)

    def links_to_follow(self, links: list[Link], url: str) -> list[Link]:  # noqa: ARG002  a hook of the crawl
        """The links of a page that are followed: none, unless the whole blog is read."""
        if self._has_gap:
            self._neighbours.note(links)
        return [link for link in links if self._update.is_unknown(link.url)] if self._reads_all else []

    def refill(self) -> None:
        """Add pages that new posts link to where they link to posts, and that no list has shown."""
        update, ctx = self._update, self._update.ctx
        if self._has_gap:
            posts = self._neighbours.next_posts(
                ctx.classifier.places, lambda url: update.is_unknown(url) and ctx.frontier.status(url) is None
            )
            add_posts(ctx, posts, found_on=ctx.home)


async def _links_of(update: UpdateState, url: str) -> list[Link]:
    """The pages that a list links to; none if it cannot be fetched."""
    ctx = update.ctx
    page = update.home_page if url == ctx.home else None
    if page is None:
        try:
            page = await ctx.fetcher.get(url, Purpose.PAGE, render=mode_of(ctx, url))
        except Exception:  # noqa: BLE001  a list that cannot be fetched is none
            return []
        ctx.tally.pages += 1
    read_page = page_or_give_up(ctx, page) if page.status == 200 else None
    return [] if read_page is None else all_links(ctx, read_page.outline)


async def _walk_back(update: UpdateState, feed: Feed, news: Sequence[Entry]) -> bool:
    """Find the posts between the feed's and the known ones; False if the whole blog must be read."""
    if feed.kind != "synthetic" and await _read_feed_archive(update, feed):
        return True
    if news and await _read_sitemaps(update, news, is_gap=True):
        return True
    if await _read_lists(update, news) or (not news and await _read_sitemaps(update, news, is_gap=True)):
        return True
    logger.info("Neither feed nor lists reach the archived posts; fetching all pages.")
    update.ctx.frontier.add(update.ctx.home, is_post=False)
    return False


async def _read_feed_archive(update: UpdateState, feed: Feed) -> bool:
    """Add entries from the pages of a feed, one after another; True if it reaches known posts."""
    ctx, sources = update.ctx, OlderPosts(update.ctx)
    stored = sources.kept()
    source = FeedArchive(feed, stored[0].generators if stored is not None else ())
    has_met = False
    while (url := source.next_url) is not None:
        document = source.take(await sources.answer(url))
        for entry in document.entries:
            if update.known.at(entry.url) is None or update.is_due_since(entry):
                add_entry(ctx, entry)
        ctx.frontier.flush()
        is_known = any(update.known.was_known(entry.url) for entry in document.entries)
        if is_known and _reaches_back(update, document.entries):
            return True
        has_met |= is_known
    return has_met or source.outcome == "whole"


def _reaches_back(update: UpdateState, entries: Iterable[Entry]) -> bool:
    """True if entries reach back to the user's period, or if sitemaps have shown all changes."""
    if update.since is None or update.is_lastmod_read:
        return True
    return any(entry.published and not is_since(update.since, entry.published) for entry in entries)


async def _read_lists(update: UpdateState, news: Sequence[Entry]) -> bool:
    """Add the posts of the blog's lists, starting at the home page; True if they lead to known posts."""
    ctx, known = update.ctx, update.known
    dated = [(post.published, post.url) for post in known if post.published and known.was_known(post.url)]
    walk = ListWalk(
        [ctx.home, *update.memory.lists],
        known.was_known,
        newest={identity(url) for _, url in heapq.nlargest(NEWEST, dated)},
        no_posts=update.no_posts,
        news={identity(entry.url) for entry in news},
    )
    while (url := walk.next_url) is not None:
        walk.take(url, await _links_of(update, url))
    add_posts(ctx, [url for url in walk.posts.values() if known.at(url) is None], found_on=ctx.home)
    return walk.is_back and (bool(walk.posts) or not news)


async def _read_sitemaps(update: UpdateState, news: Sequence[Entry], *, is_gap: bool = False) -> bool:
    """Add posts that sitemaps show to be new or changed since the last crawl; True if they have all `news` of the feed.

    If there `is_gap` between the feed and the known posts, also adds new posts from sitemaps without times.
    """
    ctx, memory, known = update.ctx, update.memory, update.known
    if not (memory.has_lastmods or is_gap):
        return False
    last = datetime.fromisoformat(memory.sitemaps_since) if memory.sitemaps_since is not None else None
    times = [time for time in (update.since, last) if time is not None]
    sources = OlderPosts(ctx)
    source = ChangedPages(
        _sitemaps(update, sources, is_gap=is_gap),
        min(times).isoformat() if times else "0001-01-01",
        lambda url, time: _is_changed(known, url, time),
    )
    while (url := source.next_url) is not None:
        source.take(await sources.answer(url))
        if not source.is_cut:
            memory.has_lastmods, update.sitemaps_read = source.is_dated, known.begun
        # the sitemap lists posts, but not when they changed
        if not is_gap and any(map(known.was_known, source.undated)):
            break
    listed = {url for url in source.pages if ctx.scope.covers(url)}
    undated = [url for url in source.undated if is_gap and ctx.scope.covers(url)]
    fresh = [url for url in (*listed, *undated) if ctx.classifier.is_permalink(url) and update.is_unknown(url)]
    changed = [url for url in listed - source.doubtful if _is_changed(known, url, source.pages[url])]
    add_posts(ctx, sorted({*fresh, *changed}))
    update.doubtful = update.doubtful or listed & source.doubtful
    return bool(news) and {identity(entry.url) for entry in news} <= set(map(identity, listed))


def _sitemaps(update: UpdateState, sources: OlderPosts, *, is_gap: bool) -> list[str]:
    """The sitemaps that have posts or lead to them; if there `is_gap`, also a sitemap that may be new."""
    stored = sources.kept()
    if stored is None:
        return []
    basis, states = stored
    read = states.get(Sitemaps.name, {}).get(DOCUMENTS, [])
    if 0 < len(read) <= FEW_SITEMAPS:
        return list(read)
    return list(basis.sitemaps or (sitemap_guesses(update.ctx.home, basis.generators)[:1] if read or is_gap else ()))


def _is_changed(known: KnownPosts, url: str, time: str) -> bool:
    """True if a post was changed since it was last read."""
    post, changed = known.by_key.get(identity(url)), Moment.parse_iso(time)
    if post is None or changed is None or canonicalise(url) != canonicalise(post.url):
        return False
    read = Moment.parse_iso(post.last_seen.isoformat())
    return read is None or not read.is_after(changed)


class Neighbours:
    """Remembers pages at posts' addresses that new posts link to: they may be posts that no list shows."""

    def __init__(self) -> None:
        #: addresses by `urls.identity`
        self._waiting: dict[str, str] = {}
        #: pages whose link has at most one neighbour at its place on the linking page
        self._nearly_alone: set[str] = set()
        self._tried = 0

    def note(self, links: Sequence[Link]) -> None:
        """Record the links of a page. O(n)."""
        posts = {identity(link.url): link for link in links if link.is_post and not (link.in_menu or link.is_variant)}
        counts = Counter(place for link in links for place in link.places)
        self._waiting |= {key: link.url for key, link in posts.items()}
        self._nearly_alone |= {key for key, link in posts.items() if any(counts[place] <= FEW for place in link.places)}

    def next_posts(self, places: Places, is_new: Callable[[str], bool]) -> list[str]:
        """The new pages to fetch: all that are linked among posts; if there is none, one that may be. O(n)."""
        self._waiting = {key: url for key, url in self._waiting.items() if is_new(url)}
        chosen = [key for key in self._waiting if places.is_among_posts(key)]
        if not chosen and self._tried < MOST_TRIED:
            nearly_alone = (key for key in self._waiting if key in self._nearly_alone and places.is_linked(key))
            chosen = [key for key in nearly_alone if places.is_among_posts(key, is_permalink=True) is not False][:1]
            self._tried += len(chosen)
        return [self._waiting.pop(key) for key in chosen]
