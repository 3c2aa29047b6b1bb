"""Read the sources of older posts through the engine, and store their entries, so that a killed crawl resumes there."""

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
"""Name under which the archive keeps a `Basis`, beside the states of the sources."""
DOCUMENTS = "lists"
"""Key in a source's state: the documents that listed posts or pages."""
MOST_CANDIDATES = 5_000
"""Maximum number of pages added to the frontier that a source lists and that do not look like posts."""

Listed = dict[str, list[str]]
"""Listed pages, by the document of the source that lists them."""


@dataclass(frozen=True)
class Basis:
    """What is known about a blog before its sources are read, and from which they start."""

    home: str
    #: None if the blog has no feed; only the URLs of its entries are needed
    feed: Feed | None
    #: known posts, at their own addresses
    known: tuple[str, ...]
    #: software that pages declare as their generator
    generators: tuple[str, ...] = ()
    api_root: str | None = None
    #: sitemaps that robots.txt names
    sitemaps: tuple[str, ...] = ()

    def sources(self, is_post: Callable[[str], bool], seen: Sequence[str] = ()) -> list[Source]:
        """The sources, those that need few requests first. `seen` are posts that were read before."""
        names = (*self.generators, self.feed.generator if self.feed is not None else None)
        guesses = sitemap_guesses(self.home, names)
        available: list[Source] = [WordPressPosts(self.api_root, seen)] if self.api_root else []
        available.append(Sitemaps(self.sitemaps, guesses, is_post=is_post, known=self.known))
        if self.feed is not None:
            archive = FeedArchive(self.feed, self.generators, seen)
            available.insert(0 if archive.is_short else len(available), archive)
        return [source for source in available if source.outcome != "absent"]


class OlderPosts:
    """Reads the listing sources of a blog, and stores the progress. All their URLs become candidates, whether they look
    like posts or not."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        self._candidates = 0
        #: number of documents of all sources that this process has read
        self.documents = 0
        #: entries of the last document that had any
        self.latest: list[Entry] = []
        #: days of the entries that were read; None for an entry without a day
        self.days: list[str | None] = []

    async def begin(self, discovery: Discovery, pages: Sequence[Page]) -> None:
        """Store the data from which the sources start: from the feed, the start page, a post's page and robots.txt."""
        ctx, feed, is_feed = self._ctx, discovery.feed, discovery.feed.kind != "synthetic"
        start = discovery.start if discovery.start is not None and discovery.start.status == 200 else None
        named = [(page, tree_of(page)) for page in (start, *pages[:1]) if page is not None]
        roots = ((api_root(tree, page.url, page.headers.get("link", ())), page.url) for page, tree in named)
        basis = Basis(
            home=ctx.home,
            feed=replace(feed, entries=tuple(Entry(entry.url) for entry in feed.entries)) if is_feed else None,
            known=tuple(page.url for page in pages),
            generators=tuple(name for _, tree in named for name in _generators(tree)),
            api_root=next((root for root, url in roots if root is not None and same_site(root, url)), None),
            sitemaps=await ctx.fetcher.robots_sitemaps(ctx.home),
        )
        ctx.archive.save_source_state(ctx.home, BASIS, dump(basis))

    def kept(self) -> tuple[Basis, dict[str, dict[str, Any]]] | None:
        """The basis that `begin` stored, and the states of the sources; None if there is nothing to resume."""
        states = self._ctx.archive.load_source_states(self._ctx.home)
        try:
            return (load(Basis, states.pop(BASIS)), states) if BASIS in states else None
        except (KeyError, TypeError, ValueError):
            return None

    async def read(self, source: Source, is_post: Callable[[str], bool], is_over: Callable[[], bool]) -> Listed:
        """Read a source to its end, or until `is_over`; returns the pages that it lists without further data.

        After each document, its entries are in the archive and all its URLs are in the frontier.
        """
        listed: Listed = {}
        documents = self._ctx.archive.load_source_state(self._ctx.home, source.name).get(DOCUMENTS, [])
        while (url := source.next_url) is not None and not is_over():
            document = source.take(await self.answer(url))
            self.documents += 1
            entries = {identity(entry.url): entry for entry in document.entries if self._is_welcome(entry.url)}
            self.latest = list(entries.values()) or self.latest
            self.days += [entry.published[:10] if entry.published else None for entry in entries.values()]
            pages = [address for address in document.urls if self._is_welcome(address)]
            looking = [address for address in pages if is_post(address)]
            others = [address for address in pages if not is_post(address)][: MOST_CANDIDATES - self._candidates]
            self._candidates += len(others)
            listed.setdefault(url, []).extend([*looking, *others])
            with self._ctx.archive.transaction():
                self._ctx.archive.save_source_entries(self._ctx.home, entries)
                self._add([*(entry.url for entry in entries.values()), *looking], url)
                self._add(others, url)
                self._ctx.frontier.done(url)
                self._ctx.frontier.flush()
                documents += [url] if pages or entries else []
                self._ctx.archive.save_source_state(self._ctx.home, source.name, {**source.state, DOCUMENTS: documents})
        return listed

    def _add(self, urls: Iterable[str], document: str) -> None:
        self._ctx.frontier.add_many([Link(url) for url in urls], found_on=document)

    def _is_welcome(self, url: str) -> bool:
        return self._ctx.scope.covers(url) and is_page_like(url)

    async def answer(self, url: str) -> Answer | None:
        """The answer for a source's request; None if it cannot be fetched."""
        try:
            page = await self._ctx.fetcher.get(url)
        except Exception:  # noqa: BLE001 - a source that cannot be fetched counts as missing
            return None
        if not (same_site(page.url, url) or self._ctx.scope.covers(page.url)):
            return None
        headers = {name: ", ".join(values) for name, values in page.headers.items()}
        return Answer(page.url, page.status, page.body, page.content_type, headers)

    def listed_before(self, name: str) -> Listed:
        """The pages that a source without entries added to the frontier in an earlier run. O(n) in the frontier."""
        documents = set(map(canonicalise, self._ctx.archive.load_source_state(self._ctx.home, name).get(DOCUMENTS, ())))
        listed: Listed = {}
        for row in self._ctx.frontier.store.load():
            if row["found_on"] in documents:
                listed.setdefault(str(row["found_on"]), []).append(str(row["url"]))
        return listed


def _generators(tree: HtmlElement | None) -> tuple[str, ...]:
    """The software that a page declares as its generator."""
    metas = tree.iter("meta") if tree is not None else ()
    named = (meta.get("content") for meta in metas if str(meta.get("name", "")).strip().lower() == "generator")
    return tuple(islice((" ".join(str(text).split())[:200] for text in named if text), 3))
