"""How a sitemap spells addresses, and how the site itself does.

Generators write another scheme or host than the site has now, leave out the slash at the end, double one within, or
name index.html. The site then redirects each of them, or answers under both. What posts that are known show of it is
applied to all addresses.
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
    """How a site writes the addresses of its pages."""

    scheme: str
    netloc: str
    #: behind the last folder: "", "/" or "/index.html"
    ending: str

    @classmethod
    def learn(cls, listed: Sequence[str], known: Iterable[str]) -> Spelling | None:
        """From posts that are known, at their own addresses, and what a list calls them; None where both agree.

        And where one spelling does not explain all of them. O(n).
        """
        own = {_loose(url): url for url in known}
        pairs = [(url, own[key]) for url in listed if (key := _loose(url)) in own]
        if all(url == target for url, target in pairs):
            return None
        first = urlsplit(pairs[0][1])
        spelling = cls(first.scheme, first.netloc, first.path.removeprefix(_path(first.path)))
        return spelling if all(spelling.applied(url) == target for url, target in pairs) else None

    def applied(self, url: str) -> str:
        """An address as the site would write it. Files keep their names."""
        parts = urlsplit(url)
        path = _path(parts.path)
        ending = "" if "." in path.rpartition("/")[2] else self.ending
        return urlunsplit((self.scheme, self.netloc, path + ending if path else "/", parts.query, ""))


def _loose(url: str) -> tuple[str, str]:
    """Equal for addresses that differ in spelling alone: path and query."""
    parts = urlsplit(url)
    return _path(parts.path), parts.query


def _path(path: str) -> str:
    """A path without slash or index at its end, nor empty folders; "" for the top."""
    segments = [segment for segment in path.split("/") if segment]
    if segments and _INDEX.fullmatch(segments[-1]):
        segments.pop()
    return "".join(f"/{segment}" for segment in segments)
