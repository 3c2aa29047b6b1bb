"""Pictures that the `style` elements of a page put behind parts of an article, by classes and ids of these.

What is read of a selector is its last part: ".hero .photo" stands for all that has the class `photo`. Pseudo-classes
and pseudo-elements, such as `:hover` and `::before`, show no pictures of articles but marks and icons; they are left
out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dom.lazy import styled_background

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_MOST_TEXT = 500_000
"""Characters of style sheets that are read of a page."""
_MOST_RULES = 200
"""Rules of a page that name a picture."""
_LONGEST_SELECTOR = 1000
_COMBINATOR = re.compile(r"[\s>+~]+")
_SUBJECT = re.compile(r"([a-zA-Z][\w-]*)?((?:[.#]-?[a-zA-Z_][\w-]*)+)")
_NAMED = re.compile(r"[.#][\w-]+")


class _Rule(NamedTuple):
    """A picture, and which elements have it in their background."""

    url: str
    tag: str | None
    #: classes and ids, as selectors write them
    names: frozenset[str]


def sheet_backgrounds(page: HtmlElement, article: HtmlElement, base: str) -> Iterator[str]:
    """The absolute URLs of the pictures that elements inside an article have by a page's style sheets. O(n)."""
    rules: defaultdict[str, list[_Rule]] = defaultdict(list)
    for rule in islice(_rules(page, base), _MOST_RULES):
        rules[min(rule.names)].append(rule)
    if not rules:
        return
    for element in article.iter("*"):
        if element is not article:
            names = _names(element)
            wanted = (rule for name in sorted(names) for rule in rules.get(name, ()))
            yield from (rule.url for rule in wanted if rule.names <= names and rule.tag in (None, element.tag))


def _names(element: HtmlElement) -> set[str]:
    """Its classes and its id."""
    names = {f".{name}" for name in (element.get("class") or "").split()}
    return names | {f"#{name}" for name in (element.get("id"),) if name}


def _rules(page: HtmlElement, base: str) -> Iterator[_Rule]:
    left = _MOST_TEXT
    for sheet in page.iter("style"):
        text = (sheet.text or "")[:left]
        left -= len(text)
        if "url(" not in text:
            continue
        for told in without_comments(text).split("}"):
            head, _, body = told.rpartition("{")
            if "url(" in body and (url := styled_background(body, base)):
                selectors = head.rpartition("{")[2][-_LONGEST_SELECTOR:]  # what is before it is "@media …"
                yield from (_Rule(url, *subject) for one in selectors.split(",") if (subject := _subject(one)))


def _subject(selector: str) -> tuple[str | None, frozenset[str]] | None:
    """The element that a selector speaks of: its tag, and its classes and ids; None where it has none of these."""
    found = _SUBJECT.fullmatch(_COMBINATOR.split(selector.strip())[-1])
    return None if found is None else (found[1] and found[1].lower(), frozenset(_NAMED.findall(found[2])))


def without_comments(text: str) -> str:
    """A style sheet, or the value of a `style` attribute, without its comments. O(n)."""
    first, *others = text.split("/*")
    return first + "".join(other.partition("*/")[2] for other in others)
