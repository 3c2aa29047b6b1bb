"""The step that unites the entries of several documents: all captures of a blog's feeds, and its export. Together they
have the posts of many years, and the page of each entry is an example to learn from."""

from __future__ import annotations

import logging
from asyncio import to_thread
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from blogcrawler.backend import CAPTURED_FEEDS
from blogcrawler.crawl.blocked_site import empty_page
from blogcrawler.crawl.steps.beginning import resume
from blogcrawler.crawl.steps.listing_sources import enriched
from blogcrawler.crawl.tasks import HandOn
from blogcrawler.errors import DamagedCapture, NotAFeed, PageTooSlow
from blogcrawler.feeds import parse_feed
from blogcrawler.feeds.exports import read_export
from blogcrawler.items import CaptureReference, Record, RecordSource
from blogcrawler.serialise import dump, load
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import Scope, identity

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.feeds import Feed
    from blogcrawler.feeds.discovery import Discovery
    from blogcrawler.frontier import Stop
    from blogcrawler.items import Entry
    from blogcrawler.sources import Capture, CapturedBlog

MOST_ENTRIES = 200_000
"""Maximum number of united entries."""

logger = logging.getLogger(__name__)


async def unite_entries(ctx: CrawlContext, export: Path | None = None) -> None:
    """Add the entries of all captured feeds and of the blog's `export` to those of the discovered feed, the newest
    version of each first.

    Raises Unreachable, and NotAFeed if the export cannot be read or has no posts of the blog.
    """
    discovery = ctx.discovery
    assert discovery is not None
    scope = Scope.of(ctx.home, [entry.url for entry in discovery.feed.entries])
    united, feed = _United(), discovery.feed
    async for reference, document in _documents(ctx, discovery, export):
        entries = [entry for entry in document.entries if scope.covers(entry.url)]
        if reference.place == str(export) and not entries:
            raise NotAFeed(f"{export} has no posts of {ctx.home}. Give the export of this blog.", url=ctx.home)
        united.add(entries, reference)
        feed = feed if feed.entries else document
    if united.entries:
        more = {identity(entry.url): entry for entry in discovery.feed.entries}
        feed = replace(feed, entries=tuple((more | united.entries).values()))
        ctx.discovery = replace(discovery, feed=feed, lists=(), is_united=True)
        ctx.archive.save_source_state(ctx.home, CAPTURED_FEEDS, united.state)
        logger.info("%d documents have %d posts.", len(united.captures), len(united.entries))


async def _documents(
    ctx: CrawlContext, discovery: Discovery, export: Path | None
) -> AsyncIterator[tuple[CaptureReference, Feed]]:
    """The captured feeds, or else the discovered feed; then the export."""
    if ctx.fetcher.captured is not None:
        async for capture, captured in _captured(ctx.fetcher.captured, discovery.feed.url):
            yield capture.reference, captured
    elif discovery.feed.entries:
        yield CaptureReference(discovery.feed.url, datetime.now(UTC).isoformat(timespec="seconds")), discovery.feed
    if export is not None:
        feed = await to_thread(read_export, export, ctx.home)  # takes long if it is large
        logger.info("%s has %d posts, and %d that are not public.", export, len(feed.entries), feed.dropped)
        yield CaptureReference(str(export), _time_of(feed, export)), feed


def _time_of(feed: Feed, export: Path) -> str:
    """The latest time in an export before that of its file, since it was made in between; else the time of the file."""
    written = datetime.fromtimestamp(export.stat().st_mtime, UTC)
    times = (time for entry in feed.entries for time in (entry.published, entry.updated) if time and "T" in time)
    moments = [moment for moment in map(datetime.fromisoformat, times) if moment.tzinfo]
    latest = max((moment for moment in moments if moment <= written), default=written)
    return latest.astimezone(UTC).isoformat(timespec="seconds")


def resume_with(ctx: CrawlContext, export: Path | None) -> bool:
    """Resume a crawl that was cut short, unless it lacks the entries of this export; False if there is none."""
    home = ctx.archive.find_blog(ctx.start_url)
    state = ctx.archive.load_source_state(home, CAPTURED_FEEDS) if home is not None else {}
    is_known = any(capture["place"] == str(export) for capture in state.get("captures", ()))
    return (export is None or is_known) and resume(ctx)


class PostsWithoutPage:
    """Hands on the posts of united entries whose pages cannot be fetched, at the end of each run of a crawl.

    A resumed run hands them on again, since the last one may have been killed before they were stored.
    """

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        self._is_done = False

    def hand_on(self, stop: Stop | None) -> HandOn | None:
        """The records of these posts; None before the end, and the second time."""
        ctx = self._ctx
        if self._is_done or not ctx.is_at_end(stop):
            return None
        self._is_done = True
        state = ctx.archive.load_source_state(ctx.home, CAPTURED_FEEDS)
        if not state:
            return None
        captures = load(list[CaptureReference], state["captures"])
        sources = [
            RecordSource(empty_page(entry, captures[state["entries"][key]]), ctx.classifier.wrapper, entry)
            for key, entry in ctx.entries.items()
            if key in state["entries"] and entry.content_html and ctx.frontier.status(entry.url) == "failed"
        ]
        return HandOn(lambda: [Record(ctx.home, source.page.url, source=source) for source in sources])


@dataclass
class _United:
    """The entries of several documents, by `urls.identity`."""

    entries: dict[str, Entry] = field(default_factory=dict)
    captures: list[CaptureReference] = field(default_factory=list)
    #: for each entry, which of these has its text
    captured_in: dict[str, int] = field(default_factory=dict)

    def add(self, entries: Iterable[Entry], capture: CaptureReference) -> None:
        """Add the entries of an older document: those not known yet, and what known ones lack."""
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
                feed = parse_feed(response.body, capture.url, response.header("content-type"))
        except (DamagedCapture, NotAFeed, PageTooSlow):
            continue
        if not feed.is_comments:
            yield capture, feed
