"""What stands in a tree, and where: common ancestors, fields for a password."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement


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
