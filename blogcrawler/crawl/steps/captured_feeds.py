"""The step that unites all captures of a blog's feeds: together they have the entries of many years, and the page of
each entry is an example to learn from."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from posixpath import commonpath
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from blogcrawler.backend import CAPTURED_FEEDS
from blogcrawler.crawl.blocked_site import without_content
from blogcrawler.crawl.pages import add_posts
from blogcrawler.crawl.steps.listing_sources import enriched
from blogcrawler.crawl.tasks import FetchPage, HandOn
from blogcrawler.errors import DamagedCapture, NotAFeed, PageTooSlow
from blogcrawler.feeds import parse_feed
from blogcrawler.items import CaptureReference, Page, Record, RecordSource
from blogcrawler.serialise import dump, load
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import Scope, canonicalise, identity, same_site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.feeds import Feed
    from blogcrawler.frontier import Stop
    from blogcrawler.items import Entry
    from blogcrawler.sources import Capture, CapturedBlog, CapturedResponse

MOST_ENTRIES = 200_000
"""Maximum number of entries of all captures of a blog's feeds."""

logger = logging.getLogger(__name__)


async def unite_feeds(ctx: CrawlContext) -> None:
    """Add the entries of all captured feeds to those of the discovered feed, the newest version of each first.

    Raises Unreachable.
    """
    blog, discovery = ctx.fetcher.captured, ctx.discovery
    assert blog is not None
    assert discovery is not None
    scope = Scope.of(ctx.home, [entry.url for entry in discovery.feed.entries])
    united = _United()
    feed = discovery.feed
    async for capture, captured in _captured(blog, discovery.feed.url):
        united.add([entry for entry in captured.entries if scope.covers(entry.url)], capture.reference)
        feed = feed if feed.entries else captured
    if united.entries:
        more = {identity(entry.url): entry for entry in discovery.feed.entries}
        ctx.discovery = replace(
            discovery, feed=replace(feed, entries=tuple((more | united.entries).values())), lists=()
        )
        ctx.archive.save_source_state(ctx.home, CAPTURED_FEEDS, united.state)
        logger.info("%d captures of feeds have %d posts.", len(united.captures), len(united.entries))


class UnlinkedPosts:
    """Captured pages with addresses of posts to which no captured page links."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        self._pages: Sequence[str] = ()

    async def list_pages(self) -> None:
        """List the captured pages of the blog. Raises Unreachable."""
        ctx = self._ctx
        assert ctx.fetcher.captured is not None
        posts = [url for url in ctx.classifier.posts if same_site(url, ctx.home)]
        # the home page may be a page beside the posts
        folder = commonpath([urlsplit(url).path or "/" for url in (ctx.home, *posts)])
        self._pages = await ctx.fetcher.captured.pages(urljoin(ctx.home, f"{folder.rstrip('/')}/"))

    def fetch(self, stop: Stop | None) -> FetchPage | None:
        """When no page is left to fetch: the first of the posts, while the others are added to the frontier."""
        ctx = self._ctx
        if not self._pages or not ctx.is_at_end(stop):
            return None
        urls = [_as_at(ctx.home, url) for url in self._pages]
        self._pages = ()
        add_posts(ctx, [url for url in urls if ctx.classifier.scope.covers(url) and ctx.classifier.is_permalink(url)])
        first = ctx.frontier.pop(posts_only=True)
        return FetchPage(first.url) if first is not None else None


def _as_at(home: str, url: str) -> str:
    """An address with the scheme and host of the home page, if only "www." and https distinguish them."""
    own = urlsplit(home)
    return urlsplit(url)._replace(scheme=own.scheme, netloc=own.netloc).geturl() if same_site(url, home) else url


class PostsWithoutPage:
    """Hands on the posts of captured feeds whose pages were not captured, at the end of each run of a crawl.

    A resumed run hands them on again, since the last one may have been killed before they were stored.
    """

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        self._is_done = False

    def hand_on(self, stop: Stop | None) -> HandOn | None:
        """The records of these posts; None before the end, and the second time."""
        ctx = self._ctx
        if self._is_done or ctx.fetcher.captured is None or not ctx.is_at_end(stop):
            return None
        self._is_done = True
        state = ctx.archive.load_source_state(ctx.home, CAPTURED_FEEDS)
        if not state:
            return None
        captures = load(list[CaptureReference], state["captures"])
        missing = [
            (entry, captures[state["entries"][key]])
            for key, entry in ctx.entries.items()
            if key in state["entries"] and entry.content_html and ctx.frontier.status(entry.url) == "failed"
        ]
        return HandOn(lambda: [_record(ctx, entry, capture) for entry, capture in missing])


def _record(ctx: CrawlContext, entry: Entry, capture: CaptureReference) -> Record:
    url = canonicalise(entry.url)
    page = without_content(Page(url, b"", status=0, fetched=capture.time, capture=capture))
    return Record(ctx.home, url, source=RecordSource(page, ctx.classifier.wrapper, entry))


@dataclass
class _United:
    """The entries of several captures of feeds, by `urls.identity`."""

    entries: dict[str, Entry] = field(default_factory=dict)
    captures: list[CaptureReference] = field(default_factory=list)
    #: for each entry, which of the captures has its text
    captured_in: dict[str, int] = field(default_factory=dict)

    def add(self, entries: Iterable[Entry], capture: CaptureReference) -> None:
        """Add the entries of an older capture: those not known yet, and what known ones lack."""
        self.captures.append(capture)
        for entry in entries:
            key = identity(entry.url)
            known = self.entries.get(key)
            if known is None and len(self.entries) >= MOST_ENTRIES:
                continue
            self.entries[key] = entry if known is None else enriched(known, entry)
            if known is None or self.entries[key].content_html != known.content_html:
                self.captured_in[key] = len(self.captures) - 1

    @property
    def state(self) -> dict[str, Any]:
        """The captures and `captured_in` as JSON data."""
        return {"captures": dump(self.captures), "entries": self.captured_in}


async def _captured(blog: CapturedBlog, url: str) -> AsyncIterator[tuple[Capture, Feed]]:
    """The feeds of posts that were captured, and all captures of the feed at `url`: each version once, the newest
    first."""
    captures = {capture.place: capture for capture in (*await blog.feeds(), *await blog.versions(url))}
    seen: set[str] = set()
    for capture in sorted(captures.values(), key=lambda capture: capture.time, reverse=True):
        if capture.digest in seen:
            continue
        seen |= {capture.digest} - {""}
        try:
            response = await blog.read(capture)
            with time_limit():
                feed = _parsed(response)
        except (DamagedCapture, NotAFeed, PageTooSlow):
            continue
        if not feed.is_comments:
            yield capture, feed


def _parsed(response: CapturedResponse) -> Feed:
    types = [value.decode("latin-1") for name, value in response.headers if name.lower() == b"content-type"]
    return parse_feed(response.body, response.capture.url, types[-1] if types else None)
