"""What stands in a tree, and where: positional paths, common ancestors, fields for a password."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

__all__ = ["absolute_path", "asks_for_password", "lowest_common_ancestor"]

_XPATH_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_PLAIN_PATH = re.compile(r"(?:/[A-Za-z_][\w.-]*+(?:\[\d+\])?+)++", re.ASCII)


def absolute_path(node: HtmlElement) -> str:
    """The positional XPath of an element, `/html/body/div[2]/p`: it matches that element alone.

    The position is left out where the element is the only one of its name among its siblings. O(n) in the siblings of
    the element and its ancestors.
    """
    path: str = node.getroottree().getpath(node)
    if _PLAIN_PATH.fullmatch(path):
        return path
    steps = [_step(node)]
    steps.extend(_step(ancestor) for ancestor in node.iterancestors())
    return "/" + "/".join(reversed(steps))


def asks_for_password(root: HtmlElement) -> bool:
    """True if a field for a password stands in an element. O(n) in what it holds."""
    return any((field.get("type") or "").strip().lower() == "password" for field in root.iter("input"))


def lowest_common_ancestor(nodes: Iterable[HtmlElement]) -> HtmlElement:
    """The deepest node that is each of `nodes` or an ancestor of it. O(d) in the sum of their depths.

    `ValueError` when there are no nodes, or when they are not in one tree.
    """
    ways = [_from_root(node) for node in nodes]
    if not ways:
        raise ValueError("There is no common ancestor of no nodes.")
    return ways[0][_common_length(ways) - 1]


def _from_root(node: HtmlElement) -> list[HtmlElement]:
    return [*reversed(list(node.iterancestors())), node]


def _common_length(ways: list[list[HtmlElement]]) -> int:
    """How many nodes all ways from the root have in common."""
    length = 0
    for level in zip(*ways, strict=False):
        if any(node is not level[0] for node in level):
            break
        length += 1
    if length == 0:
        raise ValueError("The nodes are not in one tree.")
    return length


def _step(node: HtmlElement) -> str:
    tag = node.tag
    if node.getparent() is None:
        return tag if _XPATH_NAME.fullmatch(tag) else "*"
    if not _XPATH_NAME.fullmatch(tag):
        return f"*[{1 + sum(1 for _ in node.itersiblings('*', preceding=True))}]"
    position = 1 + sum(1 for _ in node.itersiblings(tag, preceding=True))
    is_only = position == 1 and next(node.itersiblings(tag), None) is None
    return tag if is_only else f"{tag}[{position}]"
