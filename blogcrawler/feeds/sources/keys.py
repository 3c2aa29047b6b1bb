"""URLs as keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.errors import BadArgument
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable


def keys(urls: Iterable[str]) -> list[str]:
    """The identities of URLs, as `urls.identity` writes them; what is no http(s) URL is passed over."""
    found = []
    for url in urls:
        try:
            found.append(identity(url))
        except BadArgument:
            continue
    return found
