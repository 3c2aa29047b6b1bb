"""Read the value of a field from an element that a person marked."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import lxml.html

from blogcrawler.choices import CorrectedField  # noqa: TC001  (serialise)
from blogcrawler.dates import find_dates, settled
from blogcrawler.dom import inline_text
from blogcrawler.people import separate
from blogcrawler.serialise import INLINE
from blogcrawler.similarity import fold
from blogcrawler.urls import identity, routed
from blogcrawler.wrapper.core.names import parts_of
from blogcrawler.wrapper.core.rules import plain_name, position_among_siblings, select

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blogcrawler.wrapper.fields.date import Dates

LONGEST = 500
"""Maximum length, in characters, of a title."""
LONGEST_DATE = 300
"""Maximum length, in characters, of a text that is searched for a date."""
MOST_NAMES = 60
"""Maximum number of authors, or tags, of one element."""
LONGEST_NAME = 80
PATH = re.compile(r"(?:/(?:[a-z][a-z0-9-]*|\*)(?:\[[1-9]\d{0,5}\])?){1,3000}")


@dataclass(frozen=True)
class Correction:
    """A person's correction of a field on one page: the element that holds it."""

    field: CorrectedField
    #: path of the element from the root of the page's tree, see `path_of`
    path: str
    #: the selected words, if title or authors are only part of the element's text
    words: str | None = None


@dataclass(frozen=True)
class Pin:
    """A correction as a wrapper stores it; it is valid while the element's text does not change."""

    #: identity of the page's address, see `urls.identity`
    key: str
    correction: Correction = field(metadata=INLINE)
    #: SHA-256 of the element's folded text
    digest: str

    @classmethod
    def of(cls, url: str, correction: Correction, node: HtmlElement) -> Self:
        """The correction as it is stored for an element of the page at a URL."""
        return cls(identity(routed(url)), correction, _digest(node))

    def node(self, tree: HtmlElement) -> HtmlElement | None:
        """The element in a page; None if its text has changed, or it does not exist."""
        element = node_at(tree, self.correction.path)
        return element if element is not None and _digest(element) == self.digest else None


def _digest(node: HtmlElement) -> str:
    return hashlib.sha256(fold(inline_text(node)).encode("utf-8", "replace")).hexdigest()


def path_of(node: HtmlElement) -> str:
    """The positional path of an element from the root, as XPath. O(n) in its depth and its ancestors' siblings."""
    return "".join(f"/{_step(one)}" for one in reversed([node, *node.iterancestors()]))


def _step(node: HtmlElement) -> str:
    if node.getparent() is None:
        return str(node.tag)
    if plain_name(node.tag):
        return f"{node.tag}[{position_among_siblings(node)}]"
    return f"*[{1 + sum(1 for _ in node.itersiblings('*', preceding=True))}]"


def node_at(tree: HtmlElement, path: str) -> HtmlElement | None:
    """The element at a positional path; None if there is none, or the path is invalid."""
    if PATH.fullmatch(path) is None:
        return None
    return next(iter(select(tree, path)), None)


def element_value(
    node: HtmlElement, field: CorrectedField, dates: Dates, words: str | None = None
) -> dict[str, Any] | None:
    """The value of an element as a field of a feed's entry; None if it has no possible value. O(n)."""
    if field == "content":
        html = lxml.html.tostring(node, encoding="unicode", with_tail=False)
        return {"content_html": html, "is_summary": False}
    if field == "published":
        day = _day(node, dates)
        return None if day is None else {"published": day}
    text = words or inline_text(node)
    if field == "title":
        return {"title": text[:LONGEST].strip()} if text.strip() else None
    names = _names(node, text, field, is_part=words is not None)
    return {field: names} if names else None


def _names(node: HtmlElement, text: str, field: CorrectedField, *, is_part: bool) -> tuple[str, ...]:
    """The names in an element: those of its links, or those in its text if it has no links."""
    links = [] if is_part else [inline_text(link).strip().lstrip("#") for link in node.iter("a")]
    if field == "tags":
        names = list(filter(None, links)) or [part.lstrip("#") for part in parts_of(text)]
    else:
        names = list(filter(None, links)) or separate(text.strip())
    valid = [name.strip() for name in names if name.strip() and len(name.strip()) <= LONGEST_NAME]
    return tuple(dict.fromkeys(valid))[:MOST_NAMES]


def _day(node: HtmlElement, dates: Dates) -> str | None:
    """The date of an element: in its attribute for machines, or in its visible text."""
    spoken = (above.get("lang") for above in (node, *node.iterancestors()))
    languages = tuple(dict.fromkeys(filter(None, [*spoken, *dates.languages])))
    for text in (node.get("datetime") or "", node.get("content") or "", inline_text(node), node.get("title") or ""):
        for span in find_dates(text[:LONGEST_DATE], languages, months=True):
            moment = settled(span.readings, dates.order)
            if moment is not None:
                return (moment if dates.trusts_offset else moment.without_offset()).isoformat()
    return None
