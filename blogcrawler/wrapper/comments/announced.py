"""How many comments a post's page announces in words ("4 comments"), where nothing was learned of how it shows them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text, iter_text_nodes, resolve
from blogcrawler.similarity import fold
from blogcrawler.urls import identity, is_http

if TYPE_CHECKING:
    from lxml.html import HtmlElement

LONGEST = 40
"""Characters of a line that tells a number of comments and nothing else."""
PLACES = 100
"""Lines of a page that say such a word and are looked at."""
LEVELS = 3
"""Elements around a text in which the number may stand beside the word."""
NUMBER = re.compile(r"(?<![\d.,:/-])\d{1,6}(?![\d.,:/-])")
_SIGNS = re.compile(r"[\W_]+")


def announced(tree: HtmlElement, url: str) -> int | None:
    """The number of comments that a post's page says it has; None where it says none, or several. O(n).

    What stands in links to other pages is said of other posts. `url` is the page's own.
    """
    saying = (node.parent for node in iter_text_nodes(tree) if len(node.text) <= LONGEST and _says_comments(node.text))
    found = {number for element in islice(saying, PLACES) if (number := _told(element, url)) is not None}
    return found.pop() if len(found) == 1 else None


def _told(element: HtmlElement, url: str) -> int | None:
    """The number that an element, or one close around it, tells."""
    for _ in range(LEVELS):
        text = inline_text(element)
        if len(text) > LONGEST or element.tag == "body":
            return None
        if (number := _number(text)) is not None:
            return None if _is_of_another(element, url) else number
        parent = element.getparent()
        if parent is None:
            return None
        element = parent
    return None


def _number(text: str) -> int | None:
    """The number in "4 comments", "Kommentare: 4"; None for a text that says more, or less."""
    numbers = NUMBER.findall(text)
    return int(numbers[0]) if len(numbers) == 1 and _says_comments(text) else None


def _says_comments(text: str) -> bool:
    """Is a text, but for numbers and signs, what pages call comments?"""
    return _SIGNS.sub("", fold(NUMBER.sub(" ", text))) in _words()


def _is_of_another(element: HtmlElement, url: str) -> bool:
    """Does an element stand in a link to another page?"""
    link = next(element.iterancestors("a"), None) if element.tag != "a" else element
    target = resolve(link.get("href") or "", url) if link is not None else None
    return target is not None and is_http(target) and identity(target) != identity(url)


@cache
def _words() -> frozenset[str]:
    lines = files("blogcrawler.wrapper").joinpath("data/comment_words.txt").read_text("utf-8").splitlines()
    return frozenset(_SIGNS.sub("", fold(line)) for line in lines if line and not line.startswith("#"))
