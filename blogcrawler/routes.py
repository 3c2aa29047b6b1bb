"""Routes: fragments of URLs that a script interprets as the path of a page.

A blog that is a single page filled by a script has posts at URLs such as `http://example.org/#/2014/a-post` or
`http://example.org/#!/a-post`. Most fragments do not denote a page (`#comments`, `#/portal/signup`), so
`urls.canonicalise` removes them. If a blog's own feed has such URLs, the crawl writes the route as a path:
`http://example.org/%23%2F/2014/a-post` can be compared and ranked like any other URL, and no site uses such URLs
itself. Requests, output and records use the blog's original form.
"""

from __future__ import annotations

import re

_MARKS = {"/": "%23%2F/", "!/": "%23!%2F/", "!": "%23!%23/"}
"""The beginning of a route, and its form in a path."""
_BEGINNINGS = {mark: beginning for beginning, mark in _MARKS.items()}
_ROUTE = re.compile(r"(!?/|!(?!/))([^#]+)")
_MARK = re.compile(r"%23(?:!?%2F|!%23)/(?=.)")


def into_path(url: str) -> str:
    """Convert a route in a URL to a path; URLs without a route are unchanged. O(n)."""
    page, _, fragment = url.partition("#")
    match = _ROUTE.match(fragment)
    if match is None or "%3F" in page or is_routed(url):
        return url
    page, question, query = page.partition("?")
    page += "/" if page.count("/") < 3 else ""
    page += "%3F" + query.replace("?", "%3F") if question else ""
    return page + _MARKS[match[1]] + match[2].replace("\\", "%5C")


def out_of_path(url: str) -> str:
    """Convert a URL of `into_path` back to the original form; other URLs are unchanged. O(n)."""
    match = _found(url)
    if match is None:
        return url
    page = url[: match.start()].replace("%3F", "?")
    return f"{page}#{_BEGINNINGS[match[0]]}{url[match.end() :]}"


def is_routed(url: str) -> bool:
    """True if a URL has a route, written as a path."""
    return _found(url) is not None


def _found(url: str) -> re.Match[str] | None:
    if "%23" not in url:  # fast pre-check, since all links of a page are tested and hardly any has a route
        return None
    return _MARK.search(url.partition("?")[0])
