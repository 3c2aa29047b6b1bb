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
_PAGES = frozenset({"/", "/page", "/page-", "/page/"}) | {
    f"?{name}" for name in ("page", "paged", "pg", "p", "pagina", "seite", "sida", "pag")
}
"""What further pages of an article add to its address, before their number."""
_FEW_WORDS = 20
"""Letters of a pager's link, and beside its links: "Next page", "Pages:"."""
_MOST_LINKS = MAX_PAGES + 10
"""Links of a pager, at most: with "next" and the like."""
_NO_WORDS = re.compile(r"[\W\d_]+")
_MOST_DIGITS = 4
MOST_COMMENT_PAGES = 400
"""Further pages of a post's comments, at most."""
DIGIT = re.compile(r"\d")
NUMBERED = re.compile(r"(?P<before>[\w.%~/-]{0,80}?)(?P<number>[1-9]\d{0,3})(?P<behind>\.\w{1,5})?")


def further_pages(linked: Iterable[Link], first: str) -> list[str]:
    """The addresses of an article's other pages among the links of a page, by number, each once, as the page has them.

    `first` is the address of the article's first page. O(n).
    """
    found: dict[int, str] = {}
    for link in linked:
        if link.kind in ("a", "link") and (number := _number(link.url, first)):
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
    form, number = _addition(url, first)
    return number if form in _PAGES and 1 < number <= MAX_PAGES else None


def _addition(url: str, first: str) -> tuple[str, int]:
    """What an address adds to another one: the form of a folder or the name of a parameter, and the number in it."""
    if not _is_below(url, first) or not is_http(url) or not is_http(first):
        return "", 0
    one, other = urlsplit(url), urlsplit(first)
    path, own = one.path.rstrip("/"), other.path.rstrip("/")
    if one.netloc.lower() != other.netloc.lower() or not (own or other.query):
        return "", 0
    if path == own:
        mine, theirs = (parse_qsl(parts.query, keep_blank_values=True) for parts in (one, other))
        added = [pair for pair in mine if pair not in theirs]
        name, value = added[0] if len(added) == 1 and len(mine) == len(theirs) + 1 else ("", "")
        return f"?{name}", int(value) if value.isdecimal() and len(value) <= _MOST_DIGITS else 0
    is_below = bool(own) and one.query == other.query and path.startswith(f"{own}/")
    match = NUMBERED.fullmatch(path[len(own) + 1 :]) if is_below else None
    return (f"/{match['before']}{match['behind'] or ''}", int(match["number"])) if match else ("", 0)


def _is_below(url: str, first: str) -> bool:
    """False for most addresses that add nothing to another one. Quick: it is asked of each link of each page."""
    start = first.partition("://")[2].partition("#")[0].partition("?")[0].rstrip("/")
    return DIGIT.search(url) is not None and url.partition("://")[2].lower().startswith(start.lower())


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
        form, number = _addition(link.url, first)
        if 0 < number <= MOST_COMMENT_PAGES and (_is_named(form) or _is_named(place)):
            found.setdefault(form, {}).setdefault(number, link.url.partition("#")[0])
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
