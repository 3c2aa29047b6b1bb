"""What is dropped from an article's container on every page of a blog (JSON types), and the dropping."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from blogcrawler.serialise import INLINE, stored_as
from blogcrawler.wrapper.recurring import drop_heading, drop_phrases
from blogcrawler.wrapper.rules import select
from blogcrawler.wrapper.signs import Signs, find_edge

if TYPE_CHECKING:
    from lxml.html import HtmlElement


@dataclass(frozen=True)
class Exclusion:
    """Nodes to drop from a container: those that a relative XPath expression selects, and what its extent adds."""

    xpath: str
    #: node: each selected node; after: the first one and all that follows it among its siblings;
    #: before: the last one and all that stands before it
    extent: Literal["node", "after", "before"] = "node"
    #: what the node, where it is an edge, must show on the page besides; None where its names tell enough
    signs: Signs | None = field(default=None, metadata=INLINE)


@dataclass(frozen=True)
class Exclusions:
    """What to drop from a container: nodes by their names and places, then blocks by their wording."""

    nodes: tuple[Exclusion, ...] = field(default=(), metadata=stored_as("exclusions"))
    phrases: tuple[str, ...] = ()
    #: wording of headings, which go with what is below them
    headings: tuple[str, ...] = ()


def clean(container: HtmlElement, exclusions: Exclusions) -> None:
    """Drop from a container, which is changed, all that is excluded. Places are those in the container as it was."""
    reached = [(exclusion, reach(container, exclusion)) for exclusion in exclusions.nodes]
    headings = frozenset(exclusions.headings)
    for exclusion, nodes in reached:
        if exclusion.extent == "before" and nodes:
            container.text = nodes[-1].tail
        for node in nodes:
            if exclusion.extent != "node":
                node.tail = None
            if node.getparent() is not None:
                drop_heading(node, headings)
                node.drop_tree()
    if exclusions.phrases:
        drop_phrases(container, frozenset(exclusions.phrases), headings)


def reach(container: HtmlElement, exclusion: Exclusion) -> list[HtmlElement]:
    """The nodes that an exclusion drops, in document order."""
    nodes = [node for node in select(container, exclusion.xpath) if node is not container]
    if exclusion.extent == "node":
        return nodes
    if exclusion.signs is not None and nodes:
        nodes = find_edge(nodes, exclusion.signs, backwards=exclusion.extent == "before")
    if not nodes:
        return nodes
    edge = nodes[0]
    if exclusion.extent == "after":
        return [edge, *edge.itersiblings()]
    return [*reversed(list(edge.itersiblings(preceding=True))), edge]
