"""Reads a site's sitemaps: from robots.txt or usual URLs, through index files, to the pages.

Index files group sitemaps by kind (posts, pages, categories), and by number or month. Sitemaps whose URLs differ only
in digits are of the same kind. The first and the last sitemap of a kind show whether it has posts; the others of a kind
without posts are not fetched, nor are other kinds once a kind has all known posts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from blogcrawler.routes import is_routed
from blogcrawler.serialise import dump, load
from blogcrawler.urls import identities, same_site

from .model import Answer, Found, Outcome
from .sitemap import Sitemap, read_sitemap
from .software import is_of_posts, software_of, usual_sitemaps
from .spelling import Spelling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

MOST_DOCUMENTS = 300
"""Maximum number of sitemaps that are fetched per site."""
MOST_URLS = 200_000
"""Maximum number of pages that are taken from them."""
MOST_WAITING = 2_000
MOST_NAMED = 8
"""Maximum number of sitemaps that are taken from a robots.txt."""
MAX_DEPTH = 3
"""Maximum depth of index files."""
SAMPLES = 2
"""Number of sitemaps of a kind that show whether it has posts."""
MOST_WITHOUT_PAGES = 4
"""Number of consecutive index files after which a site's sitemaps are considered endless."""
_DIGITS = re.compile(r"\d+")


def sitemap_guesses(home: str, generators: Iterable[str | None] = ()) -> list[str]:
    """Likely URLs of a blog's sitemap: in its own folder, at the top of its site, and those of its software."""
    software = software_of(home, tuple(generators))
    usual = usual_sitemaps()
    folder = home.partition("?")[0].rpartition("/")[0]
    is_below = bool(urlsplit(home).path.rpartition("/")[0].strip("/"))
    own = [f"{folder}{path}" for path in usual] if is_below else []
    return list(
        dict.fromkeys([*own, *(urljoin(home, path) for path in (*usual, *(software.sitemaps if software else ())))])
    )


@dataclass
class _Waiting:
    """A sitemap to be fetched."""

    url: str
    depth: int = 0
    #: True if the URL is a guess and may not exist
    is_guess: bool = False


@dataclass
class _Kind:
    """The sitemaps of one kind."""

    read: int = 0
    #: pages that look like posts
    posts: int = 0
    #: the known posts that are not among them (as `urls.identity`)
    missing: list[str] = field(default_factory=list)


@dataclass
class _Progress:
    """Progress of reading a site's sitemaps."""

    waiting: list[_Waiting]
    kinds: dict[str, _Kind] = field(default_factory=dict)
    documents: int = 0
    urls: int = 0
    is_broken: bool = False
    #: kinds whose sitemaps list further sitemaps of their own kind instead of pages
    endless: set[str] = field(default_factory=set)
    without_pages: int = 0
    spelling: Spelling | None = None


