"""From the pages of a blog that has no feed to lists of what may be its posts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.dom import parse
from blogcrawler.feeds.synthetic import list_pages, post_lists
from blogcrawler.urls import identity

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Awaitable, Callable, Iterable

    from lxml.html import HtmlElement
    from scrapy.http import Response

    from blogcrawler.feeds.synthetic import PostList
    from blogcrawler.items import Entry

__all__ = ["find_lists"]

GOOD = 0.5
"""Score of a list that is hardly anything but posts."""
WANTED = 10
"""Posts in such lists from which no further page is looked at: as many as most feeds have."""
MAX_PAGES = 8
"""Pages that are fetched to find lists."""
WORST = 0.05
"""Score of a list that is not worth a request."""


async def find_lists(
    start: Response, tree: HtmlElement, fetch: Callable[[str], Awaitable[Response]], now: dt.datetime
) -> list[tuple[Entry, ...]]:
    """Lists of what may be the blog's posts, the likeliest first; each URL stands in one of them only.

    They are looked for on the start page, and, where that shows few, on the pages that it links to as lists of posts.
    """
    found = post_lists(tree, start.url, now)
    seen = {identity(start.url)}
    waiting = list_pages(tree, start.url)
    for _ in range(MAX_PAGES):
        if _good(found) >= WANTED or not waiting:
            break
        page = await _fetch_page(waiting.pop(0), fetch)
        if page is not None and identity(page[1]) not in seen:
            seen.add(identity(page[1]))
            found += post_lists(*page, now)
    return _distinct(sorted((one for one in found if one.score >= WORST), key=lambda listed: -listed.score))


def _good(found: Iterable[PostList]) -> int:
    return len({entry.url for listed in found if listed.score >= GOOD for entry in listed.entries})


def _distinct(found: Iterable[PostList]) -> list[tuple[Entry, ...]]:
    seen: set[str] = set()
    lists = []
    for listed in found:
        fresh = [entry for entry in listed.entries if identity(entry.url) not in seen]
        seen.update(identity(entry.url) for entry in fresh)
        if fresh:
            lists.append(tuple(fresh))
    return lists


async def _fetch_page(url: str, fetch: Callable[[str], Awaitable[Response]]) -> tuple[HtmlElement, str] | None:
    try:
        response = await fetch(url)
        if response.status != 200:
            return None
        content_type = response.headers.get("Content-Type")
        return parse(response.body, content_type=content_type.decode("latin-1") if content_type else None), response.url
    except Exception:  # noqa: BLE001  the next page may answer
        return None
