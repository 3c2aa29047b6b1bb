"""How an update finds posts that the feed does not have: between its entries and what is known, and changed ones.

The feed's archive comes first, then sitemaps, then the blog's lists, each until it shows posts that are known.
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
"""Known posts, one of which shows that a list has come to them."""
FEW_SITEMAPS = 2
"""Sitemaps that are asked one by one; of more the index shows which have changed."""
MOST_TRIED = 5
"""Pages at unclear places that are tried."""
FEW = 2
"""Links at one place of a page, at most, where it leads on to its neighbours."""

logger = logging.getLogger(__name__)


async def read_unavailable(update: UpdateState) -> None:
    """Ask for the pages that the last crawl could not fetch, and take in the posts that its lists show."""
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
    """Fills the gap between the feed and what is known, or the time that the user has named, and holes in the feed."""

    def __init__(self, update: UpdateState) -> None:
        self._update = update
        #: all of the blog's pages are read, for want of lists that lead to what is known
        self._reads_all = False
        #: there may be posts that are looked for
        self._has_gap = False
        self._neighbours = Neighbours()

    async def run(self) -> None:
        """Look for posts that the feed does not have, in sources that are read to the known ones."""
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
        """The links of a page that are followed: none, unless all of the blog is read."""
        if self._has_gap:
            self._neighbours.note(links)
        return [link for link in links if self._update.is_unknown(link.url)] if self._reads_all else []

    def refill(self) -> None:
        """Add pages that stand where new posts lead to others, and that no list has shown."""
        update, ctx = self._update, self._update.ctx
        if self._has_gap:
            posts = self._neighbours.next_posts(
                ctx.classifier.places, lambda url: update.is_unknown(url) and ctx.frontier.status(url) is None
            )
            add_posts(ctx, posts, found_on=ctx.home)


async def _links_of(update: UpdateState, url: str) -> list[Link]:
    """The pages that a list links to; none where it cannot be fetched."""
    ctx = update.ctx
    page = update.home_page if url == ctx.home else None
    if page is None:
        try:
            page = await ctx.fetcher.get(url, Purpose.PAGE, render=mode_of(ctx, url))
        except Exception:  # noqa: BLE001  a list that cannot be fetched is none
            return []
        ctx.tally.pages += 1
    found = page_or_give_up(ctx, page) if page.status == 200 else None
    return [] if found is None else all_links(ctx, found.outline)


async def _walk_back(update: UpdateState, feed: Feed, news: Sequence[Entry]) -> bool:
    """Find the posts between those of the feed and those that are known; False if all of the blog is to be read."""
    if feed.kind != "synthetic" and await _read_feed_archive(update, feed):
        return True
    if news and await _read_sitemaps(update, news, is_gap=True):
        return True
    if await _read_lists(update, news) or (not news and await _read_sitemaps(update, news, is_gap=True)):
        return True
    logger.info("Neither the feed nor a list leads back to what is known: all of the blog's pages are read.")
    update.ctx.frontier.add(update.ctx.home, is_post=False)
    return False


async def _read_feed_archive(update: UpdateState, feed: Feed) -> bool:
    """Take in entries from page after page of a feed; True if it comes to posts that are known."""
    ctx, sources = update.ctx, OlderPosts(update.ctx)
    kept = sources.kept()
    source = FeedArchive(feed, kept[0].generators if kept is not None else ())
    has_met = False
    while (url := source.next_url) is not None:
        found = source.take(await sources.answer(url))
        for entry in found.entries:
            if update.known.at(entry.url) is None or update.is_due_since(entry):
                add_entry(ctx, entry)
        ctx.frontier.flush()
        is_known = any(update.known.was_known(entry.url) for entry in found.entries)
        if is_known and _reaches_back(update, found.entries):
            return True
        has_met |= is_known
    return has_met or source.outcome == "whole"


def _reaches_back(update: UpdateState, entries: Iterable[Entry]) -> bool:
    """True if entries reach back to the user's time, or need not, since sitemaps have shown what was changed."""
    if update.since is None or update.is_lastmod_read:
        return True
    return any(entry.published and not is_since(update.since, entry.published) for entry in entries)


async def _read_lists(update: UpdateState, news: Sequence[Entry]) -> bool:
    """Take in the posts of the blog's lists, from the home page on; True if they lead to posts that are known."""
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
    """Take in what sitemaps say is new or was changed since the last crawl; True if they have all `news` of the feed.

    Where there `is_gap` between the feed and what is known, also what is new in sitemaps without times.
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
        if not is_gap and any(map(known.was_known, source.undated)):  # posts are there, and not when they changed
            break
    listed = {url for url in source.pages if ctx.scope.covers(url)}
    undated = [url for url in source.undated if is_gap and ctx.scope.covers(url)]
    fresh = [url for url in (*listed, *undated) if ctx.classifier.is_permalink(url) and update.is_unknown(url)]
    changed = [url for url in listed - source.doubtful if _is_changed(known, url, source.pages[url])]
    add_posts(ctx, sorted({*fresh, *changed}))
    update.doubtful = update.doubtful or listed & source.doubtful
    return bool(news) and {identity(entry.url) for entry in news} <= set(map(identity, listed))


def _sitemaps(update: UpdateState, sources: OlderPosts, *, is_gap: bool) -> list[str]:
    """Those that have posts, or what leads to them; where there `is_gap`, also one that is new."""
    kept = sources.kept()
    if kept is None:
        return []
    basis, states = kept
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
    """Remembers what pages of new posts link to and has a post's address: it may be a post that no list shows."""

    def __init__(self) -> None:
        #: addresses by `urls.identity`
        self._waiting: dict[str, str] = {}
        #: those that stand alone, or with one other, on the page that links to them
        self._few: set[str] = set()
        self._tried = 0

    def note(self, links: Sequence[Link]) -> None:
        """Take in the links of a page. O(n)."""
        posts = {identity(link.url): link for link in links if link.is_post and not (link.in_menu or link.is_variant)}
        counts = Counter(place for link in links for place in link.places)
        self._waiting |= {key: link.url for key, link in posts.items()}
        self._few |= {key for key, link in posts.items() if any(counts[place] <= FEW for place in link.places)}

    def next_posts(self, places: Places, is_new: Callable[[str], bool]) -> list[str]:
        """The new ones to fetch: all that stand where posts do; if none does, one that may. O(n)."""
        self._waiting = {key: url for key, url in self._waiting.items() if is_new(url)}
        chosen = [key for key in self._waiting if places.tell(key)]
        if not chosen and self._tried < MOST_TRIED:
            few = (key for key in self._waiting if key in self._few and places.is_linked(key))
            chosen = [key for key in few if places.tell(key, is_permalink=True) is not False][:1]
            self._tried += len(chosen)
        return [self._waiting.pop(key) for key in chosen]
