"""What an element says, once a person has pointed it out as the place of a field."""

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
"""Characters of a title."""
LONGEST_DATE = 300
"""Characters of a text that a date is looked for in."""
MOST_NAMES = 60
"""Authors, or tags, of one element."""
LONGEST_NAME = 80
PATH = re.compile(r"(?:/(?:[a-z][a-z0-9-]*|\*)(?:\[[1-9]\d{0,5}\])?){1,3000}")


@dataclass(frozen=True)
class Correction:
    """What a person says of a field of one page: which element has it."""

    field: CorrectedField
    #: of the element, from the root of the page's tree, see `path_of`
    path: str
    #: the words of the element that are the value, where these are not all of it: of a title, or of authors
    words: str | None = None


@dataclass(frozen=True)
class Pin:
    """A correction, as a wrapper keeps it: it holds as long as the element says what it said."""

    #: of the page, see `urls.identity`
    key: str
    correction: Correction = field(metadata=INLINE)
    #: SHA-256 of what the element says, folded
    digest: str

    @classmethod
    def of(cls, url: str, correction: Correction, node: HtmlElement) -> Self:
        """The pin of an element of the page at a URL."""
        return cls(identity(routed(url)), correction, _digest(node))

    def node(self, tree: HtmlElement) -> HtmlElement | None:
        """The element in a page; None where it says something else, or is not there."""
        found = node_at(tree, self.correction.path)
        return found if found is not None and _digest(found) == self.digest else None


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
    """The element at a positional path; None where there is none, and for what is no such path."""
    if PATH.fullmatch(path) is None:
        return None
    return next(iter(select(tree, path)), None)


def told_by(node: HtmlElement, field: CorrectedField, dates: Dates, words: str | None = None) -> dict[str, Any] | None:
    """What an element says as a field of a feed's entry; None where it says nothing that could be one. O(n)."""
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
    """The names that an element has: those of its links, where it has any, or those that stand in its text."""
    links = [] if is_part else [inline_text(link).strip().lstrip("#") for link in node.iter("a")]
    if field == "tags":
        names = list(filter(None, links)) or [part.lstrip("#") for part in parts_of(text)]
    else:
        names = list(filter(None, links)) or separate(text.strip())
    kept = [name.strip() for name in names if name.strip() and len(name.strip()) <= LONGEST_NAME]
    return tuple(dict.fromkeys(kept))[:MOST_NAMES]


def _day(node: HtmlElement, dates: Dates) -> str | None:
    """The date that an element says, in its attribute for machines, or as readers see it."""
    spoken = (above.get("lang") for above in (node, *node.iterancestors()))
    languages = tuple(dict.fromkeys(filter(None, [*spoken, *dates.languages])))
    for text in (node.get("datetime") or "", node.get("content") or "", inline_text(node), node.get("title") or ""):
        for span in find_dates(text[:LONGEST_DATE], languages, months=True):
            moment = settled(span.readings, dates.order)
            if moment is not None:
                return (moment if dates.trusts_offset else moment.without_offset()).isoformat()
    return None
