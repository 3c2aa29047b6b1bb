"""Signs by which a page tells where the template begins, or ends, from a part of an article at the same place.

What a place ("from the first heading on") is to drop must show on each page what it showed in training: the same
wording, but for numbers and dates; or that there are only links beyond it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.similarity import fold
from blogcrawler.wrapper.profile import Outline
from blogcrawler.wrapper.recurring import RAW, phrase_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

MOSTLY = 0.5
"""Share of a node's text in links from which it is a list of them."""
MOST = 200
"""Phrases, at most."""
NEXT = 4
"""Siblings among which the wording at an edge is looked for."""
FEWEST, SHARE = 2, 0.1
"""Number and share of the pages on which a sign recurs, at least."""


@dataclass(frozen=True)
class Signs:
    """What is told of the children of a container by their text, and by what is beyond them."""

    phrases: frozenset[str] = frozenset()
    #: whether there are only links beyond one of them
    has_links: bool = False


def find_edge(nodes: Sequence[HtmlElement], known: Signs, *, backwards: bool) -> list[HtmlElement]:
    """The one of a container's children where the template begins, or ends if `backwards`; empty where there is none.

    It is the farthest from that end of the container with a wording that was learned. Where none has, as headings are
    in several languages, it is the farthest beyond which there are only links, if that was learned. O(n).
    """
    inwards = list(reversed(nodes) if backwards else nodes)
    for node in inwards:
        if not _wording(node, backwards=backwards).isdisjoint(known.phrases):
            return [node]
    return _before_links(inwards, backwards=backwards)[-1:] if known.has_links else []


def edge_signs(nodes: Sequence[HtmlElement], *, backwards: bool) -> Signs:
    """The wording of some of a container's children, and whether there are only links beyond one of them."""
    phrases = frozenset(phrase for node in nodes for phrase in _wording(node, backwards=backwards))
    return Signs(phrases, bool(_before_links(nodes, backwards=backwards)))


def _before_links(nodes: Sequence[HtmlElement], *, backwards: bool) -> list[HtmlElement]:
    """Those of a container's children beyond which there are only links, and the others of them."""
    edges, found, has_links = set(nodes), [], False
    parent = nodes[0].getparent() if nodes else None
    for child in () if parent is None else parent.iterchildren("*", reversed=not backwards):
        if child in edges:
            is_loose = fold(child.tail or "") != ""
            found += [child] if has_links and (backwards or not is_loose) else []
            if is_loose:
                break
        elif _is_of_links(child):
            has_links = has_links or any(True for _ in child.iter("a"))
        else:
            break
    return found


def _is_of_links(node: HtmlElement) -> bool:
    """True if a node, with the text behind it, is mostly links, or without text."""
    size, linked = len(fold(node.tail or "")), 0
    for text, in_link in _texts(node):
        size, linked = size + len(text), linked + (len(text) if in_link else 0)
    return linked >= MOSTLY * size


def _wording(node: HtmlElement, *, backwards: bool) -> frozenset[str]:
    """The phrase at an edge: that of the node, or of what is next to it where it has no text. O(n) in these."""
    text = _short_text(node)
    for _ in range(0 if text else NEXT):
        beside = node.getprevious() if backwards else node.getnext()
        loose = node if not backwards else beside
        text = fold((loose.tail if loose is not None else None) or "")
        if text or beside is None:
            break
        node, text = beside, _short_text(beside)
        if text:
            break
    phrase = phrase_of(text)
    return frozenset([phrase] if phrase else ())


def common_signs(pages: Sequence[Signs]) -> Signs:
    """The signs that recur on pages."""
    least = max(min(FEWEST, len(pages)), SHARE * len(pages))
    counts = Counter(phrase for signs in pages for phrase in signs.phrases)
    found = sorted((name for name, count in counts.items() if count >= least), key=lambda name: (-counts[name], name))
    return Signs(frozenset(found[:MOST]), sum(signs.has_links for signs in pages) >= least)


def _short_text(node: HtmlElement) -> str:
    """The folded text of a node, if it is short enough for a phrase."""
    if not isinstance(node.tag, str):
        return ""
    found: list[str] = []
    size = 0
    for text in node.itertext():
        size += len(text)
        if size > RAW:
            break
        found.append(text)
    return fold("".join(found))


def _texts(node: HtmlElement) -> Iterator[tuple[str, bool]]:
    """The visible texts of a node, folded, and whether each is in a link."""
    outline = Outline(node)
    inside = outline.in_links()
    for number, run in enumerate(outline.runs):
        if run and (text := fold(run)):
            yield text, inside[outline.holder(number)]
