"""The further pages of a post's comments: addresses that extend the post's own by a number.

Which links these are is told by their form: the post's address with a folder or parameter added that ends with a
number (`…/comment-page-2/`, `…?cp=2`). Numbers alone (`…/2/`) are pages of the article, unless the link leads to a
place of the page that is called after comments. Permalinks of comments that the page itself shows tell no other page.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from blogcrawler.dom.links import links
from blogcrawler.urls import identity, is_http

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_COMMENT_PAGES = 400
"""Further pages of a post's comments, at most."""
DIGIT = re.compile(r"\d")
NUMBERED = re.compile(r"(?P<before>[\w.%~-]*?)(?P<number>[1-9]\d{0,3})(?P<behind>\.\w{1,5})?", re.DOTALL)


def comment_pages(tree: HtmlElement, url: str) -> list[str]:
    """The addresses of the other pages of a post's comments, by number; the numbers between are filled in. O(n).

    `url` is the page's own, which may be one of them. None is told that the page does not lead to, but for numbers
    below the greatest: lists of pages leave out what is far.
    """
    first = without_comment_page(url)
    found: dict[str, dict[int, str]] = {}
    shown = {name for node in tree.iter("*") for name in (node.get("id"), node.get("name")) if name}
    for link in links(tree, url):
        place = link.url.partition("#")[2].rstrip("/")
        if link.kind not in ("a", "link") or (place in shown and DIGIT.search(place)):
            continue
        told = _added(link.url, first)
        if told is not None and told[1] <= MOST_COMMENT_PAGES:
            found.setdefault(told[0], {}).setdefault(told[1], link.url.partition("#")[0])
    best = max(found.values(), key=len, default={})
    pages = _filled(best, first)
    mine = identity(url)
    return [page for page in pages if identity(page) != mine]


def without_comment_page(url: str) -> str:
    """The address of the post whose comments' page an address is; the address itself for any other."""
    parts = urlsplit(url)
    folders = parts.path.rstrip("/").split("/")
    match = NUMBERED.fullmatch(folders[-1]) if len(folders) > 2 else None
    if match is not None and _is_named(match["before"]):
        path = "/".join(folders[:-1]) + ("/" if parts.path.endswith("/") else "")
        return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
    query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if not _is_named(name)]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


def _added(target: str, first: str) -> tuple[str, int] | None:
    """What an address adds to the post's: the form of it, and the number; None where it is no page of comments."""
    if not is_http(target):
        return None
    one, other = urlsplit(target), urlsplit(first)
    if one.netloc.lower() != other.netloc.lower():
        return None
    path, post = one.path.rstrip("/"), other.path.rstrip("/")
    if path == post:
        return _added_parameter(one.query, other.query, one.fragment)
    if one.query != other.query or not path.startswith(f"{post}/") or not post:
        return None
    rest = path[len(post) + 1 :]
    match = NUMBERED.fullmatch(rest) if len(rest) <= 80 else None
    if match is None or not _is_comments(match["before"], one.fragment):
        return None
    return f"/{match['before']}", int(match["number"])


def _added_parameter(query: str, post: str, fragment: str) -> tuple[str, int] | None:
    mine, theirs = parse_qsl(query, keep_blank_values=True), parse_qsl(post, keep_blank_values=True)
    added = [pair for pair in mine if pair not in theirs]
    if len(added) != 1 or len(mine) != len(theirs) + 1:
        return None
    name, value = added[0]
    if not value.isdecimal() or not 0 < len(value) <= 4 or int(value) < 1 or not _is_comments(name, fragment):
        return None
    return f"?{name}", int(value)


def _is_comments(name: str, fragment: str) -> bool:
    """Does what stands before a number, or the place in the page to which a link leads, say that comments are there?"""
    return _is_named(name) or (bool(fragment) and _is_named(fragment))


def _is_named(name: str) -> bool:
    words = re.findall(r"[^\W\d_]+", name.lower())
    return any(word in _words() or word.rstrip("s") in _words() for word in words)


@cache
def _words() -> frozenset[str]:
    """Words for comments, and names of parameters that software gives their pages."""
    text = files(__package__).joinpath("data/comment_pages.txt").read_text("utf-8")
    return frozenset(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _filled(found: dict[int, str], first: str) -> list[str]:
    """The addresses by number, with those between: each is written as the greatest is."""
    if not found:
        return []
    last = max(found)
    pattern = found[last]
    head, _, tail = pattern.rpartition(str(last))
    pages = [found.get(number) or f"{head}{number}{tail}" for number in range(min(found), last + 1)]
    return [first, *pages] if min(found) > 1 or first not in pages else pages
