"""Routes at the border of a crawl: what a route led to gets its address, and links to routes are paths."""

from __future__ import annotations

import re
from functools import partial

from blogcrawler.dom import resolve
from blogcrawler.routes import into_path, is_routed, out_of_path
from blogcrawler.urls import identity, routed

_ROUTE = re.compile(rb"""(\shref=)(["'])([^"'#<>\s]{0,2000}#!?[^"'#<>\s]{1,2000})""")


def led_to(url: str, asked: str) -> str:
    """The address of what `asked` led to: servers are not told the route, so that it is missing in what they say."""
    if not is_routed(asked):
        return url
    page, _, route = out_of_path(asked).partition("#")
    return routed(f"{url}#{route}" if "#" not in url and identity(url) == identity(page) else url)


def links_as_paths(body: bytes, url: str) -> bytes:
    """A page at a route, as the browser wrote it down, whose links to routes are like those to any other page. O(n).

    So all that reads a page finds in its links the folders that tell posts, tags and authors from one another.
    """
    return _ROUTE.sub(partial(_as_path, url), body) if is_routed(url) else body


def _as_path(url: str, found: re.Match[bytes]) -> bytes:
    target = resolve(found[3].decode("utf-8", "replace"), url)
    if target is None or (path := into_path(target)) == target:
        return found[0]
    return found[1] + found[2] + path.encode()
