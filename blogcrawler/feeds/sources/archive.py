"""Reads the archive of a feed: its older entries, on further pages of the feed.

A feed links to its further pages (RFC 5005: `prev-archive` and `next`; JSON Feed: `next_url`), or its software is known
to have such pages (`software`). URLs of the latter kind are guesses, and some servers respond to any URL. So a method
counts only if it returned older entries, and it ends at a page without new entries.
"""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from blogcrawler.errors import NotAFeed
from blogcrawler.feeds.jsonfeed import json_page
from blogcrawler.feeds.parse import parse_feed
from blogcrawler.urls import identities, identity, same_site

from .model import Answer, Found, Outcome, take_new
from .software import software_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from blogcrawler.feeds.model import Feed

MOST_DOCUMENTS = 2_000
"""Maximum number of documents of an archive, enough for a blog with 20,000 posts at ten per page."""
MOST_ENTRIES = 200_000
BARREN = 3
"""Number of consecutive documents without a new entry after which links are no longer followed: monthly archives
overlap with the feed."""
FEW = 2
"""An archive with at most this many requests is read before a sitemap."""

Way = Literal["prev-archive", "next", "software"]


@dataclass
class _Progress:
    """Progress of reading the archive."""

    way: Way | None = None
    #: URL of the next document
    url: str | None = None
    #: number of that page, if the software counts pages
    page: int = 1
    #: number of documents read so far
    documents: int = 0
    #: number of consecutive documents without new entries
    barren: int = 0
    #: number of entries on all pages so far
    known: int = 0
    #: number of new entries by the current method
    brought: int = 0


