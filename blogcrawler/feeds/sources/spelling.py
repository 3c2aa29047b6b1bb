"""Learns the differences between the URLs in a sitemap and the site's own URLs.

Some generators write another scheme or host than the site's current one, omit the final slash, double a slash, or add
index.html. The site redirects such URLs, or responds to both. The differences found at known posts are applied to all
URLs of the sitemap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_INDEX = re.compile(r"index\.(?:html?|php)", re.IGNORECASE)


@dataclass(frozen=True)
class Spelling:
    """How a site writes the URLs of its pages."""

    scheme: str
    netloc: str
    #: the end of a URL, after the last folder: "", "/" or "/index.html"
    ending: str

    @classmethod
    def learn(cls, listed: Sequence[str], known: Iterable[str]) -> Spelling | None:
        """Learn the spelling from known posts: their own URLs, and those in a list. None if they agree.

        Also None if no single spelling explains all of them. O(n).
        """
        own = {_loose(url): url for url in known}
        pairs = [(url, own[key]) for url in listed if (key := _loose(url)) in own]
        if all(url == target for url, target in pairs):
            return None
        first = urlsplit(pairs[0][1])
        spelling = cls(first.scheme, first.netloc, first.path.removeprefix(_path(first.path)))
        return spelling if all(spelling.applied(url) == target for url, target in pairs) else None

    def applied(self, url: str) -> str:
        """The URL in the site's spelling. File names are unchanged."""
        parts = urlsplit(url)
        path = _path(parts.path)
        ending = "" if "." in path.rpartition("/")[2] else self.ending
        return urlunsplit((self.scheme, self.netloc, path + ending if path else "/", parts.query, ""))


def _loose(url: str) -> tuple[str, str]:
    """A key that is equal for all spellings of a URL: path and query."""
    parts = urlsplit(url)
    return _path(parts.path), parts.query


def _path(path: str) -> str:
    """The path without final slash or index file, and without empty folders; "" for the top."""
    segments = [segment for segment in path.split("/") if segment]
    if segments and _INDEX.fullmatch(segments[-1]):
        segments.pop()
    return "".join(f"/{segment}" for segment in segments)
