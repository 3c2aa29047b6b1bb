"""Reads the sources of older posts through the engine, and keeps what they tell: a killed crawl goes on there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from blogcrawler.browser.need import tree_of
from blogcrawler.feeds import Feed  # noqa: TC001  (serialise)
from blogcrawler.feeds.sources import (
    Answer,
    FeedArchive,
    Sitemaps,
    Source,
    WordPressPosts,
    api_root,
    sitemap_guesses,
)
from blogcrawler.frontier import Link
from blogcrawler.items import Entry
from blogcrawler.serialise import dump, load
from blogcrawler.urls import canonicalise, identity, is_page_like, same_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.feeds.discovery import Discovery
    from blogcrawler.items import Page

BASIS = "basis"
"""Under which name the archive keeps a `Basis`, beside the states of the sources."""
DOCUMENTS = "lists"
"""In a source's state: those that brought pages."""
MOST_CANDIDATES = 5_000
"""Pages that a source lists, and that do not look like posts, that are taken into the frontier."""

Listed = dict[str, list[str]]
"""Pages, by the document of a source that lists them."""


@dataclass(frozen=True)
class Basis:
    """What is known of a blog before its sources are read, and what they begin with."""

    home: str
    #: None where the blog has none; of its entries the URL is enough
    feed: Feed | None
    #: posts that are known for sure, at their own addresses
    known: tuple[str, ...]
    #: what pages name as their software
    generators: tuple[str, ...] = ()
    api_root: str | None = None
    #: that robots.txt names
    sitemaps: tuple[str, ...] = ()

    def sources(self, is_post: Callable[[str], bool], seen: Sequence[str] = ()) -> list[Source]:
        """The sources, those first that take few requests. `seen` are posts that were read before."""
        names = (*self.generators, self.feed.generator if self.feed is not None else None)
        guesses = sitemap_guesses(self.home, names)
        found: list[Source] = [WordPressPosts(self.api_root, seen)] if self.api_root else []
        found.append(Sitemaps(self.sitemaps, guesses, is_post=is_post, known=self.known))
        if self.feed is not None:
            archive = FeedArchive(self.feed, self.generators, seen)
            found.insert(0 if archive.is_short else len(found), archive)
        return [source for source in found if source.outcome != "absent"]


class OlderPosts:
    """Reads sources of one blog's posts, and keeps how far. Nothing is believed here: all URLs become candidates."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        self._candidates = 0
        #: documents that were read of all sources, in this process
        self.documents = 0
        #: of the last document that told of any
        self.latest: list[Entry] = []
        #: days of the entries that were read; None for one that has none
        self.days: list[str | None] = []

    async def begin(self, found: Discovery, pages: Sequence[Page]) -> None:
        """Remember what the sources begin with: what the feed, the start page, a post's page and robots.txt name."""
        ctx, feed = self._ctx, found.feed
        start = found.start if found.start is not None and found.start.status == 200 else None
        named = [(page, tree_of(page)) for page in (start, *pages[:1]) if page is not None]
        roots = ((api_root(tree, page.url, page.headers.get("link", ())), page.url) for page, tree in named)
        basis = Basis(
            home=ctx.home,
            feed=None if found.lists else replace(feed, entries=tuple(Entry(entry.url) for entry in feed.entries)),
            known=tuple(page.url for page in pages),
            generators=tuple(name for _, tree in named for name in _generators(tree)),
            api_root=next((root for root, url in roots if root is not None and same_site(root, url)), None),
            sitemaps=await ctx.fetcher.robots_sitemaps(ctx.home),
        )
        ctx.archive.save_source_state(ctx.home, BASIS, dump(basis))

    def kept(self) -> tuple[Basis, dict[str, dict[str, Any]]] | None:
        """What `begin` remembered, and the states of the sources; None where there is nothing to go on with."""
        states = self._ctx.archive.load_source_states(self._ctx.home)
        try:
            return (load(Basis, states.pop(BASIS)), states) if BASIS in states else None
        except (KeyError, TypeError, ValueError):
            return None

    async def read(self, source: Source, is_post: Callable[[str], bool], is_over: Callable[[], bool]) -> Listed:
        """Read a source to its end, or until `is_over`: the pages that it lists without saying more.

        What it tells of posts is in the archive after each document, and all URLs in the frontier.
        """
        listed: Listed = {}
        documents = self._ctx.archive.load_source_state(self._ctx.home, source.name).get(DOCUMENTS, [])
        while (url := source.next_url) is not None and not is_over():
            found = source.take(await self.answer(url))
            self.documents += 1
            entries = {identity(entry.url): entry for entry in found.entries if self._is_welcome(entry.url)}
            self.latest = list(entries.values()) or self.latest
            self.days += [entry.published[:10] if entry.published else None for entry in entries.values()]
            pages = [one for one in found.urls if self._is_welcome(one)]
            looking = [one for one in pages if is_post(one)]
            others = [one for one in pages if not is_post(one)][: MOST_CANDIDATES - self._candidates]
            self._candidates += len(others)
            listed.setdefault(url, []).extend([*looking, *others])
            with self._ctx.archive.transaction():
                self._ctx.archive.save_source_entries(self._ctx.home, entries)
                self._add([*(entry.url for entry in entries.values()), *looking], url)
                self._add(others, url)
                self._ctx.frontier.done(url)
                self._ctx.frontier.flush()
                documents += [url] if pages else []
                self._ctx.archive.save_source_state(self._ctx.home, source.name, {**source.state, DOCUMENTS: documents})
        return listed

    def _add(self, urls: Iterable[str], document: str) -> None:
        self._ctx.frontier.add_many([Link(url) for url in urls], found_on=document)

    def _is_welcome(self, url: str) -> bool:
        return self._ctx.scope.covers(url) and is_page_like(url)

    async def answer(self, url: str) -> Answer | None:
        """What a source asks for; None where it cannot be had."""
        try:
            page = await self._ctx.fetcher.get(url)
        except Exception:  # noqa: BLE001  a source that cannot be had is none
            return None
        if not (same_site(page.url, url) or self._ctx.scope.covers(page.url)):
            return None
        headers = {name: ", ".join(values) for name, values in page.headers.items()}
        return Answer(page.url, page.status, page.body, page.content_type, headers)

    def listed_before(self, name: str) -> Listed:
        """The pages that a source without entries brought into the frontier before the process died. O(n) in it."""
        documents = set(map(canonicalise, self._ctx.archive.load_source_state(self._ctx.home, name).get(DOCUMENTS, ())))
        listed: Listed = {}
        for row in self._ctx.frontier.store.load():
            if row["found_on"] in documents:
                listed.setdefault(str(row["found_on"]), []).append(str(row["url"]))
        return listed


def _generators(tree: HtmlElement | None) -> tuple[str, ...]:
    """What a page names as the software that made it."""
    metas = tree.iter("meta") if tree is not None else ()
    named = (meta.get("content") for meta in metas if str(meta.get("name", "")).strip().lower() == "generator")
    return tuple(islice((" ".join(str(text).split())[:200] for text in named if text), 3))
