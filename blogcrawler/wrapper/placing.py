"""What the place of a text says of it as the value of a field: the nearer to the article the better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.wrapper.rules import is_text_part

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blogcrawler.wrapper.training import LocatedPage
    from blogcrawler.wrapper.values import Value

DISTANCE = 0.004
"""Less for each edge from the article."""
FAR = 10
"""Edges; what is further from the article is not worse any more."""
UNSEEN = 0.04
"""Less, or for dates more, for a text that readers do not see (in the head, in an attribute)."""


def nearness(value: Value, page: LocatedPage) -> float:
    """What the distance to the article takes from a score."""
    return -DISTANCE * min(FAR, page.distances[value.position])


def is_unseen(node: HtmlElement, attribute: str) -> bool:
    """True if a text is there for machines: in the head, or in an attribute."""
    return node.tag == "title" or bool(attribute and not is_text_part(attribute))
