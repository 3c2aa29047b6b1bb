"""Routes: what stands behind "#" in an address where a script reads it, and names a page as a path does.

A blog that is one page, which a script fills, has its posts at such addresses as `http://example.org/#/2014/a-post` or
`http://example.org/#!/a-post`. Most of what stands behind "#" names no page (`#comments`, `#/portal/signup`), so
`urls.canonicalise` leaves it out. Where a blog's own feed names its posts so, the crawl writes the route as a path:
`http://example.org/%23%2F/2014/a-post` is an address like others to all that compares or ranks addresses, and one that
no site writes itself. What is asked for, shown and recorded has the address as the blog has it.
"""

from __future__ import annotations

import re

_MARKS = {"/": "%23%2F/", "!/": "%23!%2F/", "!": "%23!%23/"}
"""What a route begins with, and how that is written in a path."""
_BEGINNINGS = {mark: beginning for beginning, mark in _MARKS.items()}
_ROUTE = re.compile(r"(!?/|!(?!/))([^#]+)")
_MARK = re.compile(r"%23(?:!?%2F|!%23)/(?=.)")


def into_path(url: str) -> str:
    """An address with its route as a path; one without a route as it is. O(n)."""
    page, _, fragment = url.partition("#")
    found = _ROUTE.match(fragment)
    if found is None or "%3F" in page or is_routed(url):
        return url
    page, question, query = page.partition("?")
    page += "/" if page.count("/") < 3 else ""
    page += "%3F" + query.replace("?", "%3F") if question else ""
    return page + _MARKS[found[1]] + found[2].replace("\\", "%5C")


def out_of_path(url: str) -> str:
    """An address of `into_path` as the blog writes it; any other as it is. O(n)."""
    found = _found(url)
    if found is None:
        return url
    page = url[: found.start()].replace("%3F", "?")
    return f"{page}#{_BEGINNINGS[found[0]]}{url[found.end() :]}"


def is_routed(url: str) -> bool:
    """True if an address has a route, written as a path."""
    return _found(url) is not None


def _found(url: str) -> re.Match[str] | None:
    if "%23" not in url:  # as hardly any of a page's links, all of which are looked at
        return None
    return _MARK.search(url.partition("?")[0])
