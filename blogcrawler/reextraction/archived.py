"""The pages of a blog's posts as crawls have fetched them, and what a feed has said of the posts."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.backend.warc import KeptBodies
from blogcrawler.crawl.sessions import Sessions
from blogcrawler.dom import MAX_PAGES, further_pages, links, parse_page
from blogcrawler.errors import DamagedCapture, NotAWebPage
from blogcrawler.items import Entry, Page
from blogcrawler.pipelines.content import ENTRY_FIELDS, FEED_CONFIDENCE, LIST_PAGE
from blogcrawler.pipelines.warc import VIEW
from blogcrawler.routes import out_of_path
from blogcrawler.urls import identity, routed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lxml.html import HtmlElement

    from blogcrawler.backend import Archive
    from blogcrawler.backend.warc import KeptBody
    from blogcrawler.items import Record

NOT_KEPT = (
    "The archive has no page of {url}, since it was fetched without WARC files (WARC=False); crawl newcrawl fetches it "
    "again."
)


class ArchivedPages:
    """Those of one blog. `warcs` is the folder of WARC files, if there is one.

    Without these there are the pages that the wrapper was learned from, as long as the posts say what they said there.
    """

    def __init__(self, archive: Archive, home: str, warcs: Path | None) -> None:
        self._archive, self._home = archive, home
        self._bodies = KeptBodies(warcs) if warcs is not None and warcs.is_dir() else None
        self._sessions = Sessions.kept_of(archive, home)
        self._training: dict[str, Page] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files."""
        if self._bodies is not None:
            self._bodies.close()

    def page(self, record: Record) -> Page:
        """The page that a record was made from. Raises DamagedCapture where there is none."""
        origin, url = record.provenance, routed(record.url)
        if origin.warc is not None and self._bodies is not None:
            page = self._page(self._bodies.at(origin.warc), url, origin.fetched, origin.warc)
            if hashlib.sha256(page.body).hexdigest() != origin.sha256:
                page = self._sessions.inward(page, url)
            return page
        kept = self._taught().get(identity(url))
        if kept is None or hashlib.sha256(kept.body).hexdigest() != origin.sha256:
            raise DamagedCapture(NOT_KEPT.format(url=record.url), url=record.url)
        return kept

    def more_pages(self, page: Page, tree: HtmlElement) -> tuple[Page, ...]:
        """The further pages of an article that is spread over several, as far as they are kept."""
        return tuple(self._more_pages(page, tree)) if self._bodies is not None else ()

    def _more_pages(self, page: Page, tree: HtmlElement) -> Iterator[Page]:
        waiting, known = further_pages(links(tree, page.url), page.url), {identity(page.url)}
        while waiting and len(known) < MAX_PAGES:
            url = waiting.pop(0)
            found = self._last(url, is_view=page.is_rendered) if identity(url) not in known else None
            known.add(identity(url))
            if found is None:
                continue
            try:
                more = parse_page(found)
            except NotAWebPage:
                continue
            waiting += further_pages(links(more, found.url), page.url)
            yield found

    def _last(self, url: str, *, is_view: bool) -> Page | None:
        """The last capture of an address."""
        assert self._bodies is not None
        body = self._bodies.of(VIEW + url) if is_view else None
        body = body or self._bodies.of(out_of_path(url))
        return None if body is None else self._sessions.inward(self._page(body, url, None, None), url)

    @staticmethod
    def _page(body: KeptBody, url: str, fetched: str | None, place: str | None) -> Page:
        return Page(url, body.body, body.content_type, body.status, fetched, is_rendered=body.is_view, warc=place)

    def _taught(self) -> dict[str, Page]:
        if self._training is None:
            pages = self._archive.load_training_pages(self._home)
            self._training = {identity(page.url): page for page, _ in pages}
        return self._training


def entry_of(record: Record) -> Entry | None:
    """The entry of a record's fields that a feed has told, or a list; None where none was. O(1).

    The author of all entries of a feed is no entry's own, and is left out.
    """
    sources = record.provenance.fields
    listed = any(one.source == "fallback" and one.rule == LIST_PAGE for one in sources.values())
    told: dict[str, Any] = {}
    for name in ENTRY_FIELDS:
        one = sources.get(name)
        is_told = one is not None and one.source == "feed" and one.confidence >= FEED_CONFIDENCE
        is_listed = one is not None and one.source == "fallback" and one.rule == LIST_PAGE
        if is_listed if listed else is_told:
            value = getattr(record, name)
            told[name] = tuple(value) if isinstance(value, list) else value
    content = sources.get("content")
    if content is not None and content.source == "feed":
        told |= {"content_html": record.content_html, "is_summary": content.confidence < FEED_CONFIDENCE}
    if not told and record.guid is None:
        return None
    count = None if listed else record.comment_count
    return Entry(record.url, record.guid, comment_count=count, is_synthetic=listed, **told)
