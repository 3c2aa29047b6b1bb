"""Note what has named the posts of a blog: feeds, captures of feeds, lists for programs, or pages that link to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blogcrawler.backend import CAPTURED_FEEDS, NAMED_BY
from blogcrawler.crawl.post_sources import BASIS, DOCUMENTS
from blogcrawler.feeds.sources import FeedArchive, Sitemaps, WordPressPosts
from blogcrawler.routes import out_of_path
from blogcrawler.urls import canonicalise, identities, identity, is_http

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from blogcrawler.crawl.context import CrawlContext

_SOURCES = (FeedArchive.name, Sitemaps.name, WordPressPosts.name)


def note_sources(ctx: CrawlContext) -> None:
    """Store what has named each post first, for the posts that this crawl has met and earlier ones have not."""
    archive, home = ctx.archive, ctx.home
    named, namer = archive.load_source_state(home, NAMED_BY), _Namer(ctx)
    for row in _rows_of_posts(ctx):
        key = archive.key_of(out_of_path(row["url"]))
        if key not in named:
            named[key] = namer.source_of(key, row)
    archive.save_source_state(home, NAMED_BY, named)


def _rows_of_posts(ctx: CrawlContext) -> Iterator[Mapping[str, Any]]:
    """The pages in the frontier that are posts, that a source lists as posts, or that look like unread posts."""
    listed = ctx.archive.source_entry_urls(ctx.home)
    for row in ctx.frontier.store.load():
        is_unread_post = row["is_post"] and row["status"] != "done"
        if row["was_post"] or is_unread_post or identity(row["url"]) in listed:
            yield row


class _Namer:
    """Finds what has named a post first."""

    def __init__(self, ctx: CrawlContext) -> None:
        states = ctx.archive.load_source_states(ctx.home)
        self._documents = {
            canonicalise(url): name for name in _SOURCES for url in states.get(name, {}).get(DOCUMENTS, ())
        }
        self._captured: dict[str, Any] = states.get(CAPTURED_FEEDS) or {"captures": [], "entries": {}}
        self._feed = ctx.archive.blog(ctx.home).feed_url or ""
        first_feed = (states.get(BASIS, {}).get("feed") or {}).get("entries", ())
        self._in_feed = {*ctx.entries, *identities(entry["url"] for entry in first_feed)}
        self._in_lists = {key for key, entry in ctx.entries.items() if entry.is_synthetic}
        self._place = ctx.fetcher.captured.name if ctx.fetcher.captured is not None else ""
        self._posts = {row["url"] for row in ctx.frontier.store.load() if row["was_post"]}

    def source_of(self, key: str, row: Mapping[str, Any]) -> list[str]:
        """The kind of what has named a post, and its address if that is known."""
        found_on: str | None = row["found_on"]
        if found_on is not None:
            page = "post" if found_on in self._posts else "list"
            return [self._documents.get(found_on, page), out_of_path(found_on)]
        if (number := self._captured["entries"].get(key)) is not None:
            place = self._captured["captures"][number]["place"]
            kind = "feed capture" if is_http(place) or "#" in place else "export"
            return ["feed" if place == self._feed else kind, place]
        if key in self._in_lists:
            return ["list"]
        if key in self._in_feed:
            return ["feed", self._feed]
        return ["captures", self._place] if row["was_post"] and self._place else ["unrecorded"]
