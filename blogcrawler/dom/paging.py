"""Articles that are spread over several pages: where the further ones are, and the numbers that link them.

A further page's address is the first one's with a number behind it, as a folder or as a parameter of a usual name. So
pages of lists and of comments, and links to the next post, are none: their addresses are not made from the post's.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.dom.links import base_url, links
from blogcrawler.dom.references import resolve
from blogcrawler.dom.text import inline_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from lxml.html import HtmlElement

MAX_PAGES = 50
"""Pages of one article, at most."""
_FOLDER = re.compile(r"(?P<first>.*?)/(?:page[/-]?)?(?P<number>[1-9]\d?)/?", re.DOTALL)
_PARAMETER = re.compile(r"(?:page|paged|pg|p|pagina|seite|sida|pag)=(?P<number>[1-9]\d?)")
_FEW_WORDS = 20
"""Letters of a pager's link, and beside its links: "Next page", "Pages:"."""
_MOST_LINKS = MAX_PAGES + 10
"""Links of a pager, at most: with "next" and the like."""
_NO_WORDS = re.compile(r"[\W\d_]+")


def further_pages(tree: HtmlElement, url: str, first: str | None = None) -> list[str]:
    """The addresses of an article's other pages that a page links to, by number, each once, as the page writes them.

    `url` is the page's own, `first` that of the article's first page, where it is another. O(n).
    """
    found: dict[int, str] = {}
    for link in links(tree, url):
        if link.kind in ("a", "link") and (number := _number(link.url, first or url)) and number <= MAX_PAGES:
            found.setdefault(number, link.url.partition("#")[0])
    return [found[number] for number in sorted(found)]


def first_page(tree: HtmlElement, url: str) -> str | None:
    """The address of the article's first page, to which a further page links; None where `url` is no further page's."""
    for link in links(tree, url):
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
    """Which page of the article at `first` an address is, from 2; None for any other."""
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
