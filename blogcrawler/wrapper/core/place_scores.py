"""Score the place of a text as the value of a field: the nearer to the article, the better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.wrapper.core.rules import is_text_part

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.training import LocatedPage
    from blogcrawler.wrapper.core.values import Value

DISTANCE = 0.004
"""Deduction for each edge between a text and the article."""
FAR = 10
"""Number of edges beyond which the deduction does not grow."""
MINOR = 0.04
"""Weight of a weak sign, which decides only among texts with the same value, such as invisibility to readers."""
EXACT, INEXACT, HOLDS = 0.99, 0.95, 0.9
"""Scores of a text that is the value, of a text that resembles it (at most), and of a text that contains it. Their
differences exceed those of any places."""
EXTRA = 100
"""Maximum number of additional characters of a text that contains the value."""


def nearness(value: Value, page: LocatedPage) -> float:
    """The deduction for the distance to the article."""
    return -DISTANCE * min(FAR, page.distances[value.position])


def is_unseen(node: HtmlElement, attribute: str) -> bool:
    """True if a text is meant for machines: in the head, or in an attribute."""
    return node.tag == "title" or bool(attribute and not is_text_part(attribute))
