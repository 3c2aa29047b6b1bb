"""Further pages of an article, and of its comments: addresses that add a number to the post's own.

A page of an article adds a folder or a parameter of a usual name (`/2/`, `?page=2`). A page of comments adds one that
is called after comments (`/comment-page-2/`, `?cp=2`), or is linked by a place on the page that is. Permalinks of
comments on the page itself are none. So pages of lists and links to the next post are no pages of the article.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from blogcrawler.dom.links import base_url, links
from blogcrawler.dom.references import resolve
from blogcrawler.dom.text import inline_text
from blogcrawler.serialise import load_lines
from blogcrawler.urls import identity, is_http

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lxml.html import HtmlElement

    from blogcrawler.dom.links import Link

MAX_PAGES = 50
"""Pages of one article, at most."""
_FOLDER = re.compile(r"(?P<first>.*?)/(?:page[/-]?)?(?P<number>[1-9]\d?)/?", re.DOTALL)
_PARAMETER = re.compile(r"(?:page|paged|pg|p|pagina|seite|sida|pag)=(?P<number>[1-9]\d?)")
_FEW_WORDS = 20
"""Letters of a pager's link, and beside its links: "Next page", "Pages:"."""
_MOST_LINKS = MAX_PAGES + 10
"""Links of a pager, at most: with "next" and the like."""
_NO_WORDS = re.compile(r"[\W\d_]+")
MOST_COMMENT_PAGES = 400
"""Further pages of a post's comments, at most."""
DIGIT = re.compile(r"\d")
NUMBERED = re.compile(r"(?P<before>[\w.%~-]*?)(?P<number>[1-9]\d{0,3})(?P<behind>\.\w{1,5})?", re.DOTALL)


def further_pages(linked: Iterable[Link], first: str) -> list[str]:
    """The addresses of an article's other pages among the links of a page, by number, each once, as the page has them.

    `first` is the address of the article's first page. O(n).
    """
    found: dict[int, str] = {}
    for link in linked:
        if link.kind in ("a", "link") and (number := _number(link.url, first)) and number <= MAX_PAGES:
            found.setdefault(number, link.url.partition("#")[0])
    return [found[number] for number in sorted(found)]


def first_page(linked: Iterable[Link], url: str) -> str | None:
    """The address of the article's first page, to which a further page links; None where `url` is no further page's."""
    for link in linked:
        target = link.url.partition("#")[0]
        if link.kind in ("a", "link") and _number(url, target):
            return target
    return None


def drop_pager(article: HtmlElement, tree: HtmlElement, url: str, pages: Collection[str]) -> None:
    """Drop from an article, which is changed, the numbers that link its pages. O(n)."""
    base, wanted = base_url(tree, url), {_plain(page) for page in pages}
    for link in list(article.iter("a")):
        target = resolve(link.get("href") or "", base)
        is_short = len(_NO_WORDS.sub("", inline_text(link))) <= _FEW_WORDS
        if is_short and target and _plain(target) in wanted and any(above is article for above in link.iterancestors()):
            _pager(link, article, base, wanted).drop_tree()


def _pager(link: HtmlElement, article: HtmlElement, base: str, wanted: Collection[str]) -> HtmlElement:
    """The outermost element around a link that holds nothing but links to the pages."""
    pager = link
    while (above := pager.getparent()) is not None and above is not article:
        if sum(1 for _ in islice(above.iter("a"), _MOST_LINKS + 1)) > _MOST_LINKS:
            break
        rest = len(_NO_WORDS.sub("", inline_text(above)))
        for one in above.iter("a"):
            target = resolve(one.get("href") or "", base)
            rest -= len(_NO_WORDS.sub("", inline_text(one))) if target and _plain(target) in wanted else 0
        if rest > _FEW_WORDS or next(above.iter("img"), None) is not None:
            break
        pager = above
    return pager


