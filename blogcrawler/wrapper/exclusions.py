"""What is dropped from an article's container on every page of a blog (JSON types), and the dropping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from blogcrawler.wrapper.recurring import drop_heading, drop_phrases
from blogcrawler.wrapper.rules import select
from blogcrawler.wrapper.signs import Signs, find_edge, shown_by

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement

__all__ = ["Exclusion", "Exclusions", "clean", "reach"]


@dataclass(frozen=True)
class Exclusion:
    """Nodes to drop from a container: those that a relative XPath expression selects, and what its extent adds."""

    xpath: str
    #: node: each selected node; after: the first one and all that follows it among its siblings;
    #: before: the last one and all that stands before it
    extent: Literal["node", "after", "before"] = "node"
    #: what the node must show on the page besides; None where its names tell enough
    signs: Signs | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON types only."""
        data: dict[str, Any] = {"xpath": self.xpath, "extent": self.extent}
        return data if self.signs is None else {**data, "signs": [sorted(column) for column in self.signs]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The object of `to_dict`."""
        signs = data.get("signs")
        return cls(data["xpath"], data["extent"], Signs(*map(frozenset, signs)) if signs else None)


class Exclusions(NamedTuple):
    """What to drop from a container: nodes by their names and places, then blocks by their wording."""

    nodes: tuple[Exclusion, ...] = ()
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
    signs = exclusion.signs
    if exclusion.extent == "node":
        return nodes if signs is None else [node for node in nodes if shown_by(node, signs)]
    if signs is not None and nodes:
        nodes = find_edge(nodes, signs, backwards=exclusion.extent == "before")
    if not nodes:
        return nodes
    edge = nodes[0]
    if exclusion.extent == "after":
        return [edge, *edge.itersiblings()]
    return [*reversed(list(edge.itersiblings(preceding=True))), edge]
