"""Cuts: all of an article's container from one of its children on, to its end or its beginning.

That is for what comes before and after an article without names: a heading, then paragraphs by readers.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple

from blogcrawler.dom.tags import HEADINGS
from blogcrawler.wrapper.exclusions import LOOSE, PARTS, Exclusion, Key, key_of
from blogcrawler.wrapper.rules import names_of, plain_name
from blogcrawler.wrapper.signs import common_signs, edge_signs, find_edge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.container import Container

LOSS = 0.02
"""Share of article text among all that an exclusion drops on the training pages, at most."""
UNTOLD = 0.8
"""Share of the pages on which the place of such an element as articles have must drop something, where no wording tells
that it is the template's."""
PREFERENCE = 1.1
"""So many times as much must a cut drop that no wording tells as one that is told by it."""


class _Part(NamedTuple):
    """What a cut drops of a container: characters of other text, and of the article's."""

    other: int
    own: int


def learn_cut(containers: Sequence[Container], minimum: float, extent: Literal["after", "before"]) -> list[Exclusion]:
    """The one cut that drops most, if any: at the first or last of the container's children with a name or tag.

    Where an article may have such elements itself, wording or links tell it, or its place at the container's end.
    """
    dropped: dict[Key, dict[int, _Part]] = defaultdict(dict)
    #: for each tag that an article may have, and each page, what a cut at its elements drops, from that end on
    doubtful: dict[str, dict[int, dict[HtmlElement, _Part]]] = defaultdict(lambda: defaultdict(dict))
    near, far = ("[last()]", "[1]") if extent == "after" else ("[1]", "[last()]")
    for number, container in enumerate(containers):
        other = own = 0
        first: set[str] = set()
        for child, text, held in container.children(reverse=extent == "after"):
            other, own = other + text - held, own + held
            part = _Part(other, own)
            for kind, step in _cut_steps(child):
                if step not in first:
                    dropped[key_of(kind, f"(./{step}){near}")][number] = part
                    first.add(step)
                if step in HEADINGS or step in PARTS:
                    doubtful[step][number][child] = part
                else:
                    dropped[key_of(kind, f"(./{step}){far}")][number] = part
    chosen: list[tuple[float, Key, Exclusion]] = []
    for key, parts in dropped.items():
        is_doubtful = key.xpath[3:].partition(")")[0] in doubtful
        least = max(minimum, UNTOLD * len(containers)) if is_doubtful else minimum
        if gain := _gain(parts, least):
            chosen.append((-gain / PREFERENCE if is_doubtful else -gain, key, Exclusion(key.xpath, extent)))
    for tag, pages in doubtful.items():
        cut, parts = _told_cut(tag, pages, extent)
        if gain := _gain(parts, minimum):
            chosen.append((-gain, key_of(4, cut.xpath), cut))
    return [min(chosen, key=lambda item: item[:2])[2]] if chosen else []


def _gain(parts: dict[int, _Part], minimum: float) -> int:
    """Characters that a cut drops; 0 where it does so on too few pages, or drops too much of the article."""
    gain, loss = sum(part.other for part in parts.values()), sum(part.own for part in parts.values())
    is_frequent = sum(part.other > 0 for part in parts.values()) >= minimum
    return gain if is_frequent and loss <= LOSS * (loss + gain) else 0


def _told_cut(
    tag: str, pages: dict[int, dict[HtmlElement, _Part]], extent: Literal["after", "before"]
) -> tuple[Exclusion, dict[int, _Part]]:
    """The cut at those elements of a tag that show what recurs, and what it drops of each page."""
    backwards = extent == "before"
    order = {number: list(parts) if backwards else [*reversed(parts)] for number, parts in pages.items()}
    signs = common_signs([edge_signs(nodes, backwards=backwards) for nodes in order.values()])
    found = {}
    for number, parts in pages.items():
        for edge in find_edge(order[number], signs, backwards=backwards):
            found[number] = parts[edge]
    return Exclusion(f"./{tag}", extent, signs), found


def _cut_steps(node: HtmlElement) -> Iterator[tuple[int, str]]:
    if plain_name(node.tag):
        yield from names_of(node)
        if node.tag not in LOOSE:
            yield 4, node.tag