def _plain(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


def _number(url: str, first: str) -> int | None:
    """Number of a page of the article at `first`, from 2; None for any other address."""
    try:
        one, other = urlsplit(url), urlsplit(first)
    except ValueError:
        return None
    if one.netloc != other.netloc or one.scheme != other.scheme or not other.path.strip("/") + other.query:
        return None
    number = _added_parameter(one.query, other.query) if one.path == other.path else None
    if number is None and one.query == other.query:
        match = _FOLDER.fullmatch(one.path)
        number = int(match["number"]) if match and match["first"] == other.path.rstrip("/") else None
    return number if number and number > 1 else None


def _added_parameter(query: str, first: str) -> int | None:
    added = set(query.split("&")) - set(first.split("&"))
    if len(added) != 1 or not set(filter(None, first.split("&"))) <= set(query.split("&")):
        return None
    match = _PARAMETER.fullmatch(added.pop())
    return int(match["number"]) if match else None


def comment_pages(tree: HtmlElement, url: str, linked: Iterable[Link] | None = None) -> list[str]:
    """The addresses of the other pages of a post's comments, by number; the numbers between are filled in. O(n).

    `url` is the page's own, which may be one of them; `linked` are its links, where they are at hand. Of pages that
    this one does not lead to, those with numbers below the greatest are given, too: lists of pages leave out what is
    far.
    """
    first = without_comment_page(url)
    found: dict[str, dict[int, str]] = {}
    shown = {name for node in tree.iter("*") for name in (node.get("id"), node.get("name")) if name}
    for link in links(tree, url) if linked is None else linked:
        place = link.url.partition("#")[2].rstrip("/")
        if link.kind not in ("a", "link") or (place in shown and DIGIT.search(place)):
            continue
        told = _comment_page(link.url, first)
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


def _comment_page(target: str, post: str) -> tuple[str, int] | None:
    """The form of what an address adds to the post's, and its number; None where it is no page of comments."""
    if not is_http(target):
        return None
    one, other = urlsplit(target), urlsplit(post)
    if one.netloc.lower() != other.netloc.lower():
        return None
    path, own = one.path.rstrip("/"), other.path.rstrip("/")
    if path == own:
        return _comment_parameter(one.query, other.query, one.fragment)
    if one.query != other.query or not path.startswith(f"{own}/") or not own:
        return None
    rest = path[len(own) + 1 :]
    match = NUMBERED.fullmatch(rest) if len(rest) <= 80 else None
    if match is None or not (_is_named(match["before"]) or _is_named(one.fragment)):
        return None
    return f"/{match['before']}", int(match["number"])


def _comment_parameter(query: str, post: str, fragment: str) -> tuple[str, int] | None:
    mine, theirs = parse_qsl(query, keep_blank_values=True), parse_qsl(post, keep_blank_values=True)
    added = [pair for pair in mine if pair not in theirs]
    if len(added) != 1 or len(mine) != len(theirs) + 1:
        return None
    name, value = added[0]
    is_number = value.isdecimal() and len(value) <= 4 and int(value) > 0
    return (f"?{name}", int(value)) if is_number and (_is_named(name) or _is_named(fragment)) else None


def _is_named(name: str) -> bool:
    """True if a name has a word for comments."""
    words = re.findall(r"[^\W\d_]+", name.lower())
    return any(word in _words() or word.rstrip("s") in _words() for word in words)


@cache
def _words() -> frozenset[str]:
    """Words for comments, and names of parameters that software gives their pages."""
    return frozenset(load_lines("blogcrawler.dom", "comment_pages.txt"))


def _filled(found: dict[int, str], first: str) -> list[str]:
    """The addresses by number, with those between: each is written as the greatest is."""
    if not found:
        return []
    last = max(found)
    pattern = found[last]
    head, _, tail = pattern.rpartition(str(last))
    pages = [found.get(number) or f"{head}{number}{tail}" for number in range(min(found), last + 1)]
    return [first, *pages] if min(found) > 1 or first not in pages else pages
