"""What elements of one form have in common: their tag, those of their names that recur on other pages, their place."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from blogcrawler.wrapper.rules import steady

if TYPE_CHECKING:
    from collections import Counter

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.comments.view import View

DEEPEST = 24
"""Steps of a path; deeper nodes have that of the last step."""
HIGHEST = 16
"""Levels up to which a list's name is looked for."""
SPACE = re.compile(r"[ \t\n\r\f]+")
MOST_TOKENS = 12
COUNTED = frozenset(["div", "section", "span", "font", "small", "table", "tr", "td", "dt", "dd"])
"""Elements that their place tells apart where they have no names."""
MOST_COUNTED = 4


@lru_cache(maxsize=1 << 12)
def _tokens(classes: str) -> frozenset[str]:
    return frozenset([token for token in SPACE.split(classes) if steady(token)][:MOST_TOKENS])


def tokens_of(node: HtmlElement) -> frozenset[str]:
    """The classes of an element that other pages may have, too."""
    classes = node.get("class")
    return _tokens(classes) if classes else frozenset()


@lru_cache(maxsize=1 << 12)
def _form(tag: str, classes: str) -> str:
    first = next((token for token in SPACE.split(classes) if steady(token)), "")
    return f"{tag}.{first}" if first else tag


def form_of(node: HtmlElement) -> str:
    """Tag and first class, as in CSS."""
    return _form(node.tag, node.get("class") or "")


def path_below(above: str, node: HtmlElement, before: Counter[str]) -> str:
    """The path of a node, from that of its parent, and from how many of which form its elder siblings are."""
    if above.count(">") >= DEEPEST:
        return above
    form = form_of(node)
    if form not in COUNTED:
        return f"{above}>{form}"
    before[form] += 1
    return f"{above}>{form}" if before[form] == 1 else f"{above}>{form}[{min(before[form], MOST_COUNTED)}]"


def context_of(view: View, position: int) -> str:
    """Where a list stands: the tags up to the next element with a name, and that name; or up to the root."""
    steps: list[str] = []
    for level, above in enumerate(view.around(position)):
        node = view.nodes[above]
        name = node.get("id") or ""
        if steady(name):
            return ">".join([f"{node.tag}#{name}", *reversed(steps)])
        if tokens_of(node) or level >= HIGHEST:
            return ">".join([form_of(node), *reversed(steps)])
        steps.append(node.tag)
    return ">".join(reversed(steps))
