"""What the place of a text says of it as the value of a field: the nearer to the article the better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.wrapper.core.rules import is_text_part

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.training import LocatedPage
    from blogcrawler.wrapper.core.values import Value

DISTANCE = 0.004
"""Less for each edge from the article."""
FAR = 10
"""Edges; what is further from the article is not worse any more."""
MINOR = 0.04
"""What a sign is worth that decides only among texts that say the same: that readers do not see one, say."""
EXACT, INEXACT, HOLDS = 0.99, 0.95, 0.9
"""Scores of a text that is the value; at most, of one that is like it; and of one that holds it among other words. They
differ by so much that no place makes up for it."""
EXTRA = 100
"""Characters that such a text may have besides."""


def nearness(value: Value, page: LocatedPage) -> float:
    """What the distance to the article takes from a score."""
    return -DISTANCE * min(FAR, page.distances[value.position])


def is_unseen(node: HtmlElement, attribute: str) -> bool:
    """True if a text is there for machines: in the head, or in an attribute."""
    return node.tag == "title" or bool(attribute and not is_text_part(attribute))
