"""What sitemaps say was changed (`lastmod`, https://www.sitemaps.org/protocol.html)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.dates import Moment
from blogcrawler.urls import same_site

from .sitemap import read_sitemap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .model import Answer

MOST_DOCUMENTS = 20
"""Sitemaps that are read."""
FEW = 5
"""Pages that may all be new."""
MOST_CHANGED = 0.5
"""Share of a sitemap's pages above which its times may be those of the sitemap, and not of the pages."""
LEAST_DATED = 0.5
"""Share of its pages that have a time, below which a sitemap tells nothing of changes."""


class ChangedPages:
    """Reads sitemaps, and of those that an index names as many as were changed since a time.

    `is_changed` tells whether a page that has a new time was read before that: where most were, they are doubtful.
    """

    def __init__(
        self, documents: Iterable[str], since: str, is_changed: Callable[[str, str], bool] | None = None
    ) -> None:
        start = Moment.parse_iso(since)
        if start is None:
            raise ValueError(f"{since!r} is no time")
        self._start, self._is_changed = start, is_changed
        self._waiting = list(dict.fromkeys(documents))[:MOST_DOCUMENTS]
        self._seen = set(self._waiting)
        self._read = 0
        #: those that were changed, each with its time (ISO 8601)
        self.pages: dict[str, str] = {}
        #: those of them whose time may be that of the sitemap
        self.doubtful: set[str] = set()
        #: could some documents not be had, that may be there another time?
        self.is_cut = False
        #: do sitemaps tell when pages were changed?
        self.is_dated = False
        #: the pages of those that do not
        self.undated: tuple[str, ...] = ()

    @property
    def next_url(self) -> str | None:
        """The document to fetch."""
        return self._waiting[0] if self._waiting and self._read < MOST_DOCUMENTS else None

    def take(self, answer: Answer | None) -> None:
        """Take in the document that was asked for. O(n)."""
        url = self._waiting.pop(0)
        self._read += 1
        if answer is None or answer.status != 200:
            self.is_cut |= answer is None or not answer.is_gone
            return
        sitemap = read_sitemap(answer.body, answer.url)
        for one, time in sitemap.maps:
            if one not in self._seen and same_site(one, url) and (time is None or self._is_since(time)):
                self._seen.add(one)
                self._waiting.append(one)
        dated = [(page, time) for page, time in sitemap.pages if time is not None]
        if not dated or len(dated) < LEAST_DATED * len(sitemap.pages):
            self.undated += tuple(page for page, _ in sitemap.pages)
            return
        self.is_dated = True
        changed = {page: time for page, time in dated if self._is_since(time)}
        self.pages |= changed
        read = [page for page, time in changed.items() if self._is_changed is None or self._is_changed(page, time)]
        if len(read) > max(FEW, MOST_CHANGED * len(dated)):
            self.doubtful.update(read)

    def _is_since(self, time: str) -> bool:
        moment = Moment.parse_iso(time)
        return moment is not None and not self._start.is_after(moment)