class FeedArchive:
    """Reads the further pages of a feed; see `model.Source`.

    `generators` are the software names on the blog's pages, in addition to the feed's own. `seen` are URLs of entries
    that are already known from an earlier part of the archive.
    """

    name = "feed archive"

    def __init__(self, feed: Feed, generators: Iterable[str | None] = (), seen: Iterable[str] = ()) -> None:
        self.total = feed.total
        self.outcome: Outcome = "reading"
        self._feed = feed
        self._software = software_of(feed.url, (feed.generator, *generators))
        self._seen = set(identities([*(entry.url for entry in feed.entries), *seen]))
        self._visited = {feed.url}
        self._progress = _Progress(known=len(feed.entries) + feed.dropped)
        self._ways: deque[tuple[Way, str]] = deque(self._ways_of(feed))
        if feed.is_complete or (feed.total is not None and 0 < feed.total <= self._progress.known):
            self.outcome = "whole"
        else:
            self._claim_next_way()

    @property
    def next_url(self) -> str | None:
        return self._progress.url if self.outcome == "reading" else None

    @property
    def is_short(self) -> bool:
        """True if the archive needs few requests, as far as is known."""
        if self.outcome != "reading" or self.total is None:
            return self.outcome == "whole"
        size = max(self._progress.known, (self._software.size or 0) if self._software is not None else 0)
        return self.total - self._progress.known <= FEW * size

    @property
    def state(self) -> dict[str, Any]:
        ways = [list(way) for way in self._ways]
        return {"progress": asdict(self._progress), "ways": ways, "outcome": self.outcome, "total": self.total}

    def resume(self, state: Mapping[str, Any]) -> None:
        self._progress = _Progress(**state["progress"])
        self._ways = deque((way, url) for way, url in state["ways"])
        self.outcome, self.total = state["outcome"], state["total"]
        if self._progress.url is not None:
            self._visited.add(self._progress.url)

    def _ways_of(self, feed: Feed) -> list[tuple[Way, str]]:
        """Methods to get older entries, best first: large pages, links, the software's numbered pages."""
        software: list[tuple[Way, str]] = []
        if self._software is not None and self._software.has_pages:
            software.append(("software", self._page_url(feed, 2)))
        links: list[tuple[Way, str | None]] = [("prev-archive", feed.prev_archive), ("next", feed.next_url)]
        linked = [(way, url) for way, url in links if url is not None and self._is_own(url)]
        is_large = self._software is not None and (self._software.size or 0) > 2 * len(feed.entries)
        return [*software, *linked] if is_large else [*linked, *software]

    def _page_url(self, feed: Feed, page: int, following: str | None = None) -> str:
        assert self._software is not None
        return self._software.page_url(feed.url, page=page, known=self._progress.known, following=following)

    @property
    def _is_counted(self) -> bool:
        """True if pages are requested by number while they have entries, and no page links to the next one."""
        return self._progress.way == "software" and self._software is not None and not self._software.names_next

    def _is_own(self, url: str) -> bool:
        return same_site(url, self._feed.url) or (self._feed.home is not None and same_site(url, self._feed.home))

    def _claim_next_way(self) -> None:
        """Try the next method; if none is left, the feed has no archive."""
        if not self._ways:
            self.outcome = "absent"
            return
        way, url = self._ways.popleft()
        known = len(self._feed.entries) + self._feed.dropped
        self._progress = _Progress(way, url, page=2, documents=self._progress.documents, known=known)
        self._visited.add(url)

    def take(self, answer: Answer | None) -> Found:
        """Return the new entries of a document."""
        self._progress.documents += 1
        if answer is None or (answer.status != 200 and not answer.is_gone):
            self._break_off()
            return Found()
        page = self._read(answer)
        if page is not None and self._is_of_another(page):
            self._break_off()
            return Found()
        if page is None or not page.entries:
            # a linked document must exist; a page after the last one need not
            is_end = page is not None or self._progress.way == "software"
            self._end() if is_end else self._break_off()
            return Found()
        fresh = take_new(page.entries, self._seen)
        self._progress.known += len(page.entries) + page.dropped
        self._progress.brought += len(fresh)
        self._progress.barren = 0 if fresh else self._progress.barren + 1
        if page.total is not None:
            self.total = page.total
        self._go_on(page, is_barren=not fresh)
        return Found(fresh)

    def _read(self, answer: Answer) -> Feed | None:
        if answer.status != 200:
            return None
        if self._progress.way == "software" and self._software is not None and self._software.keys is not None:
            return json_page(answer.body, answer.url, self._software.keys)
        try:
            return parse_feed(answer.body, answer.url, answer.content_type)
        except NotAFeed:
            return None

    def _is_of_another(self, page: Feed) -> bool:
        """True if a document is the feed of another blog, with another title and home page."""
        titles, homes = (self._feed.title, page.title), (self._feed.home, page.home)
        if not all(titles) or titles[0] == titles[1] or homes[0] is None or homes[1] is None:
            return False
        return identity(homes[0]) != identity(homes[1])

    def _go_on(self, page: Feed, *, is_barren: bool) -> None:
        if self._progress.documents >= MOST_DOCUMENTS or len(self._seen) >= MOST_ENTRIES:
            self.outcome = "partial"
            return
        if is_barren and (self._is_counted or self._progress.barren >= BARREN):
            self._end()
            return
        url = self._following(page)
        if url is None or url in self._visited or not self._is_own(url):
            self._end()
            return
        self._visited.add(url)
        self._progress.url = url

    def _following(self, page: Feed) -> str | None:
        if self._progress.way == "prev-archive":
            return page.prev_archive
        if self._progress.way == "next":
            return page.next_url
        self._progress.page += 1
        if not self._is_counted and page.next_url is None:
            return None
        return self._page_url(self._feed, self._progress.page, page.next_url)

    def _end(self) -> None:
        """End the current method, and the archive if the method returned entries."""
        if not self._progress.brought:
            self._claim_next_way()
            return
        is_short = self.total is not None and self._progress.known < self.total
        self.outcome = "partial" if is_short else "whole"

    def _break_off(self) -> None:
        if self._progress.brought:
            self.outcome = "partial"
        else:
            self._claim_next_way()
