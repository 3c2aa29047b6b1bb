"""Where nodes stand in a tree: depths, positional paths, distances and common ancestors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

__all__ = ["absolute_path", "absolute_paths", "depth", "distances_to", "lowest_common_ancestor", "tree_distance"]

_XPATH_NAME = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_PLAIN_PATH = re.compile(r"(?:/[A-Za-z_][\w.-]*+(?:\[\d+\])?+)++", re.ASCII)


def depth(node: HtmlElement) -> int:
    """Edges from `node` up to the root of its tree."""
    return sum(1 for _ in node.iterancestors())


def absolute_path(node: HtmlElement) -> str:
    """The positional XPath of an element, `/html/body/div[2]/p`: it matches that element alone.

    The position is left out where the element is the only one of its name among its siblings. O(n) in the siblings of
    the element and its ancestors: for all nodes of a page take `absolute_paths`.
    """
    path: str = node.getroottree().getpath(node)
    if _PLAIN_PATH.fullmatch(path):
        return path
    steps = [_step(node)]
    steps.extend(_step(ancestor) for ancestor in node.iterancestors())
    return "/" + "/".join(reversed(steps))


def absolute_paths(root: HtmlElement) -> dict[HtmlElement, str]:
    """`absolute_path` of `root` and every element below it. O(n) in the nodes and in the length of the paths."""
    paths = {root: absolute_path(root)}
    for parent in root.iter("*"):
        prefix = paths[parent]
        children = [child for child in parent if isinstance(child.tag, str)]
        totals: dict[str, int] = {}
        for child in children:
            totals[child.tag] = totals.get(child.tag, 0) + 1
        seen: dict[str, int] = {}
        for position, child in enumerate(children, 1):
            tag = child.tag
            seen[tag] = seen.get(tag, 0) + 1
            if not _XPATH_NAME.fullmatch(tag):
                paths[child] = f"{prefix}/*[{position}]"
            else:
                paths[child] = f"{prefix}/{tag}" if totals[tag] == 1 else f"{prefix}/{tag}[{seen[tag]}]"
    return paths


def distances_to(node: HtmlElement) -> dict[HtmlElement, int]:
    """For every element of the tree that `node` is in, the number of edges between it and `node`.

    One pass over the tree, O(n): elements on the way from `node` to the root are met first as ancestors, all others
    are one edge further away than their parent.
    """
    distances = {node: 0}
    root = node
    for distance, ancestor in enumerate(node.iterancestors(), 1):
        distances[ancestor] = distance
        root = ancestor
    for element in root.iter("*"):
        if element not in distances:
            distances[element] = distances[element.getparent()] + 1
    return distances


def tree_distance(one: HtmlElement, other: HtmlElement) -> int:
    """The number of edges between two nodes of one tree. O(d) in their depths; `ValueError` for nodes of two trees."""
    ways = [_from_root(one), _from_root(other)]
    common = _common_length(ways)
    return sum(len(way) - common for way in ways)


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
