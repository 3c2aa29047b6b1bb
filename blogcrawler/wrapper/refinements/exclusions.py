"""What is dropped from an article's container on every page of a blog: the expressions for it, and their
application."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from blogcrawler.dom.tags import HEADINGS
from blogcrawler.serialise import load, register, stored_as
from blogcrawler.wrapper.core.rules import checked, names_of, plain_name, select
from blogcrawler.wrapper.refinements.recurring import drop_phrases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

COMPOUND = frozenset(["div", "section", "article"])
"""Elements that are identified by their children if they have no names."""
MOST_PARTS = 4
SHAPE = 10
"""Kind of an expression that names an element's children."""
LOOSE = frozenset([
    "p", "div", "span", "section", "article", "blockquote", "ul", "ol", "pre", "table", "figure", "br", "a", "b",
    "strong", "i", "em", "code",
])  # fmt: skip
"""Elements that articles consist of. A cut must not be based on their tag alone."""
PARTS = LOOSE | frozenset(
    ["hr", "li", "dl", "dt", "dd", "tbody", "tr", "td", "th", "caption", "figcaption", "details", "summary", "center",
     "font", "small", "cite", "q", "sub", "sup", "u", "s"]
)  # fmt: skip
"""These elements, and further ones that articles may contain. An exclusion must not be based on their tag alone."""

Extent = Literal["node", "after", "before"]


@dataclass(frozen=True)
class Exclusion:
    """Nodes to drop from a container: those that a relative XPath expression selects, extended by the extent."""

    xpath: str
    #: node: each selected node; after: the first one and all its later siblings; before: the last one and all its
    #: earlier siblings
    extent: Extent = "node"


register(
    Exclusion,
    lambda one: {"xpath": one.xpath, "extent": one.extent},
    lambda data: Exclusion(checked(data["xpath"]), load(Extent, data["extent"])),  # type: ignore[arg-type]
)


@dataclass(frozen=True)
class Exclusions:
    """What to drop from a container: nodes by their names and places, then blocks by their wording."""

    nodes: tuple[Exclusion, ...] = field(default=(), metadata=stored_as("exclusions"))
    phrases: tuple[str, ...] = ()


def clean(container: HtmlElement, exclusions: Exclusions) -> None:
    """Drop, in place, all excluded parts from a container. Places are those in the unchanged container."""
    reached = [(exclusion, reach(container, exclusion)) for exclusion in exclusions.nodes]
    for exclusion, nodes in reached:
        if exclusion.extent == "before" and nodes:
            container.text = nodes[-1].tail
        for node in nodes:
            if exclusion.extent != "node":
                node.tail = None
            if node.getparent() is not None:
                node.drop_tree()
    if exclusions.phrases:
        drop_phrases(container, frozenset(exclusions.phrases))


def reach(container: HtmlElement, exclusion: Exclusion) -> list[HtmlElement]:
    """The nodes that an exclusion drops, in document order."""
    nodes = [node for node in select(container, exclusion.xpath) if node is not container]
    if exclusion.extent == "node" or not nodes:
        return nodes
    edge = nodes[0]
    if exclusion.extent == "after":
        return [edge, *edge.itersiblings()]
    return [*reversed(list(edge.itersiblings(preceding=True))), edge]


class Key(NamedTuple):
    """A relative XPath expression, ordered by preference: its kind, then its length."""

    kind: int
    length: int
    xpath: str


def key_of(kind: int, xpath: str) -> Key:
    return Key(kind, len(xpath), xpath)


def relative_rules(node: HtmlElement, container: HtmlElement) -> Iterator[Key]:
    """Possible rules for a node in a container: by its names, its children, or a tag that no article has."""
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
