"""XPath expressions that might select a node from an article's container: by its names, its parts, or its tag."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dom.tags import HEADINGS
from blogcrawler.wrapper.rules import names_of, plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

COMPOUND = frozenset(["div", "section", "article"])
"""Elements that what they are made of tells apart where they have no names."""
MOST_PARTS = 4
SHAPE = 10
"""Kind of an expression that names an element's parts."""
LOOSE = frozenset([
    "p", "div", "span", "section", "article", "blockquote", "ul", "ol", "pre", "table", "figure", "br", "a", "b",
    "strong", "i", "em", "code",
])  # fmt: skip
"""Elements of which articles are made: their mere tag cuts nothing."""
PARTS = LOOSE | frozenset(
    ["hr", "li", "dl", "dt", "dd", "tbody", "tr", "td", "th", "caption", "figcaption", "details", "summary", "center",
     "font", "small", "cite", "q", "sub", "sup", "u", "s"]
)  # fmt: skip
"""These and others that articles may have: their mere tag excludes nothing."""


class Key(NamedTuple):
    """A relative XPath expression, ordered by preference: its kind, its length."""

    kind: int
    length: int
    xpath: str


def key_of(kind: int, xpath: str) -> Key:
    return Key(kind, len(xpath), xpath)


def relative_rules(node: HtmlElement, container: HtmlElement) -> Iterator[Key]:
    """Rules that might select a node from a container: by its names, its parts, or a tag that no article has."""
    if not plain_name(node.tag):
        return
    for kind, step in names_of(node):
        yield key_of(kind, f".//{step}")
    parts = list(dict.fromkeys(child.tag for child in node.iterchildren("*")))
    if node.tag in COMPOUND and not node.attrib and 1 < len(parts) <= MOST_PARTS and all(map(plain_name, parts)):
        yield key_of(SHAPE, f".//{node.tag}[not(@*)]" + "".join(f"[{tag}]" for tag in parts))
    parent = node.getparent()
    if node.tag not in HEADINGS | PARTS and parent is not None:
        yield key_of(9, f".//{node.tag}")
        above = ["."] if parent is container else [f".//{name}" for _, name in names_of(parent)]
        for step in above:
            yield key_of(7, f"{step}/{node.tag}")