class Sitemaps:
    """Reads the sitemaps of a site; see `model.Source`.

    `named` are the sitemaps in robots.txt; if they have no pages, the URLs in `guesses` are tried one after another.
    `is_post` tests whether a URL looks like a post's; `known` are posts that a sitemap of posts should contain.
    """

    name = "sitemap"

    def __init__(
        self,
        named: Iterable[str],
        guesses: Iterable[str],
        *,
        is_post: Callable[[str], bool] = lambda _: True,
        known: Iterable[str] = (),
    ) -> None:
        self.total: int | None = None
        self.outcome: Outcome = "reading"
        starts = list(dict.fromkeys(named))[:MOST_NAMED]
        tried = [_Waiting(url, is_guess=True) for url in dict.fromkeys(guesses) if url not in starts]
        self._progress = _Progress([*map(_Waiting, starts), *tried])
        self._is_post = is_post
        self._known_urls = tuple(known)
        self._known = list(dict.fromkeys(identities(self._known_urls)))
        self._visited = {waiting_sitemap.url for waiting_sitemap in self._progress.waiting}
        self._settle()

    @property
    def next_url(self) -> str | None:
        return self._progress.waiting[0].url if self.outcome == "reading" else None

    @property
    def missing(self) -> list[str]:
        """The known posts that the best kind does not contain (as `urls.identity`)."""
        read = [kind.missing for kind in self._progress.kinds.values() if kind.read]
        return min(read, key=len, default=self._known)

    @property
    def state(self) -> dict[str, Any]:
        return {**dump(self._progress), "outcome": self.outcome}

    def resume(self, state: Mapping[str, Any]) -> None:
        self._progress, self.outcome = load(_Progress, state), state["outcome"]
        self._visited = {waiting_sitemap.url for waiting_sitemap in self._progress.waiting}

    def take(self, answer: Answer | None) -> Found:
        """Return the pages of a sitemap; it may also list further sitemaps."""
        requested = self._progress.waiting.pop(0)
        self._progress.documents += 1
        new = Found()
        if answer is None or answer.status != 200:
            # a sitemap in robots.txt may be outdated; one in an index should exist
            self._progress.is_broken |= (
                requested.depth > 0 or answer is None or not (answer.is_gone or requested.is_guess)
            )
        else:
            self._visited.add(answer.url)
            sitemap = read_sitemap(answer.body, answer.url, has_routes=any(map(is_routed, self._known_urls)))
            self._progress.is_broken |= requested.depth > 0 and not sitemap.is_sitemap
            if sitemap.pages or sitemap.maps:
                self._progress.waiting = [
                    waiting_sitemap for waiting_sitemap in self._progress.waiting if not waiting_sitemap.is_guess
                ]
            self._note_index(requested, sitemap)
            has_maps = self._add([url for url, _ in sitemap.maps], requested)
            new = Found(urls=self._respelled(self._newest_first(sitemap.pages)))
            if new.urls or not has_maps:
                self._learn_kind(requested.url, new.urls)
        self._settle()
        return new

    def _note_index(self, requested: _Waiting, sitemap: Sitemap) -> None:
        """Count consecutive index files; those that list index files of their own kind never end."""
        is_index = bool(sitemap.maps) and not sitemap.pages
        self._progress.without_pages = self._progress.without_pages + 1 if is_index else 0
        own = _form(requested.url)
        if is_index and requested.depth and any(_form(url) == own and url != requested.url for url, _ in sitemap.maps):
            self._progress.endless.add(own)

    def _respelled(self, pages: tuple[str, ...]) -> tuple[str, ...]:
        progress = self._progress
        progress.spelling = progress.spelling or Spelling.learn(pages, self._known_urls)
        return pages if progress.spelling is None else tuple(dict.fromkeys(map(progress.spelling.applied, pages)))

    def _newest_first(self, pages: Sequence[tuple[str, str | None]]) -> tuple[str, ...]:
        room = MOST_URLS - self._progress.urls
        if len(pages) > room:
            self._progress.is_broken = True
        if all(lastmod for _, lastmod in pages):
            pages = sorted(pages, key=lambda page: page[1] or "", reverse=True)
        self._progress.urls += min(room, len(pages))
        return tuple(url for url, _ in pages[:room])

    def _add(self, maps: Sequence[str], index: _Waiting) -> bool:
        """Add the sitemaps of an index: those of posts first; of each kind, the first and the last sitemap first.

        Returns False if none of them is new.
        """
        kinds: dict[str, list[str]] = {}
        for url in maps:
            if url not in self._visited and same_site(url, index.url):
                kinds.setdefault(_kind(url), []).append(url)
        if kinds and index.depth >= MAX_DEPTH:
            self._progress.is_broken = True
            return False
        ordered = [urls for name, urls in sorted(kinds.items(), key=lambda item: not is_of_posts(_name(item[0])))]
        for urls in ordered:
            for url in [*urls[:1], *urls[1:][-1:], *urls[1:-1]]:
                if len(self._progress.waiting) >= MOST_WAITING:
                    self._progress.is_broken = True
                    return True
                self._visited.add(url)
                self._progress.waiting.append(_Waiting(url, index.depth + 1))
        return bool(kinds)

    def _learn_kind(self, url: str, pages: Sequence[str]) -> None:
        kind = self._progress.kinds.setdefault(_kind(url), _Kind(missing=self._known))
        identities_found = set(identities(pages))
        kind.read += 1
        kind.posts += sum(map(self._is_post, pages))
        kind.missing = [key for key in kind.missing if key not in identities_found]

    def _settle(self) -> None:
        """Skip what need not be read, and return True if anything is left to read."""
        if self._progress.without_pages >= MOST_WITHOUT_PAGES:
            self._progress.is_broken = True
            self._progress.waiting = [
                waiting_sitemap for waiting_sitemap in self._progress.waiting if waiting_sitemap.is_guess
            ]
            self._progress.without_pages = 0
        while self._progress.waiting and self._is_needless(self._progress.waiting[0]):
            self._progress.waiting.pop(0)
        if self._progress.waiting and self._progress.documents < MOST_DOCUMENTS and self._progress.urls < MOST_URLS:
            return
        if not self._progress.urls:
            self.outcome = "absent"
        else:
            self.outcome = "partial" if self._progress.is_broken or self._progress.waiting else "whole"

    def _is_needless(self, waiting_sitemap: _Waiting) -> bool:
        if _form(waiting_sitemap.url) in self._progress.endless:
            self._progress.is_broken = True
            return True
        name = _kind(waiting_sitemap.url)
        kind = self._progress.kinds.get(name)
        if kind is not None and kind.read >= SAMPLES and not kind.posts:
            return True
        covering = {
            other
            for other, counts in self._progress.kinds.items()
            if counts.read and counts.posts and not counts.missing
        }
        return bool(self._known) and bool(covering) and name not in covering


def _kind(url: str) -> str:
    """A URL without its digits."""
    return _DIGITS.sub("0", url)


def _form(url: str) -> str:
    """A URL with its digits replaced: equal for 2021 and 2022, different for 2021 and 202101."""
    return re.sub(r"\d", "0", url)


def _name(url: str) -> str:
    return url.rpartition("/")[2]
