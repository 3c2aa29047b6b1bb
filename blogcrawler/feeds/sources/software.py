"""Conventions of blog software for further pages of feeds, read from data/archives.json.

A row identifies a software by a word in its generator text, or by its hosts, and states the URL of a further page of
the feed: `query` holds parameters that are added to the feed's URL, `path` is a path on its host. Placeholders:
`{page}` counts pages from 1, `{before}` from 0; `{index}` counts entries from 1, `{offset}` from 0; `{size}` is the
number of entries per page; `{next}` is the value that the page before states for the next page. Parameters without a
value are left out. `list` holds JMESPath expressions for pages that are JSON lists instead of feeds. `sitemaps` are
paths on the host in addition to the usual path.
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
    """A row of the table."""

    generators: tuple[str, ...]
    hosts: tuple[str, ...] = ()
    query: Mapping[str, str] | None = None
    path: str | None = None
    size: int | None = None
    #: JMESPath expressions for a page that is a JSON list
    keys: Mapping[str, str] | None = field(default=None, metadata=stored_as("list"))
    sitemaps: tuple[str, ...] = ()

    @property
    def has_pages(self) -> bool:
        """True if its feed has further pages."""
        return self.query is not None or self.path is not None

    @property
    def names_next(self) -> bool:
        """True if each page states the next one."""
        return self.keys is not None and "next" in self.keys

    def page_url(self, feed_url: str, *, page: int, known: int, following: str | None = None) -> str:
        """URL of a page of the feed, counted from 1; `known` is the number of entries on the pages before.

        `following` is the next page's name as stated by the page before.
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
    #: paths for all hosts
    sitemaps: tuple[str, ...]
    #: parts of names of sitemaps that contain posts
    sitemaps_of_posts: tuple[str, ...]


def software_of(feed_url: str, generators: tuple[str | None, ...]) -> Software | None:
    """The software of a blog, by the generator in its feed and pages, or by its host."""
    said = " ".join(name.lower() for name in generators if name)[:400]
    host = (urlsplit(feed_url).hostname or "").lower()
    for line in _table().software:
        if any(word in said for word in line.generators) or host.endswith(tuple(f".{name}" for name in line.hosts)):
            return line
    return None


def usual_sitemaps() -> tuple[str, ...]:
    """Usual URLs of sitemaps, for all hosts."""
    return _table().sitemaps


def is_of_posts(name: str) -> bool:
    """True if sitemaps of posts have such a name."""
    return any(word in name.lower() for word in _table().sitemaps_of_posts)


@cache
def _table() -> _Table:
    return load_file(_Table, "blogcrawler.feeds", "archives.json")
