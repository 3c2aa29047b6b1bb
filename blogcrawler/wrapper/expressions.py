"""XPath expressions that might select a node from an article's container: by its names, its parts, or its place."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.wrapper.rules import names_of, plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

__all__ = ["HEADINGS", "LOOSE", "PARTS", "SHAPE", "Key", "Places", "key_of", "may_select_own", "relative_rules"]

COMPOUND = frozenset(["div", "section", "article"])
"""Elements that what they are made of tells apart where they have no names."""
MOST_PARTS = 4
SHAPE = 10
"""Kind of an expression that names an element's parts."""
DEEPEST = 4
"""Levels below the container to which paths of places lead."""
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
LOOSE = frozenset(
    [
        "p",
        "div",
        "span",
        "section",
        "article",
        "blockquote",
        "ul",
        "ol",
        "pre",
        "table",
        "figure",
        "br",
        "a",
        "b",
        "strong",
        "i",
        "em",
        "code",
    ]
)
"""Elements of which articles are made: their mere tag excludes nothing."""
PARTS = LOOSE | frozenset(
    ["hr", "li", "dl", "dt", "dd", "tbody", "tr", "td", "th", "caption", "figcaption", "details", "summary", "center",
     "font", "small", "cite", "q", "sub", "sup", "u", "s"]
)  # fmt: skip
"""These and others that articles may have: where only tag or place tell them, their text must, too."""


class Key(NamedTuple):
    """A relative XPath expression, ordered by preference: its kind, its length."""

    kind: int
    length: int
    xpath: str


def key_of(kind: int, xpath: str) -> Key:
    return Key(kind, len(xpath), xpath)


class Places:
    """Where the nodes of a container stand in it. O(n) in its nodes."""

    def __init__(self, container: HtmlElement) -> None:
        #: for the first two and last two of the same tag among the children of an element: (kind, step)
        self.steps: dict[HtmlElement, list[tuple[int, str]]] = defaultdict(list)
        #: for the container and elements at most `DEEPEST` below it, the path to them
        self.paths: dict[HtmlElement | None, str] = {container: "."}
        for parent in container.iter("*"):
            twins: dict[str, list[HtmlElement]] = defaultdict(list)
            for child in parent.iterchildren("*"):
                twins[child.tag].append(child)
            for tag, nodes in twins.items():
                self._place(tag, nodes, self.paths.get(parent))

    def _place(self, tag: str, nodes: Sequence[HtmlElement], path: str | None) -> None:
        for number, node in enumerate(nodes[:2], start=1):
            self.steps[node].append((5, f"{tag}[{number}]"))
        for behind, node in enumerate(reversed(nodes[-2:])):
            self.steps[node].append((6, f"{tag}[last()-{behind}]" if behind else f"{tag}[last()]"))
        if path is not None and path.count("/") < DEEPEST and plain_name(tag):
            for number, node in enumerate(nodes, start=1):
                self.paths[node] = f"{path}/{tag}[{number}]"


def relative_rules(node: HtmlElement, places: Places) -> Iterator[Key]:
    """Rules that might select a node from its container: by its names, its parent's names, its tag, its place."""
    if not plain_name(node.tag):
        return
    for kind, step in names_of(node):
        yield key_of(kind, f".//{step}")
    parts = list(dict.fromkeys(child.tag for child in node.iterchildren("*")))
    if node.tag in COMPOUND and not node.attrib and 1 < len(parts) <= MOST_PARTS and all(map(plain_name, parts)):
        yield key_of(SHAPE, f".//{node.tag}[not(@*)]" + "".join(f"[{tag}]" for tag in parts))
    parent = node.getparent()
    steps = places.steps.get(node, [])
    if node.tag not in LOOSE:
        yield key_of(9, f".//{node.tag}")
        steps = [*steps, (4, node.tag)]
    path = places.paths.get(parent)
    for kind, step in steps:
        if path is not None:
            yield key_of(kind + path.count("/"), f"{path}/{step}")
        for _, name in names_of(parent) if path != "." else ():
            yield key_of(kind + 3, f".//{name}/{step}")


def may_select_own(key: Key) -> bool:
    """Might an expression select the article's own on other pages? One by a tag that articles have, or by its place."""
    last = key.xpath.rpartition("/")[2]
    tag = last.partition("[")[0]
    return "@" not in last and (tag in HEADINGS or (tag in PARTS and key.kind != SHAPE))
