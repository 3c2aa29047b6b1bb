"""Further pages of an article and of its comments: URLs that add a number to the post's URL.

A page of an article adds a folder or a parameter with a usual name (`/2/`, `?page=2`). A page of comments adds one with
a word for comments (`/comment-page-2/`, `?cp=2`), or is linked with such a word in the fragment. Permalinks of comments
on the page itself do not count. Thus list pages and links to the next post are not taken for pages of the article.
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
"""Maximum number of pages of one article."""
_PAGES = frozenset({"/", "/page", "/page-", "/page/"}) | {
    f"?{name}" for name in ("page", "paged", "pg", "p", "pagina", "seite", "sida", "pag")
}
"""The text that further pages of an article add to its URL, before their number."""
_FEW_WORDS = 20
"""Maximum number of letters of a link in a pager, and of the text beside its links: "Next page", "Pages:"."""
_MOST_LINKS = MAX_PAGES + 10
"""Maximum number of links in a pager, including links such as "next"."""
_NO_WORDS = re.compile(r"[\W\d_]+")
_MOST_DIGITS = 4
MOST_COMMENT_PAGES = 400
"""Maximum number of further pages of a post's comments."""
DIGIT = re.compile(r"\d")
NUMBERED = re.compile(r"(?P<before>[\w.%~/-]{0,80}?)(?P<number>[1-9]\d{0,3})(?P<behind>\.\w{1,5})?")


def further_pages(linked: Iterable[Link], first: str) -> list[str]:
    """The URLs of an article's other pages among the links of a page, sorted by number, without duplicates.

    `first` is the URL of the article's first page. O(n).
    """
    pages: dict[int, str] = {}
    for link in linked:
        if link.kind in ("a", "link") and (number := _number(link.url, first)):
            pages.setdefault(number, link.url.partition("#")[0])
    return [pages[number] for number in sorted(pages)]


def first_page(linked: Iterable[Link], url: str) -> str | None:
    """The URL of the article's first page, to which a further page links; None if `url` is no further page."""
    for link in linked:
        target = link.url.partition("#")[0]
        if link.kind in ("a", "link") and _number(url, target):
            return target
    return None


def drop_pager(article: HtmlElement, tree: HtmlElement, url: str, pages: Collection[str]) -> None:
    """Drop the links to its pages from an article, in place. O(n)."""
    base, wanted = base_url(tree, url), {_plain(page) for page in pages}
    for link in list(article.iter("a")):
        target = resolve(link.get("href") or "", base)
        is_short = len(_NO_WORDS.sub("", inline_text(link))) <= _FEW_WORDS
        if is_short and target and _plain(target) in wanted and any(above is article for above in link.iterancestors()):
            _pager(link, article, base, wanted).drop_tree()


def _pager(link: HtmlElement, article: HtmlElement, base: str, wanted: Collection[str]) -> HtmlElement:
    """The outermost element around a link that contains only links to the pages."""
    pager = link
    while (above := pager.getparent()) is not None and above is not article:
        if sum(1 for _ in islice(above.iter("a"), _MOST_LINKS + 1)) > _MOST_LINKS:
            break
        rest = len(_NO_WORDS.sub("", inline_text(above)))
        for inner in above.iter("a"):
            target = resolve(inner.get("href") or "", base)
            rest -= len(_NO_WORDS.sub("", inline_text(inner))) if target and _plain(target) in wanted else 0
        if rest > _FEW_WORDS or next(above.iter("img"), None) is not None:
            break
        pager = above
    return pager


def _plain(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


def _number(url: str, first: str) -> int | None:
    """Number of a further page of the article at `first`, starting with 2; None for other URLs."""
    form, number = _addition(url, first)
    return number if form in _PAGES and 1 < number <= MAX_PAGES else None


def _addition(url: str, first: str) -> tuple[str, int]:
    """The folder or parameter that a URL adds to the URL `first`, without its number, and that number."""
    if not _is_below(url, first) or not is_http(url) or not is_http(first):
        return "", 0
    parts, start = urlsplit(url), urlsplit(first)
    path, own = parts.path.rstrip("/"), start.path.rstrip("/")
    if parts.netloc.lower() != start.netloc.lower() or not (own or start.query):
        return "", 0
    if path == own:
        query, before = (parse_qsl(split.query, keep_blank_values=True) for split in (parts, start))
        added = [pair for pair in query if pair not in before]
        name, value = added[0] if len(added) == 1 and len(query) == len(before) + 1 else ("", "")
        return f"?{name}", int(value) if value.isdecimal() and len(value) <= _MOST_DIGITS else 0
    is_below = bool(own) and parts.query == start.query and path.startswith(f"{own}/")
    match = NUMBERED.fullmatch(path[len(own) + 1 :]) if is_below else None
    return (f"/{match['before']}{match['behind'] or ''}", int(match["number"])) if match else ("", 0)


def _is_below(url: str, first: str) -> bool:
    """Fast pre-check, called for each link: False for most URLs that add nothing to `first`."""
    start = first.partition("://")[2].partition("#")[0].partition("?")[0].rstrip("/")
    return DIGIT.search(url) is not None and url.partition("://")[2].lower().startswith(start.lower())


def comment_pages(tree: HtmlElement, url: str, linked: Iterable[Link] | None = None) -> list[str]:
    """The URLs of the other pages of a post's comments, sorted by number. O(n).

    `url` is the page's URL, which may be one of these pages; `linked` are its links, if they are known already. Missing
    numbers below the greatest are added, since pagers leave out distant pages.
    """
    first = without_comment_page(url)
    by_form: dict[str, dict[int, str]] = {}
    anchors = {name for node in tree.iter("*") for name in (node.get("id"), node.get("name")) if name}
    for link in links(tree, url) if linked is None else linked:
        place = link.url.partition("#")[2].rstrip("/")
        if link.kind not in ("a", "link") or (place in anchors and DIGIT.search(place)):
            continue
        form, number = _addition(link.url, first)
        if 0 < number <= MOST_COMMENT_PAGES and (_is_named(form) or _is_named(place)):
            by_form.setdefault(form, {}).setdefault(number, link.url.partition("#")[0])
    best = max(by_form.values(), key=len, default={})
    pages = _filled(best, first)
    own = identity(url)
    return [page for page in pages if identity(page) != own]


def without_comment_page(url: str) -> str:
    """The URL of the post, for the URL of a page of its comments; other URLs unchanged."""
    parts = urlsplit(url)
    folders = parts.path.rstrip("/").split("/")
    match = NUMBERED.fullmatch(folders[-1]) if len(folders) > 2 else None
    if match is not None and _is_named(match["before"]):
        path = "/".join(folders[:-1]) + ("/" if parts.path.endswith("/") else "")
        return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
    query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if not _is_named(name)]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(query), ""))


def _is_named(name: str) -> bool:
    """True if a name contains a word for comments."""
    words = re.findall(r"[^\W\d_]+", name.lower())
    return any(word in _words() or word.rstrip("s") in _words() for word in words)


@cache
def _words() -> frozenset[str]:
    """Words for comments, and parameter names of comment pages."""
    return frozenset(load_lines("blogcrawler.dom", "comment_pages.txt"))


def _filled(numbered: dict[int, str], first: str) -> list[str]:
    """The URLs sorted by number; missing ones are formed like the one with the greatest number."""
    if not numbered:
        return []
    last = max(numbered)
    pattern = numbered[last]
    head, _, tail = pattern.rpartition(str(last))
    pages = [numbered.get(number) or f"{head}{number}{tail}" for number in range(min(numbered), last + 1)]
    return [first, *pages] if min(numbered) > 1 or first not in pages else pages
