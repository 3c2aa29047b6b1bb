"""Finds the blogs of a collection by what its index lists: feeds, and permalinks with dates.

Captures come in the order of their SURT keys, so those of a folder are neighbours. The search holds the folders above
the current page only, and decides about each folder when it leaves it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import groupby, takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from blogcrawler.sources.index import IndexedCapture

_MOST_FEEDS = 5
"""Feeds that are named for each blog."""
_DEEPEST = 12
_HTML = {"text/html", "application/xhtml+xml"}
_ANSWERED = {0, 200}
_SERIES = 2
"""Permalinks that make a series, which is evidence of a blog without a feed."""
_PERMALINK = re.compile(
    r"/(?:(?:19[89]|20\d)\d(?:/(?:0?[1-9]|1[0-2]|[a-z]{3,9}))?(?:/[0-3]?\d)?/(?!page/|feed/)(?=[^/?]*[a-z_])[^/?]+/?$"
    r"|(?=[^/?]*(?<!\d)(?:19[89]|20\d)\d([-_.]?)(?:0[1-9]|1[0-2])\1[0-3]\d(?!\d))[^/?]+(?:/[^/?]*)?$)"
)
_YEAR = re.compile(r"/(?:19[89]|20\d)\d/")
_LIST_PAGE = re.compile(r"/(?:comment-)?page[/-]\d+$")


@dataclass(frozen=True)
class FoundBlog:
    """A blog in a collection, and the evidence of it."""

    #: of the folder that holds it; the home page if it was captured
    url: str
    #: captures of all addresses in this folder that belong to no other blog
    captures: int
    #: distinct pages whose addresses have a date, as permalinks of posts do
    dated_pages: int
    #: addresses of some of its feeds
    feeds: tuple[str, ...]
    first_year: int
    last_year: int


@dataclass
class _Folder:
    """What was seen in a folder so far."""

    url: str
    captures: int = 0
    #: time numbers of the first and last capture
    first: int = 99999999999999
    last: int = 0
    pages: int = 0
    #: distinct pages with dates in this folder and below it
    dated_pages: int = 0
    #: those whose date is right below this folder, as in /ann/2014/05/a-post below /ann
    series: int = 0
    feeds: dict[str, None] = field(default_factory=dict)
    #: of folders below that hold no other page, such as the feeds of a post's comments
    feeds_below: dict[str, None] = field(default_factory=dict)
    #: folders below that are blogs unless this one is one
    undecided: list[_Folder] = field(default_factory=list)

    @property
    def is_blog(self) -> bool:
        return bool(self.feeds) or self.series >= _SERIES

    def add(self, below: Self) -> None:
        """Count what was seen in a folder below."""
        self.captures += below.captures
        self.first, self.last = min(self.first, below.first), max(self.last, below.last)
        self.pages += below.pages
        self.dated_pages += below.dated_pages

    def found(self) -> FoundBlog:
        return FoundBlog(
            self.url, self.captures, self.dated_pages, tuple(self.feeds), self.first // 10**10, self.last // 10**10
        )


def find_blogs(captures: Iterable[IndexedCapture], feed_depth: Callable[[str, str], int | None]) -> Iterator[FoundBlog]:
    """The blogs of a collection, in the order of their SURT keys.

    A folder, or a whole host, is a blog if it has a feed, or at least two pages with dates in their addresses. A folder
    below a blog is another one if it has both, as on platforms with a blog in each folder; otherwise it is a part.

    `captures` must be in the order of keys and times. `feed_depth` returns how many folders above the pages of a feed
    there are (0: the feed is about the whole host), by the feed's address and media type; None for other addresses.
    O(n), in memory for the folders above a page and for the blogs of a host.
    """
    folders: list[_Folder] = []
    names: list[str] = []
    for key, group in groupby(captures, key=attrgetter("key")):
        page = list(group)
        host, _, path = key.partition(")")
        own = [host, *path.partition("?")[0].split("/")[1:-1][:_DEEPEST]]
        if own != names:
            shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, names, strict=False)))
            yield from _leave(folders, shared)
            folders += [_Folder(_folder_url(page[0].url, depth)) for depth in range(shared, len(own))]
            names = own
        _count(folders, path, page, feed_depth)
    yield from _leave(folders, 0)


def _count(
    folders: list[_Folder], path: str, page: list[IndexedCapture], feed_depth: Callable[[str, str], int | None]
) -> None:
    """Count the captures of one address in its folder, which is the last one."""
    folder = folders[-1]
    folder.captures += len(page)
    folder.first, folder.last = min(folder.first, page[0].time), max(folder.last, page[-1].time)
    answered = [capture for capture in page if capture.status in _ANSWERED]
    if any(capture.mime in _HTML for capture in answered):
        permalink = _PERMALINK.search(path)
        folder.pages += not _LIST_PAGE.search(path)
        folder.dated_pages += permalink is not None
        if permalink is not None and not _YEAR.search(path, 0, permalink.start() + 1):
            folders[min(path.count("/", 0, permalink.start()), len(folders) - 1)].series += 1
    elif answered and (depth := feed_depth(answered[-1].url, answered[-1].mime)) is not None:
        feeds = folders[min(depth, len(folders) - 1)].feeds
        if len(feeds) < _MOST_FEEDS:
            feeds[answered[-1].url] = None


def _leave(folders: list[_Folder], kept: int) -> Iterator[FoundBlog]:
    """Leave all folders but the first ones, and return the blogs that are certain then."""
    while len(folders) > kept:
        folder = folders.pop()
        if folder.is_blog:
            for part in folder.undecided:
                folder.add(part)
            folder.undecided.clear()
        if not folders:
            folder.feeds = folder.feeds if folder.is_blog or folder.undecided else folder.feeds_below
            yield from (one.found() for one in ([folder] if folder.is_blog else folder.undecided))
        elif folder.feeds and folder.series:
            yield folder.found()
        elif folder.is_blog and folder.pages:
            folders[-1].undecided.append(folder)
        else:
            folders[-1].add(folder)
            folders[-1].undecided += folder.undecided
            if len(folders[0].feeds_below) < _MOST_FEEDS:
                folders[0].feeds_below |= folder.feeds


def _folder_url(url: str, depth: int) -> str:
    """The address of the folder at a depth (0: the host) above a page."""
    scheme, _, rest = url.partition("://")
    segments = re.split("[?#]", rest, maxsplit=1)[0].split("/")
    return f"{scheme}://{'/'.join(segments[: depth + 1])}/"
