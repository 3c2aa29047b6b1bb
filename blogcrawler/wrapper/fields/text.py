"""Rules for short texts: a node, and between which marks the value stands in its text.

"Posted on 2 May 2014 by Ann in News" holds an author, but not alone. What stands before and after the value on all
training pages, " by " and " in ", are its marks: a left-right wrapper (Kushmerick, "Wrapper induction", 2000) inside the
node that the rule finds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from os.path import commonpath
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.dom import inline_text
from blogcrawler.wrapper.induce import Learned
from blogcrawler.wrapper.profile import leading_text
from blogcrawler.wrapper.rules import OWN_TEXT, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

__all__ = ["TextRule", "learn_marks", "value_at"]

ENTITY = re.compile(r"&(?:#\d{2,6}|#x[0-9a-fA-F]{2,5}|[A-Za-z]{2,8}\d?);")
FIRST_WORD = re.compile(r"\s*(?:[^\W\d]+(?=\W|\Z)|[^\w\s]+)\s?")
LAST_WORD = re.compile(r"\s?(?:(?<!\w)[^\W\d]+|[^\w\s]+)\s*\Z")
MAX_NODES = 5
"""Nodes that a rule selects before one with a value is found; more would be a list."""


@dataclass(frozen=True)
class TextRule:
    """A learned rule, and the marks around the value in the text that it extracts."""

    learned: Learned
    #: the value begins after the first occurrence of this
    before: str = ""
    #: and ends before the next occurrence of this
    after: str = ""

    def extract(self, tree: HtmlElement) -> str | None:
        """The value in a page; None where the rule finds none."""
        for node in select(tree, self.learned.rule.xpath)[:MAX_NODES]:
            text = self.trim(value_at(node, self.learned.rule.attribute))
            if text:
                return _unescape(text)
        return None

    def trim(self, text: str) -> str:
        """What stands between the marks; nothing where a mark is missing."""
        if self.before:
            _, found, text = text.partition(self.before)
            if not found:
                return ""
        if self.after:
            text = text.partition(self.after)[0]
        return text.strip()

    def to_dict(self) -> dict[str, Any]:
        """JSON types only."""
        return {**self.learned.to_dict(), "before": self.before, "after": self.after}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The object of `to_dict`."""
        return cls(Learned.from_dict(data), data["before"], data["after"])


def value_at(node: HtmlElement, attribute: str) -> str:
    """The text of a node, or of its attribute, with white space collapsed."""
    if not attribute:
        return inline_text(node)
    value = leading_text(node) if attribute == OWN_TEXT else node.get(attribute)
    return " ".join(str(value or "").split())


def _unescape(text: str) -> str:
    """Themes escape a text twice: what a reader sees as "l&rsquo;homme" was meant as a sign that no keyboard has."""
    return ENTITY.sub(lambda found: unescape(found[0]), text)


def learn_marks(pairs: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """What stands before and after the values in all texts that hold them, from (text, value) pairs.

    Marks are as short as they can be, one word or sign: " at" and not " at January", which is true of this month only.
    """
    found = [(text[:start], text[start + len(value) :]) for text, value in pairs if (start := _find(text, value)) >= 0]
    if not found:
        return "", ""
    left = commonpath([before[::-1] for before, _ in found])[::-1]
    right = commonpath([after for _, after in found])
    before = LAST_WORD.search(left) if all(before for before, _ in found) else None
    after = FIRST_WORD.match(right) if all(after for _, after in found) else None
    return _if_unique(before[0] if before else "", [text for text, _ in found]), after[0] if after else ""


def _find(text: str, value: str) -> int:
    return text.casefold().find(value.casefold()) if len(text.casefold()) == len(text) else text.find(value)


def _if_unique(mark: str, befores: Sequence[str]) -> str:
    """A mark that stands earlier in the text too does not tell where the value begins."""
    return mark if all(before.find(mark) == len(before) - len(mark) for before in befores) else ""
