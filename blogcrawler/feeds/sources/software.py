"""Conventions of blog software for older entries of its feeds, read from data/archives.json.

A line says by which word the software names itself as generator, or on which hosts it runs; and the form of the address
of a further page of the feed: `query` are parameters of the feed's own address, `path` is an address on its host.
Numbers in them: `{page}` counts pages from 1, `{before}` pages before this one; `{index}` is the number of the first
entry from 1, `{offset}` the entries before it; `{size}` the entries that a page shall hold. `{next}` is what the page
before names as the next one; parameters without a value are left out. `list` are JMESPath expressions
for what is in a page that is a list in JSON and no feed. `sitemaps` are places on the host besides the usual
one.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (serialise)
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import urljoin, urlsplit

from w3lib.url import add_or_replace_parameters

from blogcrawler.serialise import load_file, stored_as


@dataclass(frozen=True)
class Software:
    """One line of the table."""

    generators: tuple[str, ...]
    hosts: tuple[str, ...] = ()
    query: Mapping[str, str] | None = None
    path: str | None = None
    size: int | None = None
    #: keys of a page that is a JSON list
    keys: Mapping[str, str] | None = field(default=None, metadata=stored_as("list"))
    sitemaps: tuple[str, ...] = ()

    @property
    def has_pages(self) -> bool:
        """True if its feed has further pages."""
        return self.query is not None or self.path is not None

    @property
    def names_next(self) -> bool:
        """True if each page names the next one."""
        return self.keys is not None and "next" in self.keys

    def page_url(self, feed_url: str, *, page: int, known: int, following: str | None = None) -> str:
        """The address of a page of the feed, the first one being 1, when so many entries are known.

        `following` is what the page before names as the next one.
        """
        values = {
            "page": page,
            "before": page - 1,
            "index": known + 1,
            "offset": known,
            "size": self.size or "",
            "next": following or "",
        }
        if self.path is not None:
            return urljoin(feed_url, self.path.format(**values))
        parameters = {name: value.format(**values) for name, value in (self.query or {}).items()}
        return add_or_replace_parameters(feed_url, {name: value for name, value in parameters.items() if value})


@dataclass(frozen=True)
class _Table:
    software: tuple[Software, ...]
    #: places on any host
    sitemaps: tuple[str, ...]
    #: what names of sitemaps of posts hold
    sitemaps_of_posts: tuple[str, ...]


def software_of(feed_url: str, generators: tuple[str | None, ...]) -> Software | None:
    """The software of a blog, by what its feed and pages name as their generator, or by its host."""
    said = " ".join(name.lower() for name in generators if name)[:400]
    host = (urlsplit(feed_url).hostname or "").lower()
    for line in _table().software:
        if any(word in said for word in line.generators) or host.endswith(tuple(f".{name}" for name in line.hosts)):
            return line
    return None


def usual_sitemaps() -> tuple[str, ...]:
    """Places of the sitemap on any host."""
    return _table().sitemaps


def is_of_posts(name: str) -> bool:
    """True if sitemaps of posts have such a name."""
    return any(word in name.lower() for word in _table().sitemaps_of_posts)


@cache
def _table() -> _Table:
    return load_file(_Table, "blogcrawler.feeds", "archives.json")
