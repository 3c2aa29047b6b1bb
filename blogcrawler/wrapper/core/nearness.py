"""Choose which of several selected nodes is the post's: the one whose path shares most with the article's path.

This is AdaptivePost's rule (section III-D), for pages with the same names in a side bar or a second post. Rules that
select several nodes on training pages, the first of them correct, keep selecting the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.rules import Rule
    from blogcrawler.wrapper.core.training import LocatedPage

MAX_ASKED = 50
"""Maximum number of nodes among which the nearest to the article is chosen."""
Place = Literal["first", "inside", "outside"]
"""Which of several nodes is chosen: the first one, or the nearest to the article inside or outside of its container."""


def place_of(rule: Rule, pages: Sequence[LocatedPage]) -> Place:
    """Where the node that a rule selects is on training pages; "first" if it selects several nodes."""
    inside = outside = 0
    for page in pages:
        nodes = page.lookup.select(rule.xpath)
        if len(nodes) > 1:
            return "first"
        if nodes and page.article is not None:
            within = _is_within(nodes[0], page.article)
            inside, outside = inside + within, outside + (not within)
    return "inside" if inside > outside else "outside"


def nearest_first(nodes: list[HtmlElement], article: HtmlElement | None, place: Place) -> list[HtmlElement]:
    """The first nodes of a list, in the order in which they are tried. O(n) in their depth."""
    nodes = nodes[:MAX_ASKED]
    if len(nodes) < 2 or article is None or place == "first":
        return nodes

    def rank(node: HtmlElement) -> tuple[bool, int]:
        return _is_within(node, article) != (place == "inside"), levels_above(article, node)

    return sorted(nodes, key=rank)


def levels_above(article: HtmlElement, node: HtmlElement) -> int:
    """Number of levels from the article's container up to the branch with a node; both are in one tree."""
    branch = {node, *node.iterancestors()}
    chain = (article, *article.iterancestors())
    return next((level for level, ancestor in enumerate(chain) if ancestor in branch), len(chain))


def _is_within(node: HtmlElement, article: HtmlElement) -> bool:
    return node is article or article in node.iterancestors()
