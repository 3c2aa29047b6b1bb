"""The archived pages of a blog's posts, and the field values that came from its feed."""

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
    "The archive has no page of {url}, since it was fetched without WARC files (WARC=False); newcrawl fetches it again."
)


class ArchivedPages:
    """The archived pages of one blog. `warcs` is the folder of WARC files, if there is one.

    Without WARC files, only the pages that the wrapper was learned from are available, and only while their posts are
    unchanged.
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
        if self._bodies is not None:
            self._bodies.close()

    def page(self, record: Record) -> Page:
        """Return the page from which a record was made. Raises DamagedCapture if it is not archived."""
        origin, url = record.provenance, routed(record.url)
        if origin.warc is not None and self._bodies is not None:
            page = self._page(self._bodies.at(origin.warc), url, origin.fetched, origin.warc)
            if hashlib.sha256(page.body).hexdigest() != origin.sha256:
                page = self._sessions.inward(page, url)
            return page
        training_page = self._training_pages().get(identity(url))
        if training_page is None or hashlib.sha256(training_page.body).hexdigest() != origin.sha256:
            raise DamagedCapture(NOT_KEPT.format(url=record.url), url=record.url)
        return training_page

    def more_pages(self, page: Page, tree: HtmlElement) -> tuple[Page, ...]:
        """Yield the archived further pages of a paginated article."""
        return tuple(self._more_pages(page, tree)) if self._bodies is not None else ()

    def _more_pages(self, page: Page, tree: HtmlElement) -> Iterator[Page]:
        waiting, visited = further_pages(links(tree, page.url), page.url), {identity(page.url)}
        while waiting and len(visited) < MAX_PAGES:
            url = waiting.pop(0)
            page_found = self._last(url, is_view=page.is_rendered) if identity(url) not in visited else None
            visited.add(identity(url))
            if page_found is None:
                continue
            try:
                tree_found = parse_page(page_found)
            except NotAWebPage:
                continue
            waiting += further_pages(links(tree_found, page_found.url), page.url)
            yield page_found

    def _last(self, url: str, *, is_view: bool) -> Page | None:
        """Return the latest capture of a URL."""
        assert self._bodies is not None
        body = self._bodies.of(VIEW + url) if is_view else None
        body = body or self._bodies.of(out_of_path(url))
        return None if body is None else self._sessions.inward(self._page(body, url, None, None), url)

    @staticmethod
    def _page(body: KeptBody, url: str, fetched: str | None, place: str | None) -> Page:
        return Page(url, body.body, body.content_type, body.status, fetched, is_rendered=body.is_view, warc=place)

    def _training_pages(self) -> dict[str, Page]:
        if self._training is None:
            pages = self._archive.load_training_pages(self._home)
            self._training = {identity(page.url): page for page, _ in pages}
        return self._training


def entry_of(record: Record) -> Entry | None:
    """The fields of a record that came from a feed or a list, as a feed entry; None if no field did. O(1).

    An author that all entries of the feed share is left out, since it says nothing about the post.
    """
    sources = record.provenance.fields
    listed = any(source.source == "fallback" and source.rule == LIST_PAGE for source in sources.values())
    values: dict[str, Any] = {}
    for name in ENTRY_FIELDS:
        source = sources.get(name)
        is_from_feed = source is not None and source.source == "feed" and source.confidence >= FEED_CONFIDENCE
        is_from_list = source is not None and source.source == "fallback" and source.rule == LIST_PAGE
        if is_from_list if listed else is_from_feed:
            value = getattr(record, name)
            values[name] = tuple(value) if isinstance(value, list) else value
    content = sources.get("content")
    if content is not None and content.source == "feed":
        values |= {"content_html": record.content_html, "is_summary": content.confidence < FEED_CONFIDENCE}
    if not values and record.guid is None:
        return None
    count = None if listed else record.comment_count
    return Entry(record.url, record.guid, comment_count=count, is_synthetic=listed, **values)
