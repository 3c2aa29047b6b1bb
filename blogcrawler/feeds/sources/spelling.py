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

__all__ = ["Spelling"]

_INDEX = re.compile(r"index\.(?:html?|php)", re.IGNORECASE)


@dataclass(frozen=True)
class Spelling:
    """How a site writes the addresses of its pages."""

    scheme: str
    netloc: str
    ends_with_slash: bool

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
        for ends_with_slash in (first.path.endswith("/"), not first.path.endswith("/")):
            spelling = cls(first.scheme, first.netloc, ends_with_slash)
            if all(spelling.applied(url) == target for url, target in pairs):
                return spelling
        return None

    def applied(self, url: str) -> str:
        """An address as the site would write it. Files keep their names."""
        parts = urlsplit(url)
        segments = _segments(parts.path)
        path = "/".join(["", *segments])
        is_file = bool(segments) and "." in segments[-1]
        slash = "/" if not segments or (self.ends_with_slash and not is_file) else ""
        return urlunsplit((self.scheme, self.netloc, path + slash, parts.query, ""))


def _loose(url: str) -> tuple[tuple[str, ...], str]:
    """Equal for addresses that differ in spelling alone: folders and query."""
    parts = urlsplit(url)
    return tuple(_segments(parts.path)), parts.query


def _segments(path: str) -> list[str]:
    segments = [segment for segment in path.split("/") if segment]
    return segments[:-1] if segments and _INDEX.fullmatch(segments[-1]) else segments
